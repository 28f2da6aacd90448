/* SPDX-License-Identifier: BSD-3-Clause */
/* Prices of double-double sums (doubledouble.h). They are asked for only where that precision is, where
 * kernels are listed or named, or where a sum in doubles may leave too few digits. */
#include "perm/doubledouble/device.h"
#include "perm/doubledouble/internal.h"
#include "perm/method/prices.h"

/* Every kernel where they are listed or named, else the fastest only. */
static base_status price(base_context *context, const perm_method *method, perm_prices *prices) {
    const perm_matrix *matrix = prices->matrix;
    const bool all = perm_prices_want_all(prices);
    if (!perm_prices_may_mean(prices, "dd") ||
        (!all && prices->options->precision.kind != PERM_PRECISION_DD && !perm_prices_may_repeat(prices)))
        return BASE_OK;
    for (const perm_dd_kernel *const *kernel = perm_dd_kernels(); *kernel != NULL; kernel++) {
        perm_candidate *candidate = perm_prices_add(prices, method);
        perm_dd dd;
        base_status status = BASE_FAILED;
        candidate->name = (*kernel)->name;
        if (matrix->n > PERM_DENSE_LARGEST)
            perm_candidate_refuse(candidate, "n is too large");
        else if ((status = perm_dd_init(context, matrix, all ? (*kernel)->name : NULL, &dd)) == BASE_OK) {
            candidate->name = dd.kernel->name;
            perm_candidate_set_seconds(candidate, 0, dd.seconds);
            perm_dd_free(&dd);
        } else if (status == BASE_MACHINE)
            return status;
        else
            perm_candidate_refuse(candidate, "not on this processor");
        if (!all)
            break;
    }
    return BASE_OK;
}

static base_status price_device(base_context *context, const perm_method *method, perm_prices *prices) {
    perm_dd dd;
    const perm_plan_options *options = prices->options;
    const base_device *device = base_devices_get(options->devices->found, 0);
    perm_candidate *candidate = perm_prices_add_built(prices, method, perm_dd_device_is_built());
    if (candidate == NULL)
        return BASE_OK;
    const base_status status = perm_dd_init(context, prices->matrix, NULL, &dd);
    if (status == BASE_OK &&
        perm_dd_device_shared_bytes(&dd) > base_device_get_properties(device)->shared_bytes_per_block)
        perm_candidate_refuse(candidate, "n is too large for its shared memory");
    else if (status == BASE_OK)
        perm_candidate_set_seconds(candidate, perm_prices_start_seconds(options, false),
                                   perm_dd_device_seconds(&dd, perm_devices_rate(options->devices)));
    perm_dd_free(&dd);
    return status;
}

static const char *get_kernel(int number) {
    const perm_dd_kernel *kernel = perm_dd_kernels()[number];
    return kernel != NULL ? kernel->name : NULL;
}

const perm_method perm_dd_method = {
    .name = "dd",
    .family = "dd",
    .stage = PERM_STAGE_SUMS,
    .flags = PERM_METHOD_SPLITS | PERM_METHOD_MORE_DIGITS | PERM_METHOD_GIVES_WAY,
    .computes = PERM_COMPUTES_DD | PERM_COMPUTES_CERTIFIED,
    .get_kernel = get_kernel,
    .price = price,
    .open = perm_dd_open,
};

const perm_method perm_dd_cuda_method = {
    .name = "dd-cuda",
    .family = "dd",
    .stage = PERM_STAGE_DEVICES,
    .flags = PERM_METHOD_SPLITS | PERM_METHOD_ON_DEVICE | PERM_METHOD_MORE_DIGITS,
    .computes = PERM_COMPUTES_DD | PERM_COMPUTES_CERTIFIED,
    .largest = PERM_DENSE_LARGEST,
    .price = price_device,
    .open = perm_dd_cuda_open,
};
