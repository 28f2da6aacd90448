/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/plan/plan.h"
#include "perm/dense/batch.h"
#include "perm/dense/device.h"
#include "perm/plan/internal.h"
#include "perm/sparse/sparse.h"

#include <math.h>

/* No exact Gray code kernel needs less for one of 2^n subsets. */
static const double least_subset_seconds = 1e-12;

base_status perm_plan_price_stage(base_context *context, perm_stage stage, perm_prices *prices) {
    base_status status = BASE_OK;
    for (const perm_method *const *method = perm_methods(); *method != NULL; method++)
        if ((*method)->stage == stage)
            BASE_TRY((*method)->price(context, *method, prices));
done:
    return status;
}

/* Chooses the frontier, which comes first, where nothing is asked for and it takes at most so long. */
static bool takes_frontier(perm_plan *plan, double seconds) {
    const perm_plan_options *options = plan->prices.options;
    const perm_candidate *frontier = &plan->prices.candidate[0];
    if (perm_prices_want_all(&plan->prices) || options->precision.kind != PERM_PRECISION_ANY ||
        frontier->seconds == 0 || perm_candidate_seconds_with_digits(frontier) > seconds)
        return false;
    plan->chosen = frontier;
    return true;
}

/* Where a device will be needed: the sums take the processor long from this order on, and so many transitions
 * more than a search can save. */
enum { EARLY_SMALLEST = 36 };
static const double early_transitions = 1e11;

/* Steps of the search for an order, which need not take longer than Gray code would, on a device that is
 * there too; in a full matrix there is little to find. */
static int64_t limit_search(const perm_matrix *matrix, const perm_plan_options *options) {
    const int64_t few = matrix->n * matrix->n;
    const double units = ldexp((double)matrix->n, (int)fmin((double)matrix->n, 60) - 1);
    const bool may_share = !perm_matrix_is_whole(matrix) && matrix->n <= PERM_DENSE_BATCH_LARGEST;
    if (perm_sparse_has_few_zeros(matrix) || (options->many && may_share))
        return few;
    if (options->started && may_share)
        return few + (int64_t)(units / 0x1p16);
    return (int64_t)fmin(units / 32, 0x1p62);
}

/* Starts devices early where a first look says that the processor would take long. */
static base_status start_early(base_context *context, const perm_matrix *matrix,
                               const perm_plan_options *options) {
    base_status status = BASE_OK;
    const mm_sparse pattern = perm_matrix_pattern(matrix);
    order_frontier look = {0};
    order_frontier_options search = order_frontier_default;
    search.restarts = 1;
    search.step_limit = 2 * matrix->n * matrix->n;
    if (options->devices == NULL || options->devices->choice != BASE_DEVICE_AUTO ||
        options->devices->found != NULL || options->kernel != NULL || options->list ||
        matrix->n < EARLY_SMALLEST || matrix->n > PERM_DENSE_LARGEST)
        goto done;
    BASE_TRY(order_frontier_search(context, &pattern, MM_BY_ROWS, &search, &look));
    if (look.cost.transitions > early_transitions)
        base_devices_find_early(context, options->devices);
done:
    order_frontier_free(&look);
    return status;
}

/* Whether the sums over tables cannot be better than a frontier. */
static bool is_without_tables(const perm_matrix *matrix, const perm_candidate *frontier) {
    return matrix->n > PERM_SPARSE_LARGEST ||
           (perm_matrix_is_whole(matrix) && frontier->seconds <= PERM_SEARCH_SECONDS);
}

/* The sum of dense/dense.h on a device as the only candidate, and chosen. */
static bool take_direct(base_context *context, perm_plan *plan) {
    perm_prices *prices = &plan->prices;
    const double seconds =
        perm_plan_direct_seconds(context, prices->matrix->n, prices->matrix->field, prices->options);
    if (seconds == 0)
        return false;
    perm_candidate *candidate = perm_prices_add(prices, &perm_dense_cuda_method);
    candidate->seconds = seconds;
    plan->chosen = candidate;
    return true;
}

static bool has_price(const perm_prices *prices, perm_stage stage) {
    for (int i = 0; i < prices->count; i++)
        if (prices->candidate[i].method->stage == stage && prices->candidate[i].seconds > 0)
            return true;
    return false;
}

/* *done: the frontier is chosen, since to price more would take time that others cannot make good. */
static base_status price_frontier(base_context *context, perm_plan *plan, bool *done) {
    base_status status;
    perm_prices *prices = &plan->prices;
    const perm_plan_options *options = prices->options;
    const double unnoticed = perm_plan_unnoticed_seconds(options);
    BASE_TRY(perm_frontier_choose(context, limit_search(prices->matrix, options), prices, &plan->frontier));
    BASE_TRY(perm_plan_price_stage(context, PERM_STAGE_FRONTIER, prices));
    if (plan->frontier->schedule.n > 0 && !takes_frontier(plan, unnoticed)) {
        BASE_TRY(perm_frontier_expect(context, prices));
        prices->count = 0;
        BASE_TRY(perm_plan_price_stage(context, PERM_STAGE_FRONTIER, prices));
    }
    *done = takes_frontier(plan, perm_matrix_is_whole(prices->matrix) ? unnoticed
                                                                      : perm_prices_digits_seconds(prices));
done:
    return status;
}

/* The same after equal rows and columns have been looked for. */
static bool is_enough(perm_plan *plan) {
    const perm_prices *prices = &plan->prices;
    const int64_t parts = prices->options->parts > 1 ? prices->options->parts : 1;
    const double subsets = ldexp(1, (int)fmin((double)prices->matrix->n, 1000));
    return !has_price(prices, PERM_STAGE_MULTIPLICITIES) &&
           is_without_tables(prices->matrix, &prices->candidate[0]) &&
           takes_frontier(plan, least_subset_seconds * subsets / (double)parts);
}

void perm_plan_init(perm_plan *plan) {
    perm_prices_init(NULL, NULL, &plan->prices);
    plan->frontier = NULL;
    plan->chosen = NULL;
}

base_status perm_plan_make(base_context *context, const perm_matrix *matrix, const perm_plan_options *options,
                           perm_plan *plan) {
    base_status status = BASE_OK;
    perm_prices *prices = &plan->prices;
    bool done = false;
    perm_plan_init(plan);
    perm_prices_init(matrix, options, prices);
    if (options->direct && take_direct(context, plan))
        goto done;
    BASE_TRY(start_early(context, matrix, options));
    BASE_TRY(price_frontier(context, plan, &done));
    if (done)
        goto done;
    BASE_TRY(perm_plan_price_stage(context, PERM_STAGE_MULTIPLICITIES, prices));
    if (is_enough(plan))
        goto done;
    BASE_TRY(perm_plan_price_stage(context, PERM_STAGE_SUMS, prices));
    BASE_TRY(perm_plan_price_devices(context, prices));
    BASE_TRY(perm_plan_price_stage(context, PERM_STAGE_SEARCH, prices));
    BASE_TRY(perm_plan_choose(context, plan));
done:
    if (status != BASE_OK)
        perm_plan_free(plan);
    return status;
}

void perm_plan_free(perm_plan *plan) {
    if (plan == NULL)
        return;
    perm_prices_free(&plan->prices);
    perm_plan_init(plan);
}
