/* SPDX-License-Identifier: BSD-3-Clause */
// All kernels bstreamed_…, each by SPMM_EACH: body.h, or entry.h for a line of a table.
#define BSTREAMED_TYPE float
#define BSTREAMED_VALUE unsigned
#define BSTREAMED_SUM float
#define BSTREAMED_COUNT 4
#include "spmm/bstreamed/tiles.h"

#define BSTREAMED_TYPE double
#define BSTREAMED_VALUE double
#define BSTREAMED_SUM double
#define BSTREAMED_COUNT 2
#include "spmm/bstreamed/tiles.h"
#undef SPMM_EACH
