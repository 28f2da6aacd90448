/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense real permanents on the FP64 tensor cores of NVIDIA GPUs: the chunks of dense.h, added up by the
 * kernel of perm/dense/tensor_gpu.h, with a bound of its own. */
#ifndef PERM_DENSE_TENSOR_H
#define PERM_DENSE_TENSOR_H

#include "perm/dense/dense.h"
#include "perm/subsets/device_sum.h"

enum { PERM_TENSOR_DEVICE_LEAST = 16, /* n */ PERM_TENSOR_DEVICE_LOG2_LAUNCH = 13 };

/* Why it is not for a problem on devices with so much shared memory a block; NULL: it is. */
const char *perm_tensor_device_reason(const perm_dense *dense, int64_t shared_bytes);

/* Makes a real problem of order PERM_TENSOR_DEVICE_LEAST or more a sum whose partials are perm_dense_partial.
 */
base_status perm_tensor_device_sum(base_context *context, const perm_dense *dense, perm_device_sum *sum);

/* As perm_dense_error, for the magnitudes of these partials. */
void perm_tensor_device_error(const perm_dense *dense, double *relative_error, double *absolute_error);

/* Expected seconds, but for the start of the device, where the FP64 units do `rate` instructions a second. */
double perm_tensor_device_seconds(const perm_dense_problem *problem, double rate);

#endif
