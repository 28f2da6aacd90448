/* SPDX-License-Identifier: BSD-3-Clause */
// Searches with a walker a warp, for factors of up to 64 bits.
#include "shim.h"

#include "flip/gpu.h"

#ifdef __CUDACC__
#define WARP_ALL _Pragma("unroll")
#define WARP_NO_UNROLL _Pragma("unroll 1")
#else
#define WARP_ALL
#define WARP_NO_UNROLL
#endif

#include "flip/common_gpu.h"

#define WARP_EACH "flip/warp_gpu_body.h"
#include "flip/warp_variants.h"
