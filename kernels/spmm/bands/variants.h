/* SPDX-License-Identifier: BSD-3-Clause */
// All kernels bands_…, each by SPMM_EACH: body.h, or entry.h for a line of a table.
#define BANDS_TYPE half
#define BANDS_STORE half
#include "spmm/bands/short.h"

#define BANDS_TYPE bfloat
#define BANDS_STORE bfloat
#include "spmm/bands/short.h"

#define BANDS_TYPE tf32
#define BANDS_STORE float
#define BANDS_PARTS 1
#define BANDS_KEPT 3
#include "spmm/bands/wide.h"

#define BANDS_TYPE float
#define BANDS_STORE float
#define BANDS_PARTS 2
#define BANDS_KEPT 2
#include "spmm/bands/wide.h"
#undef SPMM_EACH
#undef SPMM_EACH_SHORT
