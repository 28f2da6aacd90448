/* SPDX-License-Identifier: BSD-3-Clause */
// All kernels rings_…, each by SPMM_EACH: body.h, or entry.h for a line of a table.
#define RINGS_TYPE half
#include "spmm/rings/short.h"

#define RINGS_TYPE bfloat
#include "spmm/rings/short.h"
#undef SPMM_EACH
