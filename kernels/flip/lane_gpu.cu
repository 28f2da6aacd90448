// Searches with a walker a thread; for factors of more than 32 bits cyclic ones only.
#include "shim.h"

#include "flip/gpu.h"

#ifdef __CUDACC__
#define LANE_UNROLL _Pragma("unroll")
#define LANE_NO_UNROLL _Pragma("unroll 1")
#else
#define LANE_UNROLL
#define LANE_NO_UNROLL

static unsigned long long __brevll(unsigned long long value) {
    unsigned long long reversed = 0;
    for (int k = 0; k < 64; k++)
        reversed |= (value >> k & 1) << (63 - k);
    return reversed;
}

static unsigned __viaddmin_u32(unsigned a, unsigned b, unsigned c) {
    return a + b < c ? a + b : c;
}

static unsigned __viaddmin_u16x2(unsigned a, unsigned b, unsigned c) {
    const unsigned low = (a + b) & 0xffff, high = ((a >> 16) + (b >> 16)) & 0xffff;
    return __viaddmin_u32(low, 0, c & 0xffff) | __viaddmin_u32(high, 0, c >> 16) << 16;
}
#endif

#include "flip/common_gpu.h"

// 1 in the word, or in each half of it, that is not zero with `less` added to it. One instruction from
// capability 9.0 on.
__device__ __forceinline__ unsigned lane_differ(unsigned word, unsigned less, bool halves) {
    return halves ? __viaddmin_u16x2(word, less, 0x10001u) : __viaddmin_u32(word, less, 1u);
}

// The set bit of the word that k others precede.
__device__ __forceinline__ int lane_select_bit(unsigned word, unsigned k) {
    int at = 0;
    LANE_UNROLL
    for (int width = 16; width > 0; width /= 2) {
        const unsigned below = (unsigned)__popc(word & ((1u << width) - 1));
        if (k >= below) {
            k -= below;
            word >>= width;
            at += width;
        }
    }
    return at;
}

__device__ __forceinline__ int lane_low_bit(int at) {
    return (at & 1) != 0 ? 0 : (at & 2) != 0 ? 1 : (at & 4) != 0 ? 2 : (at & 8) != 0 ? 3 : 4;
}

#define LANE_NAME(word) word##_half_32
#define LANE_BITS 16
#define LANE_ROWS 32
#define LANE_CYCLIC 0
#define LANE_REVERSED 0
#define LANE_RESIDENT 24
#define LANE_LOOP LANE_UNROLL
#include "flip/lane_gpu_body.h"

#define LANE_NAME(word) word##_half_56
#define LANE_BITS 16
#define LANE_ROWS 56
#define LANE_CYCLIC 0
#define LANE_REVERSED 0
#define LANE_RESIDENT 16
#define LANE_LOOP LANE_UNROLL
#include "flip/lane_gpu_body.h"

#define LANE_NAME(word) word##_half_64
#define LANE_BITS 16
#define LANE_ROWS 64
#define LANE_CYCLIC 0
#define LANE_REVERSED 0
#define LANE_RESIDENT 16
#define LANE_LOOP LANE_UNROLL
#include "flip/lane_gpu_body.h"

#define LANE_NAME(word) word##_full_64
#define LANE_BITS 32
#define LANE_ROWS 64
#define LANE_CYCLIC 0
#define LANE_REVERSED 0
#define LANE_RESIDENT 9
#define LANE_LOOP LANE_UNROLL
#include "flip/lane_gpu_body.h"

#define LANE_NAME(word) word##_full_80
#define LANE_BITS 32
#define LANE_ROWS 80
#define LANE_CYCLIC 0
#define LANE_REVERSED 0
#define LANE_RESIDENT 7
#define LANE_LOOP LANE_NO_UNROLL
#include "flip/lane_gpu_body.h"

#define LANE_NAME(word) word##_full_104
#define LANE_BITS 32
#define LANE_ROWS 104
#define LANE_CYCLIC 0
#define LANE_REVERSED 0
#define LANE_RESIDENT 5
#define LANE_LOOP LANE_NO_UNROLL
#include "flip/lane_gpu_body.h"

#define LANE_NAME(word) word##_full_128
#define LANE_BITS 32
#define LANE_ROWS 128
#define LANE_CYCLIC 0
#define LANE_REVERSED 0
#define LANE_RESIDENT 4
#define LANE_LOOP LANE_NO_UNROLL
#include "flip/lane_gpu_body.h"

#define LANE_NAME(word) word##_cyclic_24
#define LANE_BITS 32
#define LANE_ROWS 24
#define LANE_CYCLIC 1
#define LANE_REVERSED 0
#define LANE_RESIDENT 16
#define LANE_LOOP LANE_UNROLL
#include "flip/lane_gpu_body.h"

#define LANE_NAME(word) word##_cyclic_56
#define LANE_BITS 32
#define LANE_ROWS 56
#define LANE_CYCLIC 1
#define LANE_REVERSED 0
#define LANE_RESIDENT 10
#define LANE_LOOP LANE_UNROLL
#include "flip/lane_gpu_body.h"

#define LANE_NAME(word) word##_cyclic_long_88
#define LANE_BITS 64
#define LANE_ROWS 88
#define LANE_CYCLIC 1
#define LANE_REVERSED 0
#define LANE_RESIDENT 3
#define LANE_LOOP LANE_NO_UNROLL
#include "flip/lane_gpu_body.h"

#define LANE_NAME(word) word##_cyclic_long_192
#define LANE_BITS 64
#define LANE_ROWS 192
#define LANE_CYCLIC 1
#define LANE_REVERSED 0
#define LANE_RESIDENT 1
#define LANE_LOOP LANE_NO_UNROLL
#include "flip/lane_gpu_body.h"

#define LANE_NAME(word) word##_reversed_32
#define LANE_BITS 64
#define LANE_ROWS 32
#define LANE_CYCLIC 1
#define LANE_REVERSED 1
#define LANE_RESIDENT 9
#define LANE_LOOP LANE_NO_UNROLL
#include "flip/lane_gpu_body.h"

#define LANE_NAME(word) word##_reversed_48
#define LANE_BITS 64
#define LANE_ROWS 48
#define LANE_CYCLIC 1
#define LANE_REVERSED 1
#define LANE_RESIDENT 6
#define LANE_LOOP LANE_NO_UNROLL
#include "flip/lane_gpu_body.h"

#define LANE_NAME(word) word##_reversed_96
#define LANE_BITS 64
#define LANE_ROWS 96
#define LANE_CYCLIC 1
#define LANE_REVERSED 1
#define LANE_RESIDENT 3
#define LANE_LOOP LANE_NO_UNROLL
#include "flip/lane_gpu_body.h"
