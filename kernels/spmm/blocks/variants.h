/* SPDX-License-Identifier: BSD-3-Clause */
// All kernels blocks_…, each by SPMM_EACH: body.h, or entry.h for a line of a table.
#define ROWWINDOWS_TYPE double
#define ROWWINDOWS_STORE double
#define ROWWINDOWS_SUM double
#define ROWWINDOWS_SIZE 8
#define BLOCKS_TALL 2
#define BLOCKS_WARPS 1
#define ROWWINDOWS_GROUPS 2
#define BLOCKS_RESIDENT 6
#include SPMM_EACH
#define BLOCKS_TALL 2
#define BLOCKS_WARPS 2
#define ROWWINDOWS_GROUPS 2
#define BLOCKS_RESIDENT 4
#include SPMM_EACH
#define BLOCKS_TALL 2
#define BLOCKS_WARPS 4
#define ROWWINDOWS_GROUPS 2
#define BLOCKS_RESIDENT 2
#include SPMM_EACH
#undef ROWWINDOWS_TYPE
#undef ROWWINDOWS_STORE
#undef ROWWINDOWS_SUM
#undef ROWWINDOWS_SIZE

#define ROWWINDOWS_TYPE half
#define ROWWINDOWS_STORE half
#include "spmm/blocks/short.h"

#define ROWWINDOWS_TYPE bfloat
#define ROWWINDOWS_STORE bfloat
#include "spmm/blocks/short.h"
#undef SPMM_EACH
