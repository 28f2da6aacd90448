/* SPDX-License-Identifier: BSD-3-Clause */
// A line of a table of the kernels panels_… (variants.h): SPMM_ENTRY(type, depth, width, groups).
SPMM_ENTRY(PANELS_TYPE, PANELS_DEPTH, PANELS_WIDTH, PANELS_GROUPS)
#undef PANELS_DEPTH
#undef PANELS_WIDTH
#undef PANELS_GROUPS
#undef PANELS_SIDE
