/* SPDX-License-Identifier: BSD-3-Clause */
/* The prices of all methods for one block: who adds them, and who compares them. */
#ifndef PERM_METHOD_PRICES_H
#define PERM_METHOD_PRICES_H

#include "perm/matrix/dense_matrix.h"
#include "perm/method/method.h"
#include "perm/subsets/devices.h"

/* What the planner is asked for. */
typedef struct perm_plan_options {
    const char *kernel; /* a candidate's name, or a family for the best of it; NULL: the best of all */
    perm_precision precision;
    bool list;     /* only prices: nothing needs to be chosen */
    bool certify;  /* digits count by certain bounds */
    bool started;  /* devices are there anyway: their start costs nothing */
    bool many;     /* there are, and blocks like this come in such numbers that their seconds add up */
    bool direct;   /* perm_plan_direct_seconds will do instead of a plan */
    int64_t parts; /* that the work is split into, where it can be; 0 and 1: it is not */
    base_device_search *devices; /* looked for where the price of a processor's method is high; NULL: none */
} perm_plan_options;

enum { PERM_MOST_CANDIDATES = 64, PERM_MOST_SHARED = 8 };

/* What the methods of one room have in common for a block, as the order that one of them has searched. */
typedef struct perm_shared {
    int64_t bytes;                 /* it begins as zeros */
    void (*release)(void *shared); /* what it points to; NULL: nothing */
} perm_shared;

struct perm_prices {
    const perm_matrix *matrix;
    const perm_plan_options *options;
    perm_candidate candidate[PERM_MOST_CANDIDATES];
    int count;

    /* private */
    perm_dense_matrix entries;
    bool has_entries;
    struct {
        const perm_shared *kind;
        void *data;
    } shared[PERM_MOST_SHARED];
    int shared_count;
};

void perm_prices_init(const perm_matrix *matrix, const perm_plan_options *options, perm_prices *prices);
void perm_prices_free(
    perm_prices *prices); /* all zeros is allowed; leaves it so that it may be freed again */

/* Another candidate, named as its method, without a price. A sum in doubles lacks digits, where nothing is
 * asked for. */
perm_candidate *perm_prices_add(perm_prices *prices, const perm_method *method);

/* The same for a method on devices; where its device code `is_built` is not, the candidate is refused and the
 * result NULL. */
perm_candidate *perm_prices_add_built(perm_prices *prices, const perm_method *method, bool is_built);

/* Says why a candidate does not fit. */
void perm_candidate_refuse(perm_candidate *candidate, const char *reason);

/* The price of one that fits, above 0. `start`: seconds before a device computes; 0 on the processor. */
void perm_candidate_set_seconds(perm_candidate *candidate, double start, double seconds);

/* The matrix as the sums over subsets take it, made once; n up to PERM_DENSE_LARGEST. */
base_status perm_prices_get_entries(base_context *context, perm_prices *prices,
                                    const perm_dense_matrix **entries);

/* What a room keeps in these prices until they are freed; NULL without memory. */
void *perm_prices_get_shared(base_context *context, perm_prices *prices, const perm_shared *kind);

/* Whether all kernels are to be priced, not the fastest only: one is named, or they are listed. */
bool perm_prices_want_all(const perm_prices *prices);

/* Whether kernels whose names begin like this may be meant: nothing is named, or such a one. */
bool perm_prices_may_mean(const perm_prices *prices, const char *prefix);

/* Whether a result with too few digits is followed by another computation: nothing is asked for. */
bool perm_prices_may_repeat(const perm_prices *prices);

/* Whether that is the name of the method, of its family or of one of its kernels. */
bool perm_method_is_called(const perm_method *method, const char *name);

/* Seconds before a device computes, for a block that shares its launch with others or not. */
double perm_prices_start_seconds(const perm_plan_options *options, bool shares_launch);

/* Whether a method computes as asked. Where nothing is asked, integers are not given to doubles, nor real
 * numbers to the slower exact kernels, unless they are named. */
bool perm_method_computes(const perm_method *method, const perm_matrix *matrix,
                          const perm_plan_options *options);

/* Whether a candidate is named, alone or with its family, or nothing is, and it computes as asked. */
bool perm_candidate_is_meant(const perm_candidate *candidate, const perm_matrix *matrix,
                             const perm_plan_options *options);

/* Costs below this are all the same; a user does not notice them, unless they add up. */
static inline double perm_plan_unnoticed_seconds(const perm_plan_options *options) {
    return options->many ? 1e-4 : 1e-2;
}

/* What more digits are worth to a result that has some, but fewer than a double holds, by the bound of its
 * error or by an estimate, which leaves fewer than are right; and to one that has hardly any. */
#define PERM_DIGITS_SECONDS 0.1
#define PERM_ESTIMATED_DIGITS_SECONDS 0.01
#define PERM_FEW_DIGITS_SECONDS 10

/* What the digits that a sum of doubles may lack are worth before it is done. */
double perm_prices_digits_seconds(const perm_prices *prices);

/* What other methods of integers need where a long search for an order is worth its time. */
#define PERM_SEARCH_SECONDS 1

/* What the cheapest candidate has least of: its seconds and those that the digits which it lacks are worth,
 * but at least perm_plan_unnoticed_seconds, where neither a method nor a precision is asked for; else its
 * seconds. There is no other weight: memory counts only where it is more than allowed. */
double perm_prices_weigh(const perm_prices *prices, const perm_candidate *candidate);

/* The candidate to choose of those that have a price, but for those of the method `without` (NULL: for none);
 * the first of equals; NULL when none fits. */
const perm_candidate *perm_prices_cheapest(const perm_prices *prices, const perm_method *without);

#endif
