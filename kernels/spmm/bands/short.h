/* SPDX-License-Identifier: BSD-3-Clause */
// Variants of short_body.h for half and bfloat.
#define BANDS_COLUMNS 32
#define BANDS_AHEAD 3
#define BANDS_RESIDENT 2
#include SPMM_EACH_SHORT
#define BANDS_COLUMNS 64
#define BANDS_AHEAD 2
#define BANDS_RESIDENT 2
#include SPMM_EACH_SHORT
#define BANDS_COLUMNS 128
#define BANDS_AHEAD 3
#define BANDS_RESIDENT 1
#include SPMM_EACH_SHORT
#define BANDS_COLUMNS 256
#define BANDS_AHEAD 2
#define BANDS_RESIDENT 1
#include SPMM_EACH_SHORT
#undef BANDS_TYPE
#undef BANDS_STORE
