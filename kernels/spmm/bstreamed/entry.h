/* SPDX-License-Identifier: BSD-3-Clause */
// A line of a table of the kernels bstreamed_… (variants.h): SPMM_ENTRY(type, lanes, rows).
SPMM_ENTRY(BSTREAMED_TYPE, BSTREAMED_LANES, BSTREAMED_ROWS)
#undef BSTREAMED_LANES
#undef BSTREAMED_ROWS
