/* SPDX-License-Identifier: BSD-3-Clause */
// The device kernels for ranks above 64: gpu.h.
#include "h2/common/tensor_gpu.h"

#include "h2/large/gpu.h"

#include "h2/large/multiply_gpu.h"

#include "h2/large/factor_gpu.h"
#include "h2/large/truncate_gpu.h"
