/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes of the layers of a frontier on a device, and what a run of it takes (device.h). */
#include "perm/frontier/device.h"
#include "perm/frontier/gpu.h"
#include "perm/frontier/load.h"
#include "perm/frontier/pricing.h"

static double count_sets(int open, int used) {
    double count = used >= 0 && used <= open;
    for (int k = 1; k <= used && k <= open; k++)
        count = count * (open - used + k) / k;
    return count;
}

perm_layer_sizes perm_layer_get_sizes(const perm_schedule *schedule, int64_t k) {
    perm_layer_sizes sizes = {.open = k > 0 ? schedule->open[k - 1] : 0};
    sizes.used = (int)(k - schedule->close_start[k]);
    sizes.states = count_sets(sizes.open, sizes.used);
    const int high = sizes.open - FRONTIER_GPU_LOW;
    sizes.starts = high > 0 ? INT64_C(1) << (high < 62 ? high : 62) : 1;
    return sizes;
}

static const char *find_reason(const perm_schedule *schedule, const perm_numbers *numbers) {
    if (numbers->limbs > FRONTIER_GPU_WORDS)
        return "its integers have more than 256 bits";
    for (int64_t k = 1; k <= schedule->n; k++)
        if (schedule->open[k - 1] > FRONTIER_GPU_WIDEST)
            return "the frontier is too wide for a device's tables";
    return schedule->width > FRONTIER_GPU_STEP ? "the frontier is too wide for a device's tables" : NULL;
}

void perm_frontier_device_price(const perm_schedule *schedule, perm_arithmetic arithmetic,
                                perm_frontier_device_cost *cost) {
    perm_numbers numbers;
    double values[2] = {0}, starts[2] = {0};
    *cost = (perm_frontier_device_cost){.reason = "the frontier is too wide"};
    if (schedule->n == 0)
        return;
    perm_numbers_plan(schedule, arithmetic, &numbers);
    *cost = (perm_frontier_device_cost){.reason = find_reason(schedule, &numbers)};
    for (int64_t k = 0; k <= schedule->n; k++) {
        const perm_layer_sizes sizes = perm_layer_get_sizes(schedule, k);
        if (sizes.states > values[k % 2])
            values[k % 2] = sizes.states;
        if ((double)sizes.starts > starts[k % 2])
            starts[k % 2] = (double)sizes.starts;
        cost->states += k > 0 ? sizes.states : 0;
    }
    cost->transitions = schedule->bound.transitions;
    cost->bytes = (values[0] + values[1]) * (double)numbers.value_bytes + 8 * (starts[0] + starts[1]) +
                  (double)sizeof(frontier_gpu_tables) + (double)sizeof(frontier_gpu_step);
    cost->moved_bytes = (cost->transitions + cost->states) * (double)numbers.value_bytes;
}

bool perm_frontier_device_fits(const base_device *device, const perm_frontier_device_cost *cost) {
    return cost->reason == NULL &&
           cost->bytes <= 0.95 * (double)base_device_get_properties(device)->memory_bytes;
}

/* As measured on an H200: 13 ps a transition of values of 8 bytes. */
double perm_frontier_device_seconds(const perm_frontier_device_cost *cost) {
    return 2e-3 + 8e-12 * cost->transitions + cost->moved_bytes / 2e12;
}

double perm_frontier_device_more(const base_device *device, const perm_frontier_choice *choice) {
    perm_frontier_device_cost cost;
    perm_frontier_device_price(&choice->schedule, PERM_EXACT, &cost);
    return perm_frontier_device_fits(device, &cost) ? perm_frontier_device_seconds(&cost)
                                                    : choice->more_seconds;
}
