/* SPDX-License-Identifier: BSD-3-Clause */
// All kernels with a walker a warp, faster ones first, each by WARP_EACH: warp_gpu_body.h, or warp_entry.h
// for a line of a table. What a variant is made of stands in warp_gpu_body.h.
#define WARP_VARIANT short_2
#define WARP_FACTOR unsigned
#define WARP_SLOTS 2
#define WARP_UNROLL WARP_ALL
#define WARP_RESIDENT 2
#include WARP_EACH

#define WARP_VARIANT short_4
#define WARP_FACTOR unsigned
#define WARP_SLOTS 4
#define WARP_UNROLL WARP_ALL
#define WARP_RESIDENT 2
#include WARP_EACH

#define WARP_VARIANT long_2
#define WARP_FACTOR unsigned long long
#define WARP_SLOTS 2
#define WARP_UNROLL WARP_ALL
#define WARP_RESIDENT 2
#include WARP_EACH

#define WARP_VARIANT long_5
#define WARP_FACTOR unsigned long long
#define WARP_SLOTS 5
#define WARP_UNROLL WARP_ALL
#define WARP_RESIDENT 1
#include WARP_EACH

#define WARP_VARIANT long_17
#define WARP_FACTOR unsigned long long
#define WARP_SLOTS 17
#define WARP_UNROLL WARP_NO_UNROLL
#define WARP_RESIDENT 1
#include WARP_EACH

#undef WARP_EACH
