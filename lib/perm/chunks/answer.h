/* What the permanent of a record is made of: an exact factor, from elimination, times the permanents of the
 * blocks that kernels work on. Whole or in part, it can be written down as a line of JSON, which is what
 * perm-gpu --part prints and a checkpoint holds. */
#ifndef PERM_CHUNKS_ANSWER_H
#define PERM_CHUNKS_ANSWER_H

#include "base/core/hash.h"
#include "mm/record/record.h"
#include "perm/chunks/json_keys.h"
#include "perm/value/sum.h"

/* One way of computing a block. */
typedef struct perm_attempt {
    char method[32];
    double states, transitions, subsets;
    int64_t bytes; /* of the largest tables */
    perm_sum sum;
} perm_attempt;

/* A block. The second attempt counts where the first left too few digits. */
typedef struct perm_leaf {
    double cost_seconds; /* expected */
    int64_t bits;        /* that the first attempt must have, or the second one counts */
    int attempts;        /* 0: not begun */
    bool is_done;        /* as far as the part goes */
    perm_attempt attempt[2];
} perm_leaf;

typedef struct perm_answer {
    int64_t record;            /* its number in the input */
    char hash[BASE_HASH_TEXT]; /* of the record */
    char *name;                /* of the record */
    char *comments;            /* of the record */
    mm_field field;            /* of the record */
    int64_t n, nnz;            /* of the matrix, without explicit zeros */
    base_part part;            /* what of the sums was asked for; 0/0: all */
    double seconds;            /* spent */
    bool is_whole;             /* every block is there and done as far as the part goes */
    bool is_singular;          /* no perfect matching: the permanent is 0 */
    perm_value factor;
    /* The entries' own rounding adds `rounded` times `absolute` to the error, a bound of perm(|A|); 0:
     * |perm(A)|, of a matrix without negative entries. */
    perm_bound rounded, absolute;
    int64_t ones;   /* the leaves are ones! times the permanent (matrix/multiplicities.h) */
    int64_t digits; /* of the result (value/value.h) */
    int64_t count, capacity;
    perm_leaf *leaf;
} perm_answer;

void perm_answer_init(perm_answer *answer);
void perm_answer_free(perm_answer *answer); /* NULL is allowed; leaves it as init does */

/* Leaf number `index`, made if it is the next one. NULL: no memory. */
perm_leaf *perm_answer_leaf(base_context *context, perm_answer *answer, int64_t index);

/* Bits of a result that need no second attempt where it is quick, and where it is not. */
enum { PERM_ANSWER_BITS = 40, PERM_ANSWER_FEW_BITS = 26 };

/* Whether a value's bound is at most 2^-bits of it. */
bool perm_answer_is_good(const perm_value *value, int64_t bits);

/* The value of a leaf, *attempt being the one that counted. */
void perm_leaf_value(const perm_leaf *leaf, perm_value *value, int *attempt);

/* The keys of an answer as JSON; a further one is a further row there. */
extern const perm_json_key perm_answer_keys[];

/* The same answer as JSON, a new reference; NULL without memory. */
json_t *perm_answer_to_json(base_context *context, const perm_answer *answer);

/* Reads what perm_answer_to_json made into an initialised answer. Fails with BASE_DAMAGED and names the key.
 */
base_status perm_answer_from_json(base_context *context, const json_t *object, perm_answer *answer);

/* Adds a further part of the same record's answer; `to` began as a part with the share of the whole
 * (perm_answer_widen). Fails with BASE_FAILED, saying in what they differ. */
base_status perm_answer_merge(base_context *context, perm_answer *to, const perm_answer *from);

/* Makes room in a part for all other parts. */
base_status perm_answer_widen(base_context *context, perm_answer *answer);

#endif
