/* SPDX-License-Identifier: BSD-3-Clause */
// Variants of body.h for half and bfloat.
#define RINGS_TALL 1
#define RINGS_EACH 1
#define RINGS_WIDE 2
#define RINGS_DENSE 1
#define RINGS_RESIDENT 7
#include SPMM_EACH
#define RINGS_TALL 1
#define RINGS_EACH 1
#define RINGS_WIDE 4
#define RINGS_DENSE 1
#define RINGS_RESIDENT 5
#include SPMM_EACH
#define RINGS_TALL 2
#define RINGS_EACH 2
#define RINGS_WIDE 2
#define RINGS_DENSE 1
#define RINGS_RESIDENT 5
#include SPMM_EACH
#define RINGS_TALL 2
#define RINGS_EACH 2
#define RINGS_WIDE 4
#define RINGS_DENSE 1
#define RINGS_RESIDENT 3
#include SPMM_EACH
#undef RINGS_TYPE
