/* SPDX-License-Identifier: BSD-3-Clause */
// All of orthogonalization for one type (common/types_gpu.h), in the order in which the parts need each
// other.
#include "h2/product/fetch_gpu_body.h"

#include "h2/orthog/stack_gpu_body.h"

#include "h2/orthog/gpu_body.h"

#include "h2/orthog/change_gpu_body.h"
