/* The parts of plan.c; internal to it. */
#ifndef PERM_PLAN_PRICE_H
#define PERM_PLAN_PRICE_H

#include "perm/plan/plan.h"

/* Costs below this are all the same; a user does not notice them, unless they add up. */
static inline double perm_plan_unnoticed_seconds(const perm_plan_options *options) {
    return options->many ? 1e-4 : 1e-2;
}

/* What more digits are worth to a result that has some, but fewer than a double holds. */
static inline double perm_plan_digits_seconds(const perm_plan_options *options) {
    return options->many ? 1e-3 : PERM_DIGITS_SECONDS;
}

#define PERM_PLAN_LEAST_SECONDS 1e-9

/* Of the matrices in which equal lines are looked for. */
enum { PERM_PLAN_REPEATED_LARGEST = 256 };

/* Sets the price of a method that can do the block; it is above 0 even where there is nothing to compute. */
static inline void perm_plan_set_price(perm_candidate *candidate, double seconds) {
    candidate->seconds = seconds > PERM_PLAN_LEAST_SECONDS ? seconds : PERM_PLAN_LEAST_SECONDS;
}

/* Another candidate, without a price. */
perm_candidate *perm_plan_add(perm_plan *plan, const char *name, perm_method method);

/* Whether the permanent is an integer for its field. */
bool perm_plan_is_whole(const perm_matrix *matrix);

/* The first candidates, in place of any others, by schedule.expected. */
base_status perm_plan_price_frontier(base_context *context, const perm_matrix *matrix, perm_plan *plan);

/* Whether it is one of their names, and one of the devices' methods. */
bool perm_plan_is_frontier(const char *name);
bool perm_plan_is_device(const char *name);

/* Double-double and MPFR are priced only where they are listed, named or wanted. */
base_status perm_plan_price_twofold(base_context *context, const perm_matrix *matrix,
                                    const perm_plan_options *options, perm_plan *plan);
base_status perm_plan_price_arbitrary(base_context *context, const perm_matrix *matrix,
                                      const perm_plan_options *options, perm_plan *plan);
base_status perm_plan_price_repeated(base_context *context, const perm_matrix *matrix,
                                     const perm_plan_options *options, perm_plan *plan);

base_status perm_plan_price_sparse(base_context *context, const perm_matrix *matrix,
                                   const perm_plan_options *options, perm_plan *plan);

base_status perm_plan_price_sparse_exact(base_context *context, const perm_matrix *matrix,
                                         const perm_plan_options *options, perm_plan *plan);

/* What other methods of integers need where a long search for an order is worth its time. */
#define PERM_SEARCH_SECONDS 1

/* Sets plan->sparse_guess. */
base_status perm_plan_guess_sparse(base_context *context, const perm_matrix *matrix, perm_plan *plan);

/* Whether tables save nothing. */
bool perm_plan_has_few_zeros(const perm_matrix *matrix);

/* The devices' methods. */
base_status perm_plan_price_devices(base_context *context, const perm_matrix *matrix,
                                    const perm_plan_options *options, perm_plan *plan);

/* Whether a method computes as asked. */
bool perm_plan_has_precision(const perm_matrix *matrix, perm_method method, const perm_plan_options *options);

/* What the cheapest candidate has least of. */
double perm_plan_weigh(const perm_matrix *matrix, const perm_candidate *candidate,
                       const perm_plan_options *options);

/* The candidate to choose; NULL when none fits. */
const perm_candidate *perm_plan_cheapest(const perm_matrix *matrix, const perm_plan_options *options,
                                         const perm_plan *plan);

/* Sets plan->chosen, or fails as perm_plan_make does. */
base_status perm_plan_choose(base_context *context, const perm_matrix *matrix,
                             const perm_plan_options *options, perm_plan *plan);

#endif
