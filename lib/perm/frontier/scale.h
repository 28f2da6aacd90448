/* SPDX-License-Identifier: BSD-3-Clause */
/* The scales of the layers of a frontier dynamic program in floating point: before each step the values are
 * multiplied by a power of two that keeps their sums in range, and what underflow may lose is added up. */
#ifndef PERM_FRONTIER_SCALE_H
#define PERM_FRONTIER_SCALE_H

#include "perm/frontier/load.h"

typedef struct perm_frontier_scale {
    int64_t steps;
    int max_exponent; /* of the layer: |value| < 2^max_exponent; INT_MIN where all are 0 */
    int64_t exponent; /* true value = value·2^exponent, but for the scaling of the matrix */
    double *lost;     /* steps: log2 of what underflow may lose in a step, as the step's values are scaled */
    double *growth;   /* steps: log2 of what the step may multiply it by */
} perm_frontier_scale;

base_status perm_frontier_scale_init(base_context *context, int64_t steps, perm_frontier_scale *scale);
void perm_frontier_scale_free(perm_frontier_scale *scale);

/* The power of two that the factors of the next step's entries get. */
int perm_frontier_scale_shift(const perm_frontier_scale *scale, const perm_numbers *numbers);

/* After step k, which had these entries and led to so many transitions and values below 2^max_exponent. */
void perm_frontier_scale_add(perm_frontier_scale *scale, const perm_numbers *numbers,
                             const perm_schedule *schedule, int64_t k, double transitions, int max_exponent);

/* The permanent from the value of the last state, NULL where there is none. */
void perm_frontier_scale_finish(const perm_frontier_scale *scale, const perm_numbers *numbers,
                                const void *last, perm_value *value);

#endif
