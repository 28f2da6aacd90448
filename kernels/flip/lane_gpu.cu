/* SPDX-License-Identifier: BSD-3-Clause */
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

// 1 for the word, or for each half of it, that is not zero with `less` = -value added to it, thus for one
// that differs from the value: min(word - value, 1). One instruction from capability 9.0 on.
__device__ __forceinline__ unsigned lane_differ(unsigned word, unsigned less, bool halves) {
    return halves ? __viaddmin_u16x2(word, less, 0x10001u) : __viaddmin_u32(word, less, 1u);
}

// The set bit of the word that k others precede: a binary search by counts of the lower half.
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

// The number of the lowest set bit of at, 1 to 31; the compiler computes it for constants.
__device__ __forceinline__ int lane_low_bit(int at) {
    return (at & 1) != 0 ? 0 : (at & 2) != 0 ? 1 : (at & 4) != 0 ? 2 : (at & 8) != 0 ? 3 : 4;
}

#define LANE_EACH "flip/lane_gpu_body.h"
#include "flip/lane_variants.h"
