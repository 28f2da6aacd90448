/* SPDX-License-Identifier: BSD-3-Clause */
// The kernels of body.h for a type, number of lanes and of subwarps.
#define ROWS_DEPTH 4
#include SPMM_EACH
#define ROWS_DEPTH 8
#include SPMM_EACH
#undef ROWS_LANES
#undef ROWS_SUBWARPS
