/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact permanents on NVIDIA GPUs: the chunks of exact.h, with the same residues, by the kernels of
 * perm/exact/gpu.h. */
#ifndef PERM_EXACT_DEVICE_H
#define PERM_EXACT_DEVICE_H

#include "perm/exact/exact.h"
#include "perm/subsets/device_sum.h"

/* Whether this build has the kernels. */
bool perm_exact_device_is_built(void);

/* Sums that make up the whole: up to four primes each. */
int64_t perm_exact_device_count(const perm_exact *exact);

/* Whether the sums can skip the subsets with a row sum 0. */
bool perm_exact_device_can_skip(const perm_exact *exact);

/* Makes one of them, `skip` if it skips such subsets; its residues stand in the chunks' where perm_exact_run
 * leaves them. `exact` must stay.
 */
base_status perm_exact_device_sum(base_context *context, const perm_exact *exact, int64_t number, bool skip,
                                  perm_device_sum *sum);

/* Blocks of a launch, a fifth of a second on an H200. */
enum { PERM_EXACT_DEVICE_LOG2_LAUNCH = 12 };

/* Expected seconds, but for the start of the device, where the FP64 units do `rate` instructions a second. */
double perm_exact_device_seconds(const perm_exact *exact, bool skip, double rate);

/* perm_exact_run on all devices. */
base_status perm_exact_device_run(base_context *context, base_devices *devices, const perm_exact *exact,
                                  int64_t first, int64_t count, bool skip, int64_t *residue);

#endif
