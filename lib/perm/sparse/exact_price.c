/* SPDX-License-Identifier: BSD-3-Clause */
/* Prices of the sums over tables modulo primes (exact.h). */
#include "perm/sparse/exact.h"
#include "perm/sparse/internal.h"

#include <string.h>

static const char *const family = "sparse-exact";

/* What a long search gains at most. */
static const double search_gain = 4;

static bool is_named(const perm_plan_options *options) {
    return options->kernel != NULL && strncmp(options->kernel, family, strlen(family)) == 0;
}

/* Why no order is searched; NULL: it is. */
static base_status find_reason(base_context *context, perm_prices *prices, perm_sparse_plans *plans,
                               const char **reason) {
    base_status status = BASE_OK;
    const int64_t n = prices->matrix->n;
    const perm_candidate *cheapest = perm_prices_cheapest(prices, NULL);
    *reason = NULL;
    if (!perm_matrix_look(prices->matrix).integer) {
        *reason = "its entries are not integers";
    } else if (n > PERM_SPARSE_LARGEST || n < PERM_SPARSE_SMALLEST) {
        *reason = n > PERM_SPARSE_LARGEST ? "n is too large" : "n is too small";
    } else if (!perm_prices_want_all(prices)) {
        if (perm_sparse_has_few_zeros(prices->matrix))
            *reason = "too few zeros";
        else if (cheapest != NULL && cheapest->seconds <= PERM_SEARCH_SECONDS)
            *reason = "a search would take longer than the others";
        if (*reason != NULL)
            goto done;
        BASE_TRY(perm_sparse_guess(context, prices, plans));
        if (cheapest != NULL && plans->guess > search_gain * cheapest->seconds)
            *reason = "too many operations";
    }
done:
    return status;
}

static base_status price_kernel(base_context *context, const perm_method *method, const char *kernel,
                                const perm_sparse_plan *plan, perm_prices *prices) {
    perm_sparse_exact exact;
    base_status status = perm_sparse_exact_init(context, prices->matrix, kernel, false, plan, &exact);
    perm_candidate *candidate = perm_prices_add(prices, method);
    candidate->prepared = plan;
    if (kernel != NULL)
        candidate->name = kernel;
    if (status == BASE_OK) {
        candidate->name = exact.sparse.kernel->name;
        perm_candidate_set_seconds(candidate, 0, exact.seconds);
        candidate->bytes = 8.0 * PERM_SPARSE_LANES * (double)exact.sparse.problem.places;
        perm_sparse_exact_free(&exact);
    } else if (status != BASE_MACHINE) {
        perm_candidate_refuse(candidate,
                              status == BASE_FAILED ? "entries are too large" : "not on this processor");
        status = BASE_OK;
    }
    return status;
}

static base_status price(base_context *context, const perm_method *method, perm_prices *prices) {
    base_status status = BASE_OK;
    const perm_plan_options *options = prices->options;
    const perm_dense_matrix *entries;
    const bool all = is_named(options) || options->list;
    const char *reason;
    if ((options->kernel != NULL && !all) ||
        (!is_named(options) && !perm_matrix_look(prices->matrix).integer) ||
        (!all && !perm_method_computes(method, prices->matrix, options)))
        goto done;
    perm_sparse_plans *plans = perm_sparse_get_plans(context, prices);
    BASE_TRY(plans == NULL ? BASE_MACHINE : BASE_OK);
    BASE_TRY(find_reason(context, prices, plans, &reason));
    if (reason != NULL) {
        perm_candidate_refuse(perm_prices_add(prices, method), reason);
        goto done;
    }
    if (plans->tables.device == NULL) {
        BASE_TRY(perm_prices_get_entries(context, prices, &entries));
        BASE_TRY(perm_sparse_plan_make(context, entries, &perm_sparse_device_cpu, &plans->tables));
    }
    if (!all)
        BASE_TRY(price_kernel(context, method, NULL, &plans->tables, prices));
    else
        for (const perm_sparse_kernel *const *kernel = perm_sparse_exact_kernels(); *kernel != NULL; kernel++)
            BASE_TRY(price_kernel(context, method, (*kernel)->name, &plans->tables, prices));
done:
    return status;
}

static const char *get_kernel(int number) {
    const perm_sparse_kernel *kernel = perm_sparse_exact_kernels()[number];
    return kernel != NULL ? kernel->name : NULL;
}

const perm_method perm_sparse_exact_method = {
    .name = "sparse-exact",
    .family = "sparse-exact",
    .stage = PERM_STAGE_SEARCH,
    .flags = PERM_METHOD_SPLITS | PERM_METHOD_IS_EXACT,
    .computes = PERM_COMPUTES_EXACT | PERM_COMPUTES_INTEGERS,
    .get_kernel = get_kernel,
    .price = price,
    .open = perm_sparse_exact_open,
};
