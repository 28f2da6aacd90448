/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/method/prices.h"
#include "base/core/memory.h"
#include "base/device/costs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a method where devices are there already; of a block that shares its launch with others. */
static const double launch_seconds = 2e-3, share_seconds = 1e-5;

/* Of a candidate that fits, even where there is nothing to compute. */
static const double least_seconds = 1e-9;

void perm_prices_init(const perm_matrix *matrix, const perm_plan_options *options, perm_prices *prices) {
    prices->matrix = matrix;
    prices->options = options;
    prices->count = prices->shared_count = 0; /* what they count is large, and set where it is added */
    prices->entries = (perm_dense_matrix){.n = 0};
    prices->has_entries = false;
}

void perm_prices_free(perm_prices *prices) {
    perm_dense_matrix_free(&prices->entries);
    for (int k = 0; k < prices->shared_count; k++) {
        if (prices->shared[k].kind->release != NULL)
            prices->shared[k].kind->release(prices->shared[k].data);
        free(prices->shared[k].data);
    }
    perm_prices_init(NULL, NULL, prices);
}

double perm_prices_digits_seconds(const perm_prices *prices) {
    const perm_plan_options *options = prices->options;
    if (options->many)
        return 1e-3;
    return options->certify || perm_matrix_look(prices->matrix).nonnegative ? PERM_DIGITS_SECONDS
                                                                            : PERM_ESTIMATED_DIGITS_SECONDS;
}

perm_candidate *perm_prices_add(perm_prices *prices, const perm_method *method) {
    perm_candidate *candidate = &prices->candidate[prices->count++];
    *candidate = (perm_candidate){.method = method, .name = method->name, .family = method->family};
    if (perm_method_has(method, PERM_METHOD_IN_DOUBLES) && prices->options->kernel == NULL &&
        prices->options->precision.kind == PERM_PRECISION_ANY)
        candidate->lacking_seconds = perm_prices_digits_seconds(prices);
    return candidate;
}

perm_candidate *perm_prices_add_built(perm_prices *prices, const perm_method *method, bool is_built) {
    perm_candidate *candidate = perm_prices_add(prices, method);
    if (is_built)
        return candidate;
    perm_candidate_refuse(candidate, "built without CUDA kernels");
    return NULL;
}

void perm_candidate_refuse(perm_candidate *candidate, const char *reason) {
    snprintf(candidate->reason, sizeof candidate->reason, "%.95s", reason);
}

void perm_candidate_set_seconds(perm_candidate *candidate, double start, double seconds) {
    candidate->start_seconds = start;
    candidate->seconds = fmax(start + seconds, least_seconds);
}

base_status perm_prices_get_entries(base_context *context, perm_prices *prices,
                                    const perm_dense_matrix **entries) {
    base_status status = BASE_OK;
    *entries = &prices->entries;
    if (prices->has_entries)
        goto done;
    BASE_TRY(perm_dense_matrix_init(context, prices->matrix, &prices->entries));
    prices->has_entries = true;
done:
    return status;
}

void *perm_prices_get_shared(base_context *context, perm_prices *prices, const perm_shared *kind) {
    for (int k = 0; k < prices->shared_count; k++)
        if (prices->shared[k].kind == kind)
            return prices->shared[k].data;
    void *data = base_alloc_zero(context, 1, kind->bytes);
    if (data != NULL) {
        prices->shared[prices->shared_count].kind = kind;
        prices->shared[prices->shared_count++].data = data;
    }
    return data;
}

bool perm_prices_want_all(const perm_prices *prices) {
    return prices->options->kernel != NULL || prices->options->list;
}

bool perm_prices_may_mean(const perm_prices *prices, const char *prefix) {
    const perm_plan_options *options = prices->options;
    return options->kernel == NULL || options->list || strncmp(options->kernel, prefix, strlen(prefix)) == 0;
}

bool perm_prices_may_repeat(const perm_prices *prices) {
    return prices->options->kernel == NULL && prices->options->precision.kind == PERM_PRECISION_ANY &&
           !perm_matrix_is_whole(prices->matrix);
}

bool perm_method_is_called(const perm_method *method, const char *name) {
    if (strcmp(name, method->name) == 0 || (method->family != NULL && strcmp(name, method->family) == 0))
        return true;
    for (int k = 0; method->get_kernel != NULL && method->get_kernel(k) != NULL; k++)
        if (strcmp(name, method->get_kernel(k)) == 0)
            return true;
    return false;
}

double perm_prices_start_seconds(const perm_plan_options *options, bool shares_launch) {
    if (!options->started)
        return base_device_get_costs()->start_seconds;
    return shares_launch ? share_seconds : launch_seconds;
}
