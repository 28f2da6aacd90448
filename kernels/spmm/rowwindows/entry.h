/* SPDX-License-Identifier: BSD-3-Clause */
// A line of a table of the kernels rowwindows_… (variants.h): SPMM_ENTRY(type, tall, width, groups, dense).
SPMM_ENTRY(ROWWINDOWS_TYPE, ROWWINDOWS_TALL, ROWWINDOWS_WIDTH, ROWWINDOWS_GROUPS, ROWWINDOWS_DENSE)
#undef ROWWINDOWS_DENSE
