#include "perm/plan/plan.h"
#include "base/core/memory.h"
#include "perm/exact/exact.h"
#include "perm/plan/price.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

perm_candidate *perm_plan_add(perm_plan *plan, const char *name, perm_method method) {
    perm_candidate *candidate = &plan->candidate[plan->count++];
    *candidate = (perm_candidate){.name = name, .method = method};
    return candidate;
}

/* No exact Gray code kernel needs less for one of 2^n subsets. */
static const double least_subset_seconds = 1e-12;

/* Every kernel where they are listed or named, else the fastest of the family only. */
static base_status price_exact(base_context *context, const perm_matrix *matrix, bool all, perm_plan *plan) {
    perm_exact exact;
    if (matrix->n > PERM_EXACT_LARGEST) {
        snprintf(perm_plan_add(plan, "exact", PERM_GRAY)->reason, 96, "n is too large");
        return BASE_OK;
    }
    for (const perm_exact_kernel *const *kernel = perm_exact_kernels(); *kernel; kernel++) {
        base_status status = perm_exact_init(context, matrix, all ? (*kernel)->name : NULL, &exact);
        if (status == BASE_MACHINE)
            return status;
        perm_candidate *candidate =
            perm_plan_add(plan, status == BASE_OK && !all ? exact.kernel->name : (*kernel)->name, PERM_GRAY);
        if (status == BASE_OK) {
            perm_plan_set_price(candidate, exact.seconds);
            candidate->bytes = 8.0 * (double)(exact.chunk_count * exact.residue_count);
            perm_exact_free(&exact);
        } else {
            snprintf(candidate->reason, sizeof candidate->reason, "not for this matrix or processor");
        }
        if (!all)
            break;
    }
    return BASE_OK;
}

static base_status price_dense(base_context *context, const perm_matrix *matrix,
                               const perm_plan_options *options, perm_plan *plan) {
    base_status status = BASE_OK;
    perm_dense_matrix entries = {.n = 0};
    const char *reason = NULL;
    const bool all = options->kernel || options->list;
    if (perm_plan_is_whole(matrix) && options->precision.kind != PERM_PRECISION_DOUBLE &&
        options->precision.kind != PERM_PRECISION_KAHAN)
        reason = "integers are computed exactly, unless --precision double asks for doubles";
    else if (matrix->n > PERM_DENSE_LARGEST)
        reason = "n is too large";
    else
        BASE_TRY(perm_plan_dense_init(context, matrix, &entries));
    for (const perm_dense_kernel *const *kernel = perm_dense_kernels(); *kernel; kernel++) {
        perm_candidate *candidate = perm_plan_add(plan, (*kernel)->name, PERM_DENSE);
        perm_dense dense;
        if (reason) {
            snprintf(candidate->reason, sizeof candidate->reason, "%s", reason);
        } else if (perm_dense_init(context, &entries, all ? (*kernel)->name : NULL, &dense) == BASE_OK) {
            candidate->name = dense.kernel->name;
            perm_plan_set_price(candidate, dense.seconds);
            perm_dense_free(&dense);
        } else {
            snprintf(candidate->reason, sizeof candidate->reason, "not on this processor");
        }
        if (!all)
            break;
    }
done:
    perm_plan_dense_free(&entries);
    return status;
}

/* Chooses the frontier, which comes first, where nothing is asked for and it takes at most so long. */
static bool is_settled(const perm_plan_options *options, perm_plan *plan, double seconds) {
    const perm_candidate *frontier = &plan->candidate[0];
    if (options->kernel || options->list || options->precision.kind != PERM_PRECISION_ANY ||
        frontier->seconds == 0 || frontier->seconds > seconds)
        return false;
    plan->chosen = frontier;
    return true;
}

/* Where a device will be needed: the sums take the processor long from this order on, and so many transitions
 * more than a search can save. */
enum { EARLY_SMALLEST = 36 };
static const double early_transitions = 1e11;

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Steps of the search for an order, which need not take longer than Gray code would, on a device that is
 * there too; in a full matrix there is little to find. */
static int64_t limit_search(const perm_matrix *matrix, const perm_plan_options *options) {
    const int64_t few = matrix->n * matrix->n;
    const double units = ldexp((double)matrix->n, (int)fmin((double)matrix->n, 60) - 1);
    if (perm_plan_has_few_zeros(matrix))
        return few;
    if (options->many && !perm_plan_is_whole(matrix) && matrix->n <= PERM_PLAN_SHARED_LARGEST)
        return few;
    if (options->started && !perm_plan_is_whole(matrix) && matrix->n <= PERM_PLAN_SHARED_LARGEST)
        return few + (int64_t)(units / 0x1p16);
    return (int64_t)fmin(units / 32, 0x1p62);
}

