/* SPDX-License-Identifier: BSD-3-Clause */
// All kernels merge_…, each by SPMM_EACH: body.h, or entry.h for a line of a table.
#define MERGE_TYPE half
#define MERGE_VALUE unsigned
#define MERGE_SUM float
#define MERGE_COUNT 8
#include "spmm/merge/types.h"

#define MERGE_TYPE bfloat
#define MERGE_VALUE unsigned
#define MERGE_SUM float
#define MERGE_COUNT 8
#include "spmm/merge/types.h"

#define MERGE_TYPE float
#define MERGE_VALUE unsigned
#define MERGE_SUM float
#define MERGE_COUNT 4
#include "spmm/merge/types.h"

#define MERGE_TYPE double
#define MERGE_VALUE double
#define MERGE_SUM double
#define MERGE_COUNT 2
#include "spmm/merge/types.h"
#undef SPMM_EACH
