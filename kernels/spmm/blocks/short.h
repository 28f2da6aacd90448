/* SPDX-License-Identifier: BSD-3-Clause */
// Variants of body.h for half and bfloat.
#define ROWWINDOWS_SUM float
#define ROWWINDOWS_SIZE 2
#define BLOCKS_TALL 1
#define BLOCKS_WARPS 4
#define ROWWINDOWS_GROUPS 2
#define BLOCKS_RESIDENT 3
#include SPMM_EACH
#undef ROWWINDOWS_TYPE
#undef ROWWINDOWS_STORE
#undef ROWWINDOWS_SUM
#undef ROWWINDOWS_SIZE
