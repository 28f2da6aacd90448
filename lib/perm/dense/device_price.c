/* SPDX-License-Identifier: BSD-3-Clause */
/* Prices of the sum of dense.h on devices. */
#include "perm/dense/batch.h"
#include "perm/dense/device.h"
#include "perm/dense/internal.h"
#include "perm/dense/pairs.h"
#include "perm/dense/tensor.h"
#include "perm/method/prices.h"

/* What the bound of certify.h makes of the time, measured on an H200: 1.24 to 1.27 at order 40. */
static const double certified_share = 1.3;

/* Makes the sum that a candidate would take; *candidate is NULL where there is no device code. */
static base_status begin(base_context *context, const perm_method *method, perm_prices *prices,
                         perm_candidate **candidate, perm_dense *dense) {
    base_status status = BASE_OK;
    const perm_dense_matrix *entries;
    *candidate = perm_prices_add_built(prices, method, perm_dense_device_is_built());
    if (*candidate == NULL)
        goto done;
    BASE_TRY(perm_prices_get_entries(context, prices, &entries));
    BASE_TRY(perm_dense_init(context, entries, NULL, dense));
done:
    return status;
}

static base_status price_dense(base_context *context, const perm_method *method, perm_prices *prices) {
    base_status status;
    perm_dense dense = {0};
    const perm_plan_options *options = prices->options;
    perm_candidate *candidate;
    BASE_TRY(begin(context, method, prices, &candidate, &dense));
    if (candidate == NULL)
        goto done;
    if (options->certify)
        BASE_TRY(perm_dense_certify_candidate(context, &dense, candidate));
    const bool shares_launches = prices->matrix->n <= PERM_DENSE_BATCH_LARGEST && !options->certify;
    perm_candidate_set_seconds(
        candidate, perm_prices_start_seconds(options, shares_launches),
        (dense.certificate.kernel != NULL ? certified_share : 1) *
            perm_dense_device_seconds(&dense.problem, perm_devices_rate(options->devices)));
done:
    perm_dense_free(&dense);
    return status;
}

/* The other forms of the sum. */
static base_status price_form(base_context *context, const perm_method *method,
                              const char *(*find_reason)(const perm_dense *dense, int64_t shared_bytes),
                              double (*count_seconds)(const perm_dense_problem *problem, double rate),
                              perm_prices *prices) {
    base_status status;
    perm_dense dense = {0};
    const perm_plan_options *options = prices->options;
    const base_device *device = base_devices_get(options->devices->found, 0);
    perm_candidate *candidate;
    BASE_TRY(begin(context, method, prices, &candidate, &dense));
    if (candidate == NULL)
        goto done;
    const char *reason = find_reason(&dense, base_device_get_properties(device)->shared_bytes_per_block);
    if (reason != NULL)
        perm_candidate_refuse(candidate, reason);
    else
        perm_candidate_set_seconds(candidate, perm_prices_start_seconds(options, false),
                                   count_seconds(&dense.problem, perm_devices_rate(options->devices)));
done:
    perm_dense_free(&dense);
    return status;
}

static base_status price_pairs(base_context *context, const perm_method *method, perm_prices *prices) {
    return price_form(context, method, perm_pairs_device_reason, perm_pairs_device_seconds, prices);
}

static base_status price_tensor(base_context *context, const perm_method *method, perm_prices *prices) {
    return price_form(context, method, perm_tensor_device_reason, perm_tensor_device_seconds, prices);
}

const perm_method perm_dense_cuda_method = {
    .name = "dense-cuda",
    .family = "dense",
    .stage = PERM_STAGE_DEVICES,
    .flags = PERM_METHOD_SPLITS | PERM_METHOD_ON_DEVICE | PERM_METHOD_IN_DOUBLES | PERM_METHOD_IS_BATCHED,
    .computes = PERM_COMPUTES_DOUBLE | PERM_COMPUTES_KAHAN | PERM_COMPUTES_NUMBERS | PERM_COMPUTES_CERTIFIED,
    .largest = PERM_DENSE_LARGEST,
    .price = price_dense,
    .open = perm_dense_cuda_open,
};

const perm_method perm_dense_pairs_cuda_method = {
    .name = "dense-pairs-cuda",
    .family = "dense",
    .stage = PERM_STAGE_DEVICES,
    .flags = PERM_METHOD_SPLITS | PERM_METHOD_ON_DEVICE | PERM_METHOD_IN_DOUBLES,
    .computes = PERM_COMPUTES_DOUBLE | PERM_COMPUTES_KAHAN | PERM_COMPUTES_NUMBERS,
    .largest = PERM_DENSE_LARGEST,
    .price = price_pairs,
    .open = perm_dense_pairs_cuda_open,
};

const perm_method perm_dense_tensor_cuda_method = {
    .name = "dense-tensor-cuda",
    .family = "dense",
    .stage = PERM_STAGE_DEVICES,
    .flags = PERM_METHOD_SPLITS | PERM_METHOD_ON_DEVICE | PERM_METHOD_IN_DOUBLES,
    .computes = PERM_COMPUTES_DOUBLE | PERM_COMPUTES_KAHAN | PERM_COMPUTES_NUMBERS,
    .largest = PERM_DENSE_LARGEST,
    .price = price_tensor,
    .open = perm_dense_tensor_cuda_open,
};
