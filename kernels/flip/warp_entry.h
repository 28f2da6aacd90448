/* SPDX-License-Identifier: BSD-3-Clause */
// A line of a table of the kernels with a walker a warp (warp_variants.h): WARP_ENTRY(name, factor, slots,
// resident).
WARP_ENTRY(WARP_VARIANT, WARP_FACTOR, WARP_SLOTS, WARP_RESIDENT)
#undef WARP_VARIANT
#undef WARP_FACTOR
#undef WARP_SLOTS
#undef WARP_UNROLL
#undef WARP_RESIDENT
