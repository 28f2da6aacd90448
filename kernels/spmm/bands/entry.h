/* SPDX-License-Identifier: BSD-3-Clause */
// A line of a table of the kernels bands_… (variants.h): SPMM_ENTRY(type, columns).
SPMM_ENTRY(BANDS_TYPE, BANDS_COLUMNS)
#undef BANDS_COLUMNS
#undef BANDS_AHEAD
#undef BANDS_RESIDENT
