/* SPDX-License-Identifier: BSD-3-Clause */
// A line of a table of the kernels rows_… (variants.h): SPMM_ENTRY(type, lanes, subwarps, depth).
SPMM_ENTRY(ROWS_TYPE, ROWS_LANES, ROWS_SUBWARPS, ROWS_DEPTH)
#undef ROWS_DEPTH
