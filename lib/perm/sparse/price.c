/* SPDX-License-Identifier: BSD-3-Clause */
/* Prices of the sums over tables (sparse.h) on the processor. */
#include "perm/sparse/internal.h"

#include <stdio.h>
#include <string.h>

/* The kernels that use no tables. */
static const char *const gray_family = "sparse-gray";

/* With so few zeros tables save nothing. */
static const double dense_share = 0.9;

/* What a long search gains at most. */
static const double search_gain = 4;

static const perm_shared shared = {sizeof(perm_sparse_plans), NULL};

perm_sparse_plans *perm_sparse_get_plans(base_context *context, perm_prices *prices) {
    return perm_prices_get_shared(context, prices, &shared);
}

base_status perm_sparse_guess(base_context *context, perm_prices *prices, perm_sparse_plans *plans) {
    base_status status = BASE_OK;
    const int64_t n = prices->matrix->n;
    const perm_dense_matrix *entries;
    perm_sparse_plan guess;
    if (plans->guess > 0 || n > PERM_SPARSE_LARGEST || n < PERM_SPARSE_SMALLEST)
        goto done;
    BASE_TRY(perm_prices_get_entries(context, prices, &entries));
    BASE_TRY(perm_sparse_plan_guess(context, entries, &perm_sparse_device_cpu, &guess));
    plans->guess = guess.price / perm_sparse_device_cpu.rate;
done:
    return status;
}

base_status perm_sparse_guess_seconds(base_context *context, perm_prices *prices, double *seconds) {
    base_status status = BASE_OK;
    perm_sparse_plans *plans = perm_sparse_get_plans(context, prices);
    *seconds = 0;
    BASE_TRY(plans == NULL ? BASE_MACHINE : BASE_OK);
    BASE_TRY(perm_sparse_guess(context, prices, plans));
    *seconds = plans->guess;
done:
    return status;
}

bool perm_sparse_has_few_zeros(const perm_matrix *matrix) {
    return (double)matrix->nnz > dense_share * (double)matrix->n * (double)matrix->n;
}

/* By a device's method that no search on the processor can beat; one that loses fewer digits may take as long
 * as the sum does without a search. */
static bool is_beaten(const perm_prices *prices, double guess) {
    for (int i = 0; i < prices->count; i++) {
        const perm_candidate *candidate = &prices->candidate[i];
        const bool in_doubles = perm_method_has(candidate->method, PERM_METHOD_IN_DOUBLES),
                   has_digits = !in_doubles && prices->options->precision.kind == PERM_PRECISION_ANY;
        if (candidate->seconds == 0 || !perm_method_has(candidate->method, PERM_METHOD_ON_DEVICE))
            continue;
        if ((has_digits && perm_candidate_seconds_with_digits(candidate) < guess + PERM_DIGITS_SECONDS) ||
            (in_doubles && candidate->seconds * search_gain < guess))
            return true;
    }
    return false;
}

/* Why no order is searched; NULL: it is. Integers are given to doubles only where that is asked for, and what
 * others do at once needs no search. */
