/* SPDX-License-Identifier: BSD-3-Clause */
/* The method of superman.h: its kernels by name, their prices, their chunks. */
#include "perm/dense/device.h"
#include "perm/dense/internal.h"
#include "perm/dense/superman.h"
#include "perm/method/prices.h"

#include <math.h>
#include <string.h>

/* ---- chunks ---- */

enum {
#define ROW(name, function, ...) NUMBER_##function,
    PERM_SUPERMAN_VARIANTS(ROW)
#undef ROW
};

#define ROW(name, function, ...)                                                                             \
    static base_status make_##function(base_context *context, const void *problem, int64_t number,           \
                                       perm_device_sum *sum) {                                               \
        (void)number;                                                                                        \
        return perm_superman_device_sum(context, &perm_superman_variants[NUMBER_##function], problem, sum);  \
    }
PERM_SUPERMAN_VARIANTS(ROW)
#undef ROW

static const perm_chunks_sums_kind kinds[] = {
#define ROW(name, function, ...) {name, PERM_SUPERMAN_LOG2_LAUNCH, make_##function, perm_dense_device_agree},
    PERM_SUPERMAN_VARIANTS(ROW)
#undef ROW
};

static base_status open(base_context *context, const perm_task *task, perm_chunked *chunked) {
    return perm_dense_device_open(context, &kinds[task->candidate->parameter], task, false, chunked);
}

/* ---- prices ---- */

/* Where the code is compiled, half a second more. */
static const double compile_seconds = 0.5;

static base_status price(base_context *context, const perm_method *method, perm_prices *prices) {
    base_status status = BASE_OK;
    perm_dense dense = {0};
    const perm_dense_matrix *entries;
    const perm_plan_options *options = prices->options;
    const base_device *device = base_devices_get(options->devices->found, 0);
    const int64_t shared_bytes = base_device_get_properties(device)->shared_bytes_per_block;
    BASE_TRY(perm_prices_get_entries(context, prices, &entries));
    BASE_TRY(perm_dense_init(context, entries, NULL, &dense));
    for (int number = 0; perm_superman_variants[number].name != NULL; number++) {
        const perm_superman_variant *variant = &perm_superman_variants[number];
        perm_candidate *candidate = perm_prices_add(prices, method);
        const char *reason = perm_superman_reason(variant, &dense, shared_bytes);
        candidate->name = variant->name;
        candidate->parameter = number;
        if (!perm_dense_device_is_built())
            reason = "built without CUDA kernels";
        if (reason != NULL)
            perm_candidate_refuse(candidate, reason);
        else
            perm_candidate_set_seconds(
                candidate,
                perm_prices_start_seconds(options, false) + (variant->is_code ? compile_seconds : 0),
                variant->cost *
                    perm_dense_device_seconds(&dense.problem, perm_devices_rate(options->devices)));
    }
done:
    perm_dense_free(&dense);
    return status;
}

static const char *get_kernel(int number) {
    return perm_superman_variants[number].name;
}

const perm_method perm_superman_method = {
    .name = "superman",
    .family = "superman",
    .stage = PERM_STAGE_DEVICES,
    .flags = PERM_METHOD_SPLITS | PERM_METHOD_ON_DEVICE | PERM_METHOD_IN_DOUBLES | PERM_METHOD_IS_PUBLISHED,
    .computes = PERM_COMPUTES_DOUBLE | PERM_COMPUTES_KAHAN | PERM_COMPUTES_NUMBERS,
    .largest = PERM_DENSE_LARGEST,
    .get_kernel = get_kernel,
    .price = price,
    .open = open,
};
