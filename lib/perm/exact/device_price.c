/* SPDX-License-Identifier: BSD-3-Clause */
/* Prices of the sums of exact.h on devices. */
#include "perm/exact/device.h"
#include "perm/exact/internal.h"
#include "perm/method/prices.h"

/* `skip`: without the subsets in which a row sum is 0. */
static base_status price_kind(base_context *context, const perm_method *method, bool skip,
                              perm_prices *prices) {
    perm_exact exact;
    perm_candidate *candidate = perm_prices_add_built(prices, method, perm_exact_device_is_built());
    if (candidate == NULL)
        return BASE_OK;
    const base_status status = perm_exact_init(context, prices->matrix, NULL, &exact);
    if (status == BASE_OK && skip && !perm_exact_device_can_skip(&exact)) {
        perm_candidate_refuse(candidate, "not for this matrix");
    } else if (status == BASE_OK) {
        const double rate = perm_devices_rate(prices->options->devices);
        perm_candidate_set_seconds(candidate, perm_prices_start_seconds(prices->options, false),
                                   perm_exact_device_seconds(&exact, skip, rate));
        candidate->bytes = 8.0 * (double)(exact.chunk_count * exact.residue_count);
    }
    perm_exact_free(&exact);
    return status;
}

static base_status price_all(base_context *context, const perm_method *method, perm_prices *prices) {
    return price_kind(context, method, false, prices);
}

static base_status price_sieve(base_context *context, const perm_method *method, perm_prices *prices) {
    return price_kind(context, method, true, prices);
}

const perm_method perm_exact_cuda_method = {
    .name = "exact-cuda",
    .family = "exact",
    .stage = PERM_STAGE_DEVICES,
    .flags = PERM_METHOD_SPLITS | PERM_METHOD_ON_DEVICE | PERM_METHOD_IS_EXACT,
    .computes = PERM_COMPUTES_EXACT | PERM_COMPUTES_INTEGERS,
    .largest = PERM_DENSE_LARGEST,
    .price = price_all,
    .open = perm_exact_cuda_open,
};

const perm_method perm_sieve_cuda_method = {
    .name = "sieve-cuda",
    .family = "exact",
    .stage = PERM_STAGE_DEVICES,
    .flags = PERM_METHOD_SPLITS | PERM_METHOD_ON_DEVICE | PERM_METHOD_IS_EXACT,
    .computes = PERM_COMPUTES_EXACT | PERM_COMPUTES_INTEGERS,
    .largest = PERM_DENSE_LARGEST,
    .price = price_sieve,
    .open = perm_sieve_cuda_open,
};
