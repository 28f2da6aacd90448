/* SPDX-License-Identifier: BSD-3-Clause */
// All kernels with a walker a thread, faster ones first, each by LANE_EACH: lane_gpu_body.h, or lane_entry.h
// for a line of a table. What a variant is made of stands in lane_gpu_body.h.
#define LANE_VARIANT half_32
#define LANE_BITS 16
#define LANE_ROWS 32
#define LANE_CYCLIC 0
#define LANE_REVERSED 0
#define LANE_RESIDENT 24
#define LANE_LOOP LANE_UNROLL
#include LANE_EACH

#define LANE_VARIANT half_56
#define LANE_BITS 16
#define LANE_ROWS 56
#define LANE_CYCLIC 0
#define LANE_REVERSED 0
#define LANE_RESIDENT 16
#define LANE_LOOP LANE_UNROLL
#include LANE_EACH

#define LANE_VARIANT half_64
#define LANE_BITS 16
#define LANE_ROWS 64
#define LANE_CYCLIC 0
#define LANE_REVERSED 0
#define LANE_RESIDENT 16
#define LANE_LOOP LANE_UNROLL
#include LANE_EACH

#define LANE_VARIANT full_64
#define LANE_BITS 32
#define LANE_ROWS 64
#define LANE_CYCLIC 0
#define LANE_REVERSED 0
#define LANE_RESIDENT 9
#define LANE_LOOP LANE_UNROLL
#include LANE_EACH

#define LANE_VARIANT full_80
#define LANE_BITS 32
#define LANE_ROWS 80
#define LANE_CYCLIC 0
#define LANE_REVERSED 0
#define LANE_RESIDENT 7
#define LANE_LOOP LANE_NO_UNROLL
#include LANE_EACH

#define LANE_VARIANT full_104
#define LANE_BITS 32
#define LANE_ROWS 104
#define LANE_CYCLIC 0
#define LANE_REVERSED 0
#define LANE_RESIDENT 5
#define LANE_LOOP LANE_NO_UNROLL
#include LANE_EACH

#define LANE_VARIANT full_128
#define LANE_BITS 32
#define LANE_ROWS 128
#define LANE_CYCLIC 0
#define LANE_REVERSED 0
#define LANE_RESIDENT 4
#define LANE_LOOP LANE_NO_UNROLL
#include LANE_EACH

#define LANE_VARIANT cyclic_24
#define LANE_BITS 32
#define LANE_ROWS 24
#define LANE_CYCLIC 1
#define LANE_REVERSED 0
#define LANE_RESIDENT 16
#define LANE_LOOP LANE_UNROLL
#include LANE_EACH

#define LANE_VARIANT cyclic_56
#define LANE_BITS 32
#define LANE_ROWS 56
#define LANE_CYCLIC 1
#define LANE_REVERSED 0
#define LANE_RESIDENT 10
#define LANE_LOOP LANE_UNROLL
#include LANE_EACH

#define LANE_VARIANT cyclic_marked_88
#define LANE_BITS 40
#define LANE_ROWS 88
#define LANE_CYCLIC 1
#define LANE_REVERSED 0
#define LANE_RESIDENT 3
#define LANE_LOOP LANE_UNROLL
#include LANE_EACH

#define LANE_VARIANT cyclic_long_88
#define LANE_BITS 64
#define LANE_ROWS 88
#define LANE_CYCLIC 1
#define LANE_REVERSED 0
#define LANE_RESIDENT 3
#define LANE_LOOP LANE_NO_UNROLL
#include LANE_EACH

#define LANE_VARIANT cyclic_long_192
#define LANE_BITS 64
#define LANE_ROWS 192
#define LANE_CYCLIC 1
#define LANE_REVERSED 0
#define LANE_RESIDENT 1
#define LANE_LOOP LANE_NO_UNROLL
#include LANE_EACH

#define LANE_VARIANT reversed_marked_32
#define LANE_BITS 40
#define LANE_ROWS 32
#define LANE_CYCLIC 1
#define LANE_REVERSED 1
#define LANE_RESIDENT 10
#define LANE_LOOP LANE_UNROLL
#include LANE_EACH

#define LANE_VARIANT reversed_marked_40
#define LANE_BITS 40
#define LANE_ROWS 40
#define LANE_CYCLIC 1
#define LANE_REVERSED 1
#define LANE_RESIDENT 8
#define LANE_LOOP LANE_UNROLL
#include LANE_EACH

#define LANE_VARIANT reversed_marked_48
#define LANE_BITS 40
#define LANE_ROWS 48
#define LANE_CYCLIC 1
#define LANE_REVERSED 1
#define LANE_RESIDENT 7
#define LANE_LOOP LANE_UNROLL
#include LANE_EACH

#define LANE_VARIANT reversed_32
#define LANE_BITS 64
#define LANE_ROWS 32
#define LANE_CYCLIC 1
#define LANE_REVERSED 1
#define LANE_RESIDENT 9
#define LANE_LOOP LANE_NO_UNROLL
#include LANE_EACH

#define LANE_VARIANT reversed_48
#define LANE_BITS 64
#define LANE_ROWS 48
#define LANE_CYCLIC 1
#define LANE_REVERSED 1
#define LANE_RESIDENT 6
#define LANE_LOOP LANE_NO_UNROLL
#include LANE_EACH

#define LANE_VARIANT reversed_96
#define LANE_BITS 64
#define LANE_ROWS 96
#define LANE_CYCLIC 1
#define LANE_REVERSED 1
#define LANE_RESIDENT 3
#define LANE_LOOP LANE_NO_UNROLL
#include LANE_EACH

#undef LANE_EACH
