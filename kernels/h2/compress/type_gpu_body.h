/* SPDX-License-Identifier: BSD-3-Clause */
// All of compression for one type (common/types_gpu.h), in the order in which the parts need each other.
#include "h2/product/fetch_gpu_body.h"

#include "h2/orthog/stack_gpu_body.h"

#include "h2/compress/gpu_body.h"

#include "h2/compress/gram_gpu_body.h"

#include "h2/orthog/change_gpu_body.h"
