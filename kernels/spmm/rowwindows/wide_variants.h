/* SPDX-License-Identifier: BSD-3-Clause */
// All kernels rowwindows_… of more bits, each by SPMM_EACH: body.h, or entry.h for a line of a table.
#define ROWWINDOWS_TYPE tf32
#define ROWWINDOWS_DENSE_RESIDENT 20
#define ROWWINDOWS_STORE float
#define ROWWINDOWS_SUM float
#define ROWWINDOWS_SIZE 4
#include "spmm/rowwindows/wide.h"

#define ROWWINDOWS_TYPE float
#define ROWWINDOWS_DENSE_RESIDENT 16
#define ROWWINDOWS_STORE float
#define ROWWINDOWS_SUM float
#define ROWWINDOWS_SIZE 4
#include "spmm/rowwindows/wide.h"

#define ROWWINDOWS_TYPE double
#define ROWWINDOWS_DENSE_RESIDENT 16
#define ROWWINDOWS_STORE double
#define ROWWINDOWS_SUM double
#define ROWWINDOWS_SIZE 8
#include "spmm/rowwindows/wide.h"
#undef SPMM_EACH
