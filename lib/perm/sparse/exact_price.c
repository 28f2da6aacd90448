/* Prices of the sums over tables modulo primes (exact.h). */
#include "perm/plan/price.h"
#include "perm/sparse/exact.h"
#include <stdio.h>
#include <string.h>

static const char *const family = "sparse-exact";

/* What a long search gains at most. */
static const double search_gain = 4;

/* Why no order is searched; NULL: it is. */
static base_status find_reason(base_context *context, const perm_matrix *matrix,
                               const perm_plan_options *options, perm_plan *plan, const char **reason) {
    base_status status = BASE_OK;
    const perm_candidate *cheapest = perm_plan_cheapest(matrix, options, plan);
    *reason = NULL;
    if (!perm_matrix_look(matrix).integer) {
        *reason = "its entries are not integers";
    } else if (matrix->n > PERM_SPARSE_LARGEST || matrix->n < PERM_SPARSE_SMALLEST) {
        *reason = matrix->n > PERM_SPARSE_LARGEST ? "n is too large" : "n is too small";
    } else if (!options->kernel && !options->list) {
        if (perm_plan_has_few_zeros(matrix))
            *reason = "too few zeros";
        else if (cheapest && cheapest->seconds <= PERM_SEARCH_SECONDS)
            *reason = "a search would take longer than the others";
        if (*reason)
            goto done;
        BASE_TRY(perm_plan_guess_sparse(context, matrix, plan));
        if (cheapest && plan->sparse_guess > search_gain * cheapest->seconds)
            *reason = "too many operations";
    }
done:
    return status;
}

static base_status price_kernel(base_context *context, const perm_matrix *matrix, const char *kernel,
                                perm_plan *plan) {
    perm_sparse_exact exact;
    base_status status = perm_sparse_exact_init(context, matrix, kernel, false, &plan->sparse, &exact);
    perm_candidate *candidate = perm_plan_add(plan,
                                              status == BASE_OK ? exact.sparse.kernel->name
                                              : kernel          ? kernel
                                                                : family,
                                              PERM_SPARSE_EXACT);
    candidate->sparse = &plan->sparse;
    if (status == BASE_OK) {
        perm_plan_set_price(candidate, exact.seconds);
        candidate->bytes = 8.0 * PERM_SPARSE_LANES * (double)exact.sparse.problem.places;
        perm_sparse_exact_free(&exact);
    } else if (status != BASE_MACHINE) {
        snprintf(candidate->reason, sizeof candidate->reason, "%s",
                 status == BASE_FAILED ? "entries are too large" : "not on this processor");
        status = BASE_OK;
    }
    return status;
}

base_status perm_plan_price_sparse_exact(base_context *context, const perm_matrix *matrix,
                                         const perm_plan_options *options, perm_plan *plan) {
    base_status status = BASE_OK;
    perm_dense_matrix entries = {.n = 0};
    const char *reason;
    const bool is_named = options->kernel && strncmp(options->kernel, family, strlen(family)) == 0;
    if ((options->kernel && !is_named && !options->list) ||
        (!is_named && !perm_matrix_look(matrix).integer) ||
        (!is_named && !options->list && !perm_plan_has_precision(matrix, PERM_SPARSE_EXACT, options)))
        return BASE_OK;
    BASE_TRY(find_reason(context, matrix, options, plan, &reason));
    if (reason) {
        snprintf(perm_plan_add(plan, family, PERM_SPARSE_EXACT)->reason, sizeof plan->candidate[0].reason,
                 "%s", reason);
        goto done;
    }
    if (!plan->sparse.device) {
        BASE_TRY(perm_plan_dense_init(context, matrix, &entries));
        perm_sparse_plan_make(context, &entries, &perm_sparse_device_cpu, &plan->sparse);
    }
    if (!is_named && !options->list)
        BASE_TRY(price_kernel(context, matrix, NULL, plan));
    else
        for (const perm_sparse_kernel *const *kernel = perm_sparse_exact_kernels(); *kernel; kernel++)
            BASE_TRY(price_kernel(context, matrix, (*kernel)->name, plan));
done:
    perm_plan_dense_free(&entries);
    return status;
}