/* Starts devices early where a first look says that the processor would take long. */
static base_status start_early(base_context *context, const perm_matrix *matrix, const mm_sparse *pattern,
                               const perm_plan_options *options) {
    base_status status = BASE_OK;
    order_frontier look = {0};
    order_frontier_options search = order_frontier_default;
    search.restarts = 1;
    search.step_limit = 2 * matrix->n * matrix->n;
    if (!options->devices || options->devices->choice != BASE_DEVICE_AUTO || options->devices->found ||
        options->kernel || options->list || matrix->n < EARLY_SMALLEST || matrix->n > PERM_DENSE_LARGEST)
        goto done;
    BASE_TRY(order_frontier_search(context, pattern, MM_BY_ROWS, &search, &look));
    if (look.cost.transitions > early_transitions)
        base_devices_find_early(context, options->devices);
done:
    order_frontier_free(&look);
    return status;
}

/* Whether the sums over tables cannot be better than a frontier. */
static bool is_without_tables(const perm_matrix *matrix, const perm_candidate *frontier) {
    return matrix->n > PERM_SPARSE_LARGEST ||
           (perm_plan_is_whole(matrix) && frontier->seconds <= PERM_SEARCH_SECONDS);
}

/* The sum of dense/dense.h on a device as the only candidate, and chosen. */
static bool take_quick(base_context *context, const perm_matrix *matrix, const perm_plan_options *options,
                       perm_plan *plan) {
    const double seconds = perm_plan_quick_seconds(context, matrix->n, matrix->field, options);
    if (seconds == 0)
        return false;
    perm_candidate *candidate = perm_plan_add(plan, "dense-cuda", PERM_DENSE_CUDA);
    candidate->seconds = seconds;
    plan->chosen = candidate;
    plan->is_quick = true;
    return true;
}

/* Whether a family is worth a price: one is named, but another. */
static bool may_be_meant(const perm_plan_options *options, const char *family) {
    return !options->kernel || options->list || strncmp(options->kernel, family, strlen(family)) == 0;
}

base_status perm_plan_make(base_context *context, const perm_matrix *matrix, const perm_plan_options *options,
                           perm_plan *plan) {
    base_status status = BASE_OK;
    const perm_precision_kind kind = options->precision.kind;
    mm_sparse pattern = perm_matrix_pattern(matrix);
    order_frontier_options search = order_frontier_default;
    *plan = (perm_plan){.count = 0};
    search.seed = context->seed;
    search.step_limit = least(search.step_limit, limit_search(matrix, options));
    if (options->quick && take_quick(context, matrix, options, plan))
        return BASE_OK;
    BASE_TRY(start_early(context, matrix, &pattern, options));
    BASE_TRY(order_frontier_search(context, &pattern, MM_BY_ROWS, &search, &plan->order));
    const int64_t *order = plan->order.by_columns ? plan->order.col : plan->order.row;
    if (plan->order.cost.width + 64 < 2 * PERM_FRONTIER_WIDEST &&
        perm_schedule_make(context, matrix, order, plan->order.by_columns, &plan->schedule) == BASE_MACHINE) {
        status = BASE_MACHINE;
        goto done;
    }
    BASE_TRY(perm_plan_price_frontier(context, matrix, plan));
    const double unnoticed = perm_plan_unnoticed_seconds(options);
    if (plan->schedule.n > 0 && !is_settled(options, plan, unnoticed)) {
        BASE_TRY(perm_schedule_expect(context, matrix, order, plan->order.by_columns, &plan->schedule));
        BASE_TRY(perm_plan_price_frontier(context, matrix, plan));
    }
    /* To prepare the other methods takes time that they cannot make good. */
    if (is_settled(options, plan, perm_plan_is_whole(matrix) ? unnoticed : perm_plan_digits_seconds(options)))
        goto done;
    if (may_be_meant(options, "repeated"))
        BASE_TRY(perm_plan_price_repeated(context, matrix, options, plan));
    const perm_candidate *repeated = &plan->candidate[plan->count - 1];
    if (repeated->seconds == 0 && is_without_tables(matrix, &plan->candidate[0]) &&
        is_settled(options, plan,
                   least_subset_seconds * ldexp(1, (int)fmin(matrix->n, 1000)) /
                       (double)(options->parts > 1 ? options->parts : 1)))
        goto done;
    if ((options->kernel || options->list || kind == PERM_PRECISION_ANY || kind == PERM_PRECISION_EXACT) &&
        (may_be_meant(options, "exact") || may_be_meant(options, "sieve")))
        BASE_TRY(price_exact(context, matrix, options->kernel || options->list, plan));
    if (may_be_meant(options, "dense"))
        BASE_TRY(price_dense(context, matrix, options, plan));
    if (may_be_meant(options, "dd"))
        BASE_TRY(perm_plan_price_twofold(context, matrix, options, plan));
    if (may_be_meant(options, "mpfr"))
        BASE_TRY(perm_plan_price_arbitrary(context, matrix, options, plan));
    BASE_TRY(perm_plan_price_devices(context, matrix, options, plan));
    BASE_TRY(perm_plan_price_sparse(context, matrix, options, plan));
    BASE_TRY(perm_plan_price_sparse_exact(context, matrix, options, plan));
    BASE_TRY(perm_plan_choose(context, matrix, options, plan));
done:
    if (status != BASE_OK)
        perm_plan_free(plan);
    return status;
}

void perm_plan_free(perm_plan *plan) {
    if (!plan)
        return;
    order_frontier_free(&plan->order);
    perm_schedule_free(&plan->schedule);
    *plan = (perm_plan){.count = 0};
}
