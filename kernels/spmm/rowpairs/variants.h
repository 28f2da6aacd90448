/* SPDX-License-Identifier: BSD-3-Clause */
// All kernels rowpairs_…, each by SPMM_EACH: body.h, or entry.h for a line of a table.
#define ROWPAIRS_TYPE half
#define ROWPAIRS_SIZE 2
#define ROWPAIRS_SUM float
#define ROWPAIRS_COUNT 8
#include "spmm/rowpairs/types.h"

#define ROWPAIRS_TYPE bfloat
#define ROWPAIRS_SIZE 2
#define ROWPAIRS_SUM float
#define ROWPAIRS_COUNT 8
#include "spmm/rowpairs/types.h"

#define ROWPAIRS_TYPE float
#define ROWPAIRS_SIZE 4
#define ROWPAIRS_SUM float
#define ROWPAIRS_COUNT 4
#include "spmm/rowpairs/types.h"

#define ROWPAIRS_TYPE double
#define ROWPAIRS_SIZE 8
#define ROWPAIRS_SUM double
#define ROWPAIRS_COUNT 2
#include "spmm/rowpairs/types.h"
#undef SPMM_EACH
