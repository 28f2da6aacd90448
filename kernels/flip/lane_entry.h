/* SPDX-License-Identifier: BSD-3-Clause */
// A line of a table of the kernels with a walker a thread (lane_variants.h):
// LANE_ENTRY(name, bits, rows, cyclic, reversed, resident).
LANE_ENTRY(LANE_VARIANT, LANE_BITS, LANE_ROWS, LANE_CYCLIC, LANE_REVERSED, LANE_RESIDENT)
#undef LANE_VARIANT
#undef LANE_BITS
#undef LANE_ROWS
#undef LANE_CYCLIC
#undef LANE_REVERSED
#undef LANE_RESIDENT
#undef LANE_LOOP
