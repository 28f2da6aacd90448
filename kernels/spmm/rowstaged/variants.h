/* SPDX-License-Identifier: BSD-3-Clause */
// All kernels rowstaged_…, each by SPMM_EACH: body.h, or entry.h for a line of a table.
#define ROWSTAGED_TYPE float
#define ROWSTAGED_VALUE unsigned
#define ROWSTAGED_SUM float
#define ROWSTAGED_COUNT 4
#include "spmm/rowstaged/tiles.h"
#define ROWSTAGED_LANES 8
#define ROWSTAGED_GROUPS 3
#define ROWSTAGED_THREADS 512
#define ROWSTAGED_RESIDENT 2
#define ROWSTAGED_DEPTH 2
#include SPMM_EACH
#define ROWSTAGED_LANES 32
#define ROWSTAGED_GROUPS 1
#define ROWSTAGED_THREADS 512
#define ROWSTAGED_RESIDENT 4
#define ROWSTAGED_DEPTH 2
#include SPMM_EACH
#undef ROWSTAGED_TYPE
#undef ROWSTAGED_VALUE
#undef ROWSTAGED_SUM
#undef ROWSTAGED_COUNT

#define ROWSTAGED_TYPE double
#define ROWSTAGED_VALUE double
#define ROWSTAGED_SUM double
#define ROWSTAGED_COUNT 2
#include "spmm/rowstaged/tiles.h"
#define ROWSTAGED_LANES 16
#define ROWSTAGED_GROUPS 3
#define ROWSTAGED_THREADS 512
#define ROWSTAGED_RESIDENT 2
#define ROWSTAGED_DEPTH 2
#include SPMM_EACH
#define ROWSTAGED_LANES 16
#define ROWSTAGED_GROUPS 4
#define ROWSTAGED_THREADS 128
#define ROWSTAGED_RESIDENT 7
#define ROWSTAGED_DEPTH 2
#include SPMM_EACH
#define ROWSTAGED_LANES 32
#define ROWSTAGED_GROUPS 1
#define ROWSTAGED_THREADS 512
#define ROWSTAGED_RESIDENT 3
#define ROWSTAGED_DEPTH 4
#include SPMM_EACH
#undef ROWSTAGED_TYPE
#undef ROWSTAGED_VALUE
#undef ROWSTAGED_SUM
#undef ROWSTAGED_COUNT
#undef SPMM_EACH
