/* SPDX-License-Identifier: BSD-3-Clause */
/* Double-double permanents on NVIDIA GPUs: the chunks of doubledouble.h by the kernels of
 * perm/doubledouble/gpu.h. A chunk's numbers differ in last bits from those of a processor's kernel; the
 * bound holds for both. */
#ifndef PERM_DOUBLEDOUBLE_DEVICE_H
#define PERM_DOUBLEDOUBLE_DEVICE_H

#include "perm/doubledouble/doubledouble.h"
#include "perm/subsets/device_sum.h"

/* Whether this build has the kernels. */
bool perm_dd_device_is_built(void);

/* Shared memory that a block takes. */
int64_t perm_dd_device_shared_bytes(const perm_dd *dd);

/* Makes a problem a sum as devices compute it, whose partials are perm_dd_partial. */
base_status perm_dd_device_sum(base_context *context, const perm_dd *dd, perm_device_sum *sum);

/* Blocks of a launch, a fifth of a second on an H200. */
enum { PERM_DD_DEVICE_LOG2_LAUNCH = 12 };

/* Expected seconds, but for the start of the device, where the FP64 units do `rate` instructions a second. */
double perm_dd_device_seconds(const perm_dd *dd, double rate);

#endif
