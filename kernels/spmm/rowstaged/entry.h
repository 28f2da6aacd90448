/* SPDX-License-Identifier: BSD-3-Clause */
// A line of a table of the kernels rowstaged_… (variants.h): SPMM_ENTRY(type, lanes, groups).
SPMM_ENTRY(ROWSTAGED_TYPE, ROWSTAGED_LANES, ROWSTAGED_GROUPS)
#undef ROWSTAGED_LANES
#undef ROWSTAGED_GROUPS
#undef ROWSTAGED_RESIDENT
