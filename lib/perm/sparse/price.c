/* Prices of the sums over tables (sparse.h). */
#include "perm/plan/price.h"
#include "perm/sparse/sparse.h"
#include <stdio.h>
#include <string.h>

/* With so few zeros tables save nothing. */
static const double dense_share = 0.9;

/* What a long search gains at most. */
static const double search_gain = 4;

base_status perm_plan_guess_sparse(base_context *context, const perm_matrix *matrix, perm_plan *plan) {
    base_status status = BASE_OK;
    perm_dense_matrix entries = {.n = 0};
    perm_sparse_plan guess;
    if (plan->sparse_guess > 0 || matrix->n > PERM_SPARSE_LARGEST || matrix->n < PERM_SPARSE_SMALLEST)
        return BASE_OK;
    BASE_TRY(perm_plan_dense_init(context, matrix, &entries));
    perm_sparse_plan_guess(context, &entries, &perm_sparse_device_cpu, &guess);
    plan->sparse_guess = guess.price / perm_sparse_device_cpu.rate;
done:
    perm_plan_dense_free(&entries);
    return status;
}

/* A device's method that no search on the processor can beat; one that loses fewer digits may take as long as
 * the sum does without a search. */
static bool is_beaten(const perm_plan_options *options, const perm_plan *plan) {
    for (int i = 0; i < plan->count; i++) {
        const perm_candidate *candidate = &plan->candidate[i];
        const bool has_digits =
            candidate->method == PERM_FRONTIER_CUDA && options->precision.kind == PERM_PRECISION_ANY;
        if (candidate->seconds > 0 &&
            (has_digits ? candidate->seconds < plan->sparse_guess + PERM_DIGITS_SECONDS
                        : perm_plan_is_on_device(candidate->method) &&
                              perm_plan_is_sum_of_doubles(candidate->method) &&
                              candidate->seconds * search_gain < plan->sparse_guess))
            return true;
    }
    return false;
}

bool perm_plan_has_few_zeros(const perm_matrix *matrix) {
    return (double)matrix->nnz > dense_share * (double)matrix->n * (double)matrix->n;
}

/* Why no order is searched; NULL: it is. Integers are given to doubles only where that is asked for, and what
 * others do at once needs no search. */
static const char *no_search(const perm_matrix *matrix, const perm_plan_options *options,
                             const perm_plan *plan) {
    const perm_precision_kind kind = options->precision.kind;
    const bool all = options->kernel || options->list;
    const perm_candidate *cheapest = perm_plan_cheapest(matrix, options, plan);
    if (matrix->n > PERM_SPARSE_LARGEST)
        return "n is too large";
    if (options->kernel && !options->list && strncmp(options->kernel, "sparse", strlen("sparse")) != 0)
        return "another kernel is named";
    if (!all && perm_plan_is_whole(matrix) && kind == PERM_PRECISION_ANY)
        return "integers are computed exactly";
    if (!all && cheapest && cheapest->seconds <= perm_plan_unnoticed_seconds(options))
        return "a search would take longer than the others";
    if (!all && perm_plan_has_few_zeros(matrix))
        return "too few zeros";
    return NULL;
}

static base_status make_plan(base_context *context, const perm_dense_matrix *entries, const char *kernel,
                             perm_sparse_plan *plan) {
    perm_sparse sparse;
    base_status status = perm_sparse_init(context, entries, kernel, NULL, NULL, &sparse);
    if (status == BASE_OK)
        *plan = sparse.plan;
    perm_sparse_free(&sparse);
    return status;
}

static base_status price_kernel(base_context *context, const perm_dense_matrix *entries,
                                const perm_sparse_kernel *kernel, perm_plan *plan) {
    perm_sparse sparse = {0};
    perm_candidate *candidate = perm_plan_add(plan, kernel->name, PERM_SPARSE);
    candidate->sparse = kernel->is_gray ? &plan->gray : &plan->sparse;
    base_status status = perm_sparse_init(context, entries, kernel->name, NULL, candidate->sparse, &sparse);
    if (status == BASE_OK) {
        perm_plan_set_price(candidate, sparse.seconds);
        candidate->bytes = 8.0 * PERM_SPARSE_LANES * (double)sparse.problem.places;
    } else if (status != BASE_MACHINE) {
        snprintf(candidate->reason, sizeof candidate->reason, "not on this processor");
        status = BASE_OK;
    }
    perm_sparse_free(&sparse);
    return status;
}

static base_status price_kernels(base_context *context, const perm_dense_matrix *entries, bool all,
                                 perm_plan *plan) {
    base_status status = BASE_OK;
    perm_sparse sparse = {0};
    BASE_TRY(make_plan(context, entries, NULL, &plan->sparse));
    if (all) {
        BASE_TRY(make_plan(context, entries, perm_sparse_gray_portable.name, &plan->gray));
        for (const perm_sparse_kernel *const *kernel = perm_sparse_kernels(); *kernel; kernel++)
            BASE_TRY(price_kernel(context, entries, *kernel, plan));
    } else {
        BASE_TRY(perm_sparse_init(context, entries, NULL, NULL, &plan->sparse, &sparse));
        BASE_TRY(price_kernel(context, entries, sparse.kernel, plan));
    }
done:
    perm_sparse_free(&sparse);
    return status;
}

base_status perm_plan_price_sparse(base_context *context, const perm_matrix *matrix,
                                   const perm_plan_options *options, perm_plan *plan) {
    base_status status = BASE_OK;
    perm_dense_matrix entries = {.n = 0};
    const perm_precision_kind kind = options->precision.kind;
    const bool all = options->kernel || options->list;
    const char *reason = no_search(matrix, options, plan);
    if (options->kernel && strncmp(options->kernel, "sparse", strlen("sparse")) != 0)
        return BASE_OK;
    if (!all && kind != PERM_PRECISION_ANY && kind != PERM_PRECISION_DOUBLE && kind != PERM_PRECISION_KAHAN)
        return BASE_OK;
    if (reason) {
        snprintf(perm_plan_add(plan, "sparse", PERM_SPARSE)->reason, sizeof plan->candidate[0].reason, "%s",
                 reason);
        return BASE_OK;
    }
    if (!all && is_beaten(options, plan)) {
        snprintf(perm_plan_add(plan, "sparse", PERM_SPARSE)->reason, sizeof plan->candidate[0].reason,
                 "%.3g s before a search, a device takes less", plan->sparse_guess);
        return BASE_OK;
    }
    BASE_TRY(perm_plan_dense_init(context, matrix, &entries));
    BASE_TRY(price_kernels(context, &entries, all, plan));
done:
    perm_plan_dense_free(&entries);
    return status;
}
