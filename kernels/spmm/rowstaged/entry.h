/* SPDX-License-Identifier: BSD-3-Clause */
// A line of a table of the kernels rowstaged_… (variants.h):
// SPMM_ENTRY(type, lanes, groups, threads, resident, depth).
SPMM_ENTRY(ROWSTAGED_TYPE, ROWSTAGED_LANES, ROWSTAGED_GROUPS, ROWSTAGED_THREADS, ROWSTAGED_RESIDENT,
           ROWSTAGED_DEPTH)
#undef ROWSTAGED_LANES
#undef ROWSTAGED_GROUPS
#undef ROWSTAGED_THREADS
#undef ROWSTAGED_RESIDENT
#undef ROWSTAGED_DEPTH
