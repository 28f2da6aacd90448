/* SPDX-License-Identifier: BSD-3-Clause */
// A line of a table of the kernels merge_… (variants.h): SPMM_ENTRY(type, lanes, depth).
SPMM_ENTRY(MERGE_TYPE, MERGE_LANES, MERGE_DEPTH)
#undef MERGE_DEPTH
