/* SPDX-License-Identifier: BSD-3-Clause */
// All kernels bstationary_…, each by SPMM_EACH: body.h, or entry.h for a line of a table.
#define BSTATIONARY_TYPE half
#define BSTATIONARY_VALUE unsigned short
#define BSTATIONARY_SUM float
#define BSTATIONARY_COUNT 8
#include "spmm/bstationary/types.h"

#define BSTATIONARY_TYPE bfloat
#define BSTATIONARY_VALUE unsigned short
#define BSTATIONARY_SUM float
#define BSTATIONARY_COUNT 8
#include "spmm/bstationary/types.h"

#define BSTATIONARY_TYPE float
#define BSTATIONARY_VALUE float
#define BSTATIONARY_SUM float
#define BSTATIONARY_COUNT 4
#include "spmm/bstationary/types.h"

#define BSTATIONARY_TYPE double
#define BSTATIONARY_VALUE double
#define BSTATIONARY_SUM double
#define BSTATIONARY_COUNT 2
#include "spmm/bstationary/types.h"
#undef SPMM_EACH
