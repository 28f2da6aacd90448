/* SPDX-License-Identifier: BSD-3-Clause */
// A line of a table of the kernels blocks_… (variants.h): SPMM_ENTRY(type, tall, warps, groups).
SPMM_ENTRY(ROWWINDOWS_TYPE, BLOCKS_TALL, BLOCKS_WARPS, ROWWINDOWS_GROUPS)
#undef ROWWINDOWS_GROUPS
#undef BLOCKS_TALL
#undef BLOCKS_WARPS
#undef BLOCKS_RESIDENT
