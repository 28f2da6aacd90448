/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/frontier/scale.h"
#include "base/core/memory.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

base_status perm_frontier_scale_init(base_context *context, int64_t steps, perm_frontier_scale *scale) {
    *scale = (perm_frontier_scale){.steps = steps, .max_exponent = INT_MIN};
    scale->lost = base_alloc_zero(context, steps, sizeof *scale->lost);
    scale->growth = base_alloc_zero(context, steps, sizeof *scale->growth);
    return scale->lost != NULL && scale->growth != NULL ? BASE_OK : BASE_MACHINE;
}

void perm_frontier_scale_free(perm_frontier_scale *scale) {
    free(scale->lost);
    free(scale->growth);
    *scale = (perm_frontier_scale){.steps = 0};
}

int perm_frontier_scale_shift(const perm_frontier_scale *scale, const perm_numbers *numbers) {
    if (scale->max_exponent == INT_MIN)
        return 0;
    /* Brings the largest value to about 1. Factors take that, so that no pass over the values is needed. */
    return -scale->max_exponent > numbers->largest_shift ? numbers->largest_shift : -scale->max_exponent;
}

void perm_frontier_scale_add(perm_frontier_scale *scale, const perm_numbers *numbers,
                             const perm_schedule *schedule, int64_t k, double transitions, int max_exponent) {
    const int shift = perm_frontier_scale_shift(scale, numbers);
    const int64_t first = schedule->entry_start[k], count = schedule->entry_start[k + 1] - first;
    scale->exponent -= shift;
    scale->growth[k] = shift + perm_numbers_growth_log2(numbers, schedule->entry + first, count);
    /* In units of the smallest subnormal, a transition loses at most: of the entry, three parts added, 3/2,
     * and its factor, 1/2, each of re and im, times the state's value, which is at most 1 where the shift
     * lifts and at most 2^-shift where it lowers; of the four products 1/2 each. Together less than 8. */
    scale->lost[k] = log2(8 * (transitions + 1)) + numbers->least_log2 + (shift < 0 ? -shift : 0);
    scale->max_exponent = max_exponent;
}

/* What underflows may have taken from the last value, as that is scaled. */
static perm_bound lost_to_underflow(const perm_frontier_scale *scale) {
    perm_bound lost = {0, 0};
    double later = 0;
    for (int64_t k = scale->steps - 1; k >= 0; k--) {
        double log = scale->lost[k] + later;
        lost = perm_bound_add(lost, (perm_bound){1, (int64_t)ceil(log)});
        /* A loss grows like any value of its layer in all steps that follow. */
        later += scale->growth[k];
    }
    return lost;
}

void perm_frontier_scale_finish(const perm_frontier_scale *scale, const perm_numbers *numbers,
                                const void *last, perm_value *value) {
    if (last == NULL) {
        perm_value_set_integer(value, 0);
        return;
    }
    perm_numbers_result(numbers, last, scale->steps, value);
    if (numbers->least_log2 != 0)
        value->error = perm_bound_add(value->error, lost_to_underflow(scale));
    perm_value_scale(value, scale->exponent + numbers->exponent);
    perm_value_round(value);
}
