/* SPDX-License-Identifier: BSD-3-Clause */
/* The price of a frontier on a device (device.h). */
#include "perm/frontier/device.h"
#include "perm/frontier/pricing.h"

#include <stdio.h>

/* The processor's arithmetic where none is asked for. */
static perm_arithmetic choose_arithmetic(const perm_prices *prices, const perm_frontier_choice *choice) {
    switch (prices->options->precision.kind) {
    case PERM_PRECISION_ANY: return choice->arithmetic;
    case PERM_PRECISION_EXACT: return PERM_EXACT;
    default: return PERM_DOUBLE;
    }
}

static base_status price(base_context *context, const perm_method *method, perm_prices *prices) {
    base_status status = BASE_OK;
    const base_device *device = base_devices_get(prices->options->devices->found, 0);
    perm_candidate *candidate = perm_prices_add(prices, method);
    const perm_frontier_choice *choice = perm_frontier_get_choice(context, prices);
    perm_frontier_device_cost cost;
    BASE_TRY(choice == NULL ? BASE_MACHINE : BASE_OK);
    if (!perm_frontier_device_is_built()) {
        perm_candidate_refuse(candidate, "built without CUDA kernels");
        goto done;
    }
    const perm_arithmetic arithmetic = choose_arithmetic(prices, choice);
    candidate->prepared = choice;
    candidate->parameter = arithmetic;
    perm_frontier_device_price(&choice->schedule, arithmetic, &cost);
    candidate->bytes = cost.bytes;
    if (cost.reason != NULL)
        perm_candidate_refuse(candidate, cost.reason);
    else if (!perm_frontier_device_fits(device, &cost))
        snprintf(candidate->reason, sizeof candidate->reason, "%.3g GiB of tables, the device has %.3g",
                 cost.bytes / 0x1p30, (double)base_device_get_properties(device)->memory_bytes / 0x1p30);
    else
        perm_candidate_set_seconds(candidate, perm_prices_start_seconds(prices->options, false),
                                   perm_frontier_device_seconds(&cost));
    if (prices->options->precision.kind == PERM_PRECISION_ANY &&
        perm_frontier_may_need_more(prices->matrix, choice, candidate))
        perm_frontier_add_more(perm_frontier_device_more(device, choice), candidate);
done:
    return status;
}

const perm_method perm_frontier_cuda_method = {
    .name = "frontier-cuda",
    .family = "frontier",
    .stage = PERM_STAGE_DEVICES,
    .flags = PERM_METHOD_ON_DEVICE | PERM_METHOD_NEEDS_PRECISION,
    .computes = PERM_COMPUTES_DOUBLE | PERM_COMPUTES_EXACT | PERM_COMPUTES_INTEGERS | PERM_COMPUTES_NUMBERS |
                PERM_COMPUTES_CERTIFIED,
    .price = price,
    .run = perm_frontier_task,
};
