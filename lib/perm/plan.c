#include "perm/plan.h"
#include "base/memory.h"
#include "perm/exact.h"
#include "perm/plan_price.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The mantissas of both parts over the exponent of the larger one, cut to 53 bits; whether anything was cut
 * off is added to *cut. */
static int64_t split_entry(const perm_value *value, double part[2], bool *cut) {
    long size[2];
    for (int i = 0; i < 2; i++) {
        mpz_srcptr integer = i ? value->im : value->re;
        part[i] = mpz_get_d_2exp(&size[i], integer);
        *cut |= mpz_sgn(integer) != 0 && mpz_sizeinbase(integer, 2) - mpz_scan1(integer, 0) > 53;
    }
    int largest = part[0] == 0 || (part[1] != 0 && size[1] > size[0]);
    long gap = size[largest] - size[!largest];
    *cut |= part[!largest] != 0 && gap > 900;
    part[!largest] = gap > 900 ? 0 : ldexp(part[!largest], -(int)gap);
    return value->exponent + size[largest];
}

base_status perm_plan_dense_init(base_context *context, const perm_matrix *matrix, perm_dense_matrix *dense) {
    int64_t n = matrix->n, parts = perm_matrix_look(matrix).complex ? 2 : 1;
    double *entries = base_alloc_zero(context, n * n * parts, sizeof *entries);
    int64_t *exponents = base_alloc_zero(context, n * n, sizeof *exponents);
    bool cut = false;
    *dense = (perm_dense_matrix){n, parts == 2, entries, exponents, 0};
    if (!entries || !exponents) {
        perm_plan_dense_free(dense);
        return BASE_MACHINE;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++) {
            int64_t at = matrix->index[e] * n + i;
            double part[2];
            exponents[at] = split_entry(&matrix->entry[e], part, &cut);
            for (int64_t k = 0; k < parts; k++)
                entries[at * parts + k] = part[k];
        }
    dense->error = cut ? 0x1p-51 : 0;
    return BASE_OK;
}

void perm_plan_dense_free(perm_dense_matrix *dense) {
    if (!dense)
        return;
    free((void *)dense->entries);
    free((void *)dense->exponents);
    *dense = (perm_dense_matrix){.n = 0};
}

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
            candidate->seconds = exact.seconds;
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
        reason = "integers are computed exactly";
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
            candidate->seconds = dense.seconds;
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

base_status perm_plan_make(base_context *context, const perm_matrix *matrix, const perm_plan_options *options,
                           perm_plan *plan) {
    base_status status = BASE_OK;
    const perm_precision_kind kind = options->precision.kind;
    mm_sparse pattern = perm_matrix_pattern(matrix);
    order_frontier_options search = order_frontier_default;
    *plan = (perm_plan){.count = 0};
    search.seed = context->seed;
    search.step_limit = least(search.step_limit, limit_search(matrix, options));
    BASE_TRY(start_early(context, matrix, &pattern, options));
    BASE_TRY(order_frontier_search(context, &pattern, MM_BY_ROWS, &search, &plan->order));
    const int64_t *order = plan->order.by_columns ? plan->order.col : plan->order.row;
    if (plan->order.cost.width + 64 < 2 * PERM_FRONTIER_WIDEST &&
        perm_schedule_make(context, matrix, order, plan->order.by_columns, &plan->schedule) == BASE_MACHINE) {
        status = BASE_MACHINE;
        goto done;
    }
    BASE_TRY(perm_plan_price_frontier(context, matrix, plan));
    if (plan->schedule.n > 0 && !is_settled(options, plan, PERM_UNNOTICED_SECONDS)) {
        BASE_TRY(perm_schedule_expect(context, matrix, order, plan->order.by_columns, &plan->schedule));
        BASE_TRY(perm_plan_price_frontier(context, matrix, plan));
    }
    /* To prepare the other methods takes time that they cannot make good. */
    if (is_settled(options, plan, perm_plan_is_whole(matrix) ? PERM_UNNOTICED_SECONDS : PERM_DIGITS_SECONDS))
        goto done;
    BASE_TRY(perm_plan_price_repeated(context, matrix, options, plan));
    const perm_candidate *repeated = &plan->candidate[plan->count - 1];
    if (repeated->seconds == 0 && is_without_tables(matrix, &plan->candidate[0]) &&
        is_settled(options, plan,
                   least_subset_seconds * ldexp(1, (int)fmin(matrix->n, 1000)) /
                       (double)(options->parts > 1 ? options->parts : 1)))
        goto done;
    if (options->kernel || options->list || kind == PERM_PRECISION_ANY || kind == PERM_PRECISION_EXACT)
        BASE_TRY(price_exact(context, matrix, options->kernel || options->list, plan));
    BASE_TRY(price_dense(context, matrix, options, plan));
    BASE_TRY(perm_plan_price_twofold(context, matrix, options, plan));
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
