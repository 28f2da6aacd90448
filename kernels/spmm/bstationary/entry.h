/* SPDX-License-Identifier: BSD-3-Clause */
// A line of a table of the kernels bstationary_… (variants.h): SPMM_ENTRY(type, side, each, subwarps).
SPMM_ENTRY(BSTATIONARY_TYPE, BSTATIONARY_SIDE, BSTATIONARY_EACH, BSTATIONARY_SUBWARPS)
#undef BSTATIONARY_SUBWARPS
