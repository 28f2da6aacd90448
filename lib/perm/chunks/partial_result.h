/* SPDX-License-Identifier: BSD-3-Clause */
/* What the permanent of a record is made of: an exact factor, from elimination, times the permanents of the
 * blocks that kernels work on. Whole or in part, it can be written down as a line of JSON, which is what
 * perm-gpu --part prints and a checkpoint holds. */
#ifndef PERM_CHUNKS_PARTIAL_RESULT_H
#define PERM_CHUNKS_PARTIAL_RESULT_H

#include "base/core/hash.h"
#include "mm/record/record.h"
#include "perm/chunks/json_keys.h"
#include "perm/value/sum.h"

/* One method's work on a block. */
typedef struct perm_block_run {
    char method[32];
    double states, transitions, subsets;
    int64_t bytes; /* of the largest tables */
    perm_sum sum;
} perm_block_run;

/* A block. The second run counts where the first left too few digits. */
typedef struct perm_block_result {
    double cost_seconds; /* expected */
    int64_t bits;        /* that the first run must have, or the second one counts */
    int block_runs;      /* 0: not begun */
    bool is_done;        /* as far as the part goes */
    bool is_open; /* of a part: the whole would be computed again if its last run left too few digits */
    perm_block_run block_run[2];
} perm_block_result;

typedef struct perm_partial_result {
    int64_t record;            /* its number in the input */
    char hash[BASE_HASH_TEXT]; /* of the record */
    char *name;                /* of the record */
    char *comments;            /* of the record */
    mm_field field;            /* of the record */
    int64_t n, nnz;            /* of the matrix, without explicit zeros */
    base_part part;            /* what of the sums was asked for; 0/0: all */
    double seconds;            /* that it took */
    bool is_whole;             /* every block is there and done as far as the part goes */
    bool is_singular;          /* no perfect matching: the permanent is 0 */
    perm_value factor;
    /* The entries' own rounding adds `rounded` times `absolute` to the error, a bound of perm(|A|); 0:
     * |perm(A)|, of a matrix without negative entries. */
    perm_bound rounded, absolute;
    int64_t ones;   /* the block results are ones! times the permanent (matrix/multiplicities.h) */
    int64_t digits; /* of the result (value/value.h) */
    int64_t count, capacity;
    perm_block_result *block_result;
} perm_partial_result;

void perm_partial_result_init(perm_partial_result *partial_result);
void perm_partial_result_free(
    perm_partial_result *partial_result); /* NULL is allowed; leaves it as init does */

/* The result of block number `index`, made if it is the next one. NULL: no memory. */
perm_block_result *perm_partial_result_block(base_context *context, perm_partial_result *partial_result,
                                             int64_t index);

/* Bits of a result that need no second run where that is short, and where it is not. */
enum { PERM_RESULT_BITS = 40, PERM_RESULT_FEW_BITS = 26 };

/* Whether the estimate of a value's error, or the bound if there is none, is at most 2^-bits of it. */
bool perm_partial_result_is_good(const perm_value *value, int64_t bits);

/* The value of a block, *block_run being the number of the run that counted. */
void perm_block_result_value(const perm_block_result *block_result, perm_value *value, int *block_run);

/* Whether all digits are there that the result would have without parts: false where parts did not compute
 * again what has too few (perm_block_result.is_open). */
bool perm_partial_result_has_digits(const perm_partial_result *partial_result);

/* The keys of a partial result as JSON; a further one is a further row there. */
extern const perm_json_key perm_partial_result_keys[];

/* The same as JSON, a new reference; NULL without memory. */
json_t *perm_partial_result_to_json(base_context *context, const perm_partial_result *partial_result);

/* Reads what perm_partial_result_to_json made into an initialised partial result. Fails with BASE_DAMAGED and
 * names the key. */
base_status perm_partial_result_from_json(base_context *context, const json_t *object,
                                          perm_partial_result *partial_result);

/* Adds a further part of the same record's result; `to` began as a part with the share of the whole
 * (perm_partial_result_widen). Fails with BASE_FAILED, saying in what they differ. */
base_status perm_partial_result_merge(base_context *context, perm_partial_result *to,
                                      const perm_partial_result *from);

/* Makes room in a part for all other parts. */
base_status perm_partial_result_widen(base_context *context, perm_partial_result *partial_result);

#endif
