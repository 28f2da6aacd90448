/* SPDX-License-Identifier: BSD-3-Clause */
// All kernels panels_…, each by SPMM_EACH: body.h, or entry.h for a line of a table.
#define PANELS_TYPE half
#define PANELS_STORE half
#define PANELS_VALUE unsigned short
#define PANELS_SUM float
#define PANELS_SIZE 2
#include "spmm/panels/short.h"

#define PANELS_TYPE bfloat
#define PANELS_STORE bfloat
#define PANELS_VALUE unsigned short
#define PANELS_SUM float
#define PANELS_SIZE 2
#include "spmm/panels/short.h"

#define PANELS_TYPE tf32
#define PANELS_STORE float
#define PANELS_VALUE float
#define PANELS_SUM float
#define PANELS_SIZE 4
#include "spmm/panels/wide.h"

#define PANELS_TYPE double
#define PANELS_STORE double
#define PANELS_VALUE double
#define PANELS_SUM double
#define PANELS_SIZE 8
#include "spmm/panels/long.h"

#define PANELS_TYPE float
#define PANELS_STORE float
#define PANELS_VALUE float
#define PANELS_SUM float
#define PANELS_SIZE 4
#include "spmm/panels/wide.h"
#undef SPMM_EACH
