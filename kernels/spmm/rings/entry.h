/* SPDX-License-Identifier: BSD-3-Clause */
// A line of a table of the kernels rings_… (variants.h): SPMM_ENTRY(type, tall, wide, dense).
SPMM_ENTRY(RINGS_TYPE, RINGS_TALL, RINGS_WIDE, RINGS_DENSE)
#undef RINGS_TALL
#undef RINGS_EACH
#undef RINGS_WIDE
#undef RINGS_DENSE
#undef RINGS_RESIDENT