static const char *find_reason(const perm_prices *prices) {
    const perm_matrix *matrix = prices->matrix;
    if (matrix->n > PERM_SPARSE_LARGEST)
        return "n is too large";
    if (perm_prices_want_all(prices))
        return NULL;
    if (perm_matrix_is_whole(matrix) && prices->options->precision.kind == PERM_PRECISION_ANY)
        return "integers are computed exactly";
    const perm_candidate *cheapest = perm_prices_cheapest(prices, NULL);
    if (cheapest != NULL &&
        perm_candidate_seconds_with_digits(cheapest) <= perm_plan_unnoticed_seconds(prices->options))
        return "a search would take longer than the others";
    return perm_sparse_has_few_zeros(matrix) ? "too few zeros" : NULL;
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

static base_status price_kernel(base_context *context, const perm_method *method,
                                const perm_dense_matrix *entries, const perm_sparse_kernel *kernel,
                                const perm_sparse_plans *plans, perm_prices *prices) {
    perm_sparse sparse = {0};
    perm_candidate *candidate = perm_prices_add(prices, method);
    const perm_sparse_plan *plan = kernel->is_gray ? &plans->gray : &plans->tables;
    candidate->name = kernel->name;
    candidate->prepared = plan;
    if (kernel->is_gray)
        candidate->family = gray_family;
    base_status status = perm_sparse_init(context, entries, kernel->name, NULL, plan, &sparse);
    if (status == BASE_OK) {
        perm_candidate_set_seconds(candidate, 0, sparse.seconds);
        candidate->bytes = 8.0 * PERM_SPARSE_LANES * (double)sparse.problem.places;
    } else if (status != BASE_MACHINE) {
        perm_candidate_refuse(candidate, "not on this processor");
        status = BASE_OK;
    }
    perm_sparse_free(&sparse);
    return status;
}

/* Every kernel where they are listed or named, else the fastest only. */
static base_status price_kernels(base_context *context, const perm_method *method, perm_sparse_plans *plans,
                                 perm_prices *prices) {
    base_status status = BASE_OK;
    perm_sparse sparse = {0};
    const perm_dense_matrix *entries;
    BASE_TRY(perm_prices_get_entries(context, prices, &entries));
    BASE_TRY(make_plan(context, entries, NULL, &plans->tables));
    if (perm_prices_want_all(prices)) {
        BASE_TRY(make_plan(context, entries, perm_sparse_gray_portable.name, &plans->gray));
        for (const perm_sparse_kernel *const *kernel = perm_sparse_kernels(); *kernel != NULL; kernel++)
            BASE_TRY(price_kernel(context, method, entries, *kernel, plans, prices));
    } else {
        BASE_TRY(perm_sparse_init(context, entries, NULL, NULL, &plans->tables, &sparse));
        if (sparse.kernel->is_gray) /* where tables are so small that they do not pay */
            BASE_TRY(make_plan(context, entries, sparse.kernel->name, &plans->gray));
        BASE_TRY(price_kernel(context, method, entries, sparse.kernel, plans, prices));
    }
done:
    perm_sparse_free(&sparse);
    return status;
}

/* The family without tables is the first of them. */
static const char *get_kernel(int number) {
    const perm_sparse_kernel *kernel = number == 0 ? NULL : perm_sparse_kernels()[number - 1];
    return number == 0 ? gray_family : kernel != NULL ? kernel->name : NULL;
}

static base_status price(base_context *context, const perm_method *method, perm_prices *prices) {
    base_status status = BASE_OK;
    const perm_plan_options *options = prices->options;
    const perm_precision_kind kind = options->precision.kind;
    const bool all = perm_prices_want_all(prices);
    if ((options->kernel != NULL && strncmp(options->kernel, "sparse", strlen("sparse")) != 0) ||
        (!all && kind != PERM_PRECISION_ANY && kind != PERM_PRECISION_DOUBLE && kind != PERM_PRECISION_KAHAN))
        goto done;
    perm_sparse_plans *plans = perm_sparse_get_plans(context, prices);
    BASE_TRY(plans == NULL ? BASE_MACHINE : BASE_OK);
    const char *reason = find_reason(prices);
    if (reason != NULL)
        perm_candidate_refuse(perm_prices_add(prices, method), reason);
    else if (!all && is_beaten(prices, plans->guess))
        snprintf(perm_prices_add(prices, method)->reason, sizeof prices->candidate[0].reason,
                 "%.3g s before a search, a device takes less", plans->guess);
    else
        BASE_TRY(price_kernels(context, method, plans, prices));
done:
    return status;
}

const perm_method perm_sparse_method = {
    .name = "sparse",
    .family = "sparse",
    .stage = PERM_STAGE_SEARCH,
    .flags = PERM_METHOD_SPLITS | PERM_METHOD_IN_DOUBLES | PERM_METHOD_GIVES_WAY,
    .computes = PERM_COMPUTES_DOUBLE | PERM_COMPUTES_KAHAN | PERM_COMPUTES_NUMBERS,
    .get_kernel = get_kernel,
    .price = price,
    .open = perm_sparse_open,
};
