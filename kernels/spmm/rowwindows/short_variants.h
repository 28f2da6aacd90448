/* SPDX-License-Identifier: BSD-3-Clause */
// All kernels rowwindows_… of 16 bits, each by SPMM_EACH: body.h, or entry.h for a line of a table.
#define ROWWINDOWS_TYPE half
#define ROWWINDOWS_DENSE_RESIDENT 32
#define ROWWINDOWS_STORE half
#define ROWWINDOWS_SUM float
#define ROWWINDOWS_SIZE 2
#include "spmm/rowwindows/short.h"

#define ROWWINDOWS_TYPE bfloat
#define ROWWINDOWS_DENSE_RESIDENT 32
#define ROWWINDOWS_STORE bfloat
#define ROWWINDOWS_SUM float
#define ROWWINDOWS_SIZE 2
#include "spmm/rowwindows/short.h"
#undef SPMM_EACH
