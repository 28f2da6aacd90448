/* SPDX-License-Identifier: BSD-3-Clause */
// All kernels rows_…, each by SPMM_EACH: body.h, or entry.h for a line of a table.
#define ROWS_TYPE half
#define ROWS_VALUE unsigned
#define ROWS_SUM float
#define ROWS_COUNT 8
#include "spmm/rows/types.h"

#define ROWS_TYPE bfloat
#define ROWS_VALUE unsigned
#define ROWS_SUM float
#define ROWS_COUNT 8
#include "spmm/rows/types.h"

#define ROWS_TYPE float
#define ROWS_VALUE unsigned
#define ROWS_SUM float
#define ROWS_COUNT 4
#include "spmm/rows/types.h"

#define ROWS_TYPE double
#define ROWS_VALUE double
#define ROWS_SUM double
#define ROWS_COUNT 2
#include "spmm/rows/types.h"
#undef SPMM_EACH
