/* SPDX-License-Identifier: BSD-3-Clause */
// The device kernels of orthogonalization: gpu.h.
#include "h2/common/tensor_gpu.h"

#include "h2/orthog/gpu.h"
#include "h2/orthog/reflect_gpu.h"

#define H2_EACH "h2/orthog/type_gpu_body.h"
#include "h2/common/types_gpu.h"
