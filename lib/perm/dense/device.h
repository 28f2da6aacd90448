/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense permanents on NVIDIA GPUs: the chunks of dense.h, added up by the kernels of perm/dense/gpu.h. */
#ifndef PERM_DENSE_DEVICE_H
#define PERM_DENSE_DEVICE_H

#include "perm/dense/dense.h"
#include "perm/dense/gpu.h"
#include "perm/method/method.h"
#include "perm/subsets/device_sum.h"

extern const perm_method perm_dense_cuda_method;

/* Makes a problem a sum as devices compute it, whose partials are perm_dense_partial; but for launch_blocks
 * it depends on the problem only. */
base_status perm_dense_device_sum(base_context *context, const perm_dense *dense, perm_device_sum *sum);

/* The `add` of such a sum: dense_gpu_sums to a perm_dense_partial. */
void perm_dense_device_add(const perm_device_sum *sum, const void *sums, int64_t count, void *total);

/* Configures a sum as perm_dense_device_sum does, but for the columns; and fills these, sum->column_bytes of
 * them. */
void perm_dense_device_configure(const perm_dense *dense, perm_device_sum *sum);
void perm_dense_device_fill(const perm_dense *dense, void *columns);

/* Whether this build has the kernels. */
bool perm_dense_device_is_built(void);

/* The code of all such sums. */
base_status perm_dense_device_load(base_context *context, base_device *device, base_device_module **module);

/* Blocks of a launch, 0.2 to 0.3 s on an H200. */
enum { PERM_DENSE_DEVICE_LOG2_LAUNCH = 13 };

/* Expected seconds, but for the start of the device, where the FP64 units do `rate` instructions a second. */
double perm_dense_device_seconds(const perm_dense_problem *problem, double rate);

/* perm_dense_run on devices, one thread each. A chunk's numbers depend on the matrix only, not on the devices
 * and their number, and differ in last bits from those of a processor's kernel; the bound of perm_dense_fold
 * holds for both. Fails with BASE_MACHINE. */
base_status perm_dense_device_run(base_context *context, base_devices *devices, const perm_dense *dense,
                                  int64_t first, int64_t count, perm_dense_partial *partial);

/* All of it. */
base_status perm_dense_device_permanent(base_context *context, base_devices *devices,
                                        const perm_dense_matrix *matrix, perm_dense_result *result);

#endif
