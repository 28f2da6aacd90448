/* SPDX-License-Identifier: BSD-3-Clause */
// A line of a table of the kernels rowpairs_… (variants.h): SPMM_ENTRY(type, lanes, groups).
SPMM_ENTRY(ROWPAIRS_TYPE, ROWPAIRS_LANES, ROWPAIRS_GROUPS)
#undef ROWPAIRS_LANES
#undef ROWPAIRS_GROUPS
#undef ROWPAIRS_RESIDENT
