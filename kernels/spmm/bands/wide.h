/* SPDX-License-Identifier: BSD-3-Clause */
// Variants of body.h for floats. Before it are defined BANDS_PARTS, the number of tf32 numbers into which one
// is split, and BANDS_KEPT, the number of tiles in shared memory.
#define BANDS_KEPT_A BANDS_KEPT
#define BANDS_KEPT_B BANDS_KEPT
#define BANDS_COLUMNS 32
#define BANDS_RESIDENT 2
#include SPMM_EACH
#define BANDS_COLUMNS 64
#define BANDS_RESIDENT 2
#include SPMM_EACH
#define BANDS_COLUMNS 128
#define BANDS_RESIDENT (3 - BANDS_PARTS)
#include SPMM_EACH
#undef BANDS_TYPE
#undef BANDS_STORE
#undef BANDS_PARTS
#undef BANDS_KEPT
#undef BANDS_KEPT_A
#undef BANDS_KEPT_B
