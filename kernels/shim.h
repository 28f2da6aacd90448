/* SPDX-License-Identifier: BSD-3-Clause */
/* CUDA device code as plain C or C++: the test suite includes a kernel's source after this header and runs it
 * on the CPU. Under nvcc and NVRTC only SHIM_KERNEL and SHIM_DYNAMIC_SHARED are left of it.
 *
 * The source keeps to these rules: kernels begin with SHIM_KERNEL, dynamic shared memory is declared with
 * SHIM_DYNAMIC_SHARED(type, name), and __device__ stands without static. Generated sources, which NVRTC
 * compiles without include files, define SHIM_KERNEL themselves where __CUDACC__ is defined. What a test
 * needs beyond that is a function `void thread(void *arguments)` that calls the kernel, for shim_launch.
 *
 * Every thread of a block is a coroutine (ucontext) that runs until it meets a barrier, so __syncthreads,
 * shuffles and votes work as on the device (half a microsecond a thread each); atomics need no atomicity.
 * Blocks run one after another. What is undefined on a device stops the program with a message: a barrier
 * that not all threads reach, a shuffle from a lane outside its mask. Reads of shared memory that race show
 * nothing here: threads run in one order.
 */
#ifndef SHIM_H
#define SHIM_H

#ifdef __CUDACC__

#define SHIM_KERNEL extern "C" __global__
#define SHIM_DYNAMIC_SHARED(type, name) extern __shared__ type name[]

#else

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define SHIM_KERNEL
#define SHIM_DYNAMIC_SHARED(type, name) type *name = (type *)shim.shared
#define SHIM_UNUSED __attribute__((unused))

#define __global__
#define __host__
#define __device__ static SHIM_UNUSED
#define __constant__ static SHIM_UNUSED
#define __shared__ static __thread
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))

#include "shim_threads.h"

/* ---- shuffles and votes ---- */

enum { SHIM_SHUFFLE_INDEX, SHIM_SHUFFLE_UP, SHIM_SHUFFLE_DOWN, SHIM_SHUFFLE_XOR };

/* Lanes read between the two barriers, so that no lane changes its offer before all have read. */
static SHIM_UNUSED void shim_shuffle(int kind, unsigned mask, void *value, size_t size, unsigned operand,
                                     unsigned width) {
    unsigned lane = shim.thread->number & 31, start = lane & ~(width - 1), source;
    memcpy(shim.thread->value, value, size);
    shim_sync_warp(mask);
    switch (kind) {
    case SHIM_SHUFFLE_INDEX: source = start + (operand & (width - 1)); break;
    case SHIM_SHUFFLE_UP: source = lane - start >= operand ? lane - operand : lane; break;
    case SHIM_SHUFFLE_DOWN: source = lane - start + operand < width ? lane + operand : lane; break;
    default: source = (lane ^ operand) < start + width ? lane ^ operand : lane; break;
    }
    if (source > 31 || (mask >> source & 1) == 0 || shim_lane(source) == NULL)
        shim_stop("shuffles from a lane that takes no part");
    memcpy(value, shim_lane(source)->value, size);
    shim_sync_warp(mask);
}

#define SHIM_SHUFFLE(kind, mask, shared_value, operand, width, ...)                                          \
    __extension__({                                                                                          \
        __typeof__((shared_value) + 0) shim_value = (shared_value);                                          \
        shim_shuffle(kind, mask, &shim_value, sizeof shim_value, (unsigned)(operand), (unsigned)(width));    \
        shim_value;                                                                                          \
    })
#define __shfl_sync(mask, value, ...) SHIM_SHUFFLE(SHIM_SHUFFLE_INDEX, mask, value, __VA_ARGS__, 32, 0)
#define __shfl_up_sync(mask, value, ...) SHIM_SHUFFLE(SHIM_SHUFFLE_UP, mask, value, __VA_ARGS__, 32, 0)
#define __shfl_down_sync(mask, value, ...) SHIM_SHUFFLE(SHIM_SHUFFLE_DOWN, mask, value, __VA_ARGS__, 32, 0)
#define __shfl_xor_sync(mask, value, ...) SHIM_SHUFFLE(SHIM_SHUFFLE_XOR, mask, value, __VA_ARGS__, 32, 0)

/* The lanes of the mask that offer the same bytes. */
static SHIM_UNUSED unsigned shim_match(unsigned mask, const void *value, size_t size) {
    unsigned same = 0;
    memcpy(shim.thread->value, value, size);
    shim_sync_warp(mask);
    for (unsigned lane = 0; lane < 32; lane++)
        if ((mask >> lane & 1) != 0 && shim_lane(lane) != NULL &&
            memcmp(shim_lane(lane)->value, value, size) == 0)
            same |= 1u << lane;
    shim_sync_warp(mask);
    return same;
}

static SHIM_UNUSED unsigned shim_ballot(unsigned mask, int vote) {
    unsigned char voted = vote != 0;
    unsigned same = shim_match(mask, &voted, 1);
    unsigned taking_part = shim.count - (shim.thread->number & ~31u);
    unsigned lanes = taking_part < 32 ? mask & ((1u << taking_part) - 1) : mask;
    return voted ? same : lanes & ~same;
}

#define __match_any_sync(mask, offered)                                                                      \
    __extension__({                                                                                          \
        __typeof__((offered) + 0) shim_value = (offered);                                                    \
        shim_match(mask, &shim_value, sizeof shim_value);                                                    \
    })
#define __ballot_sync(mask, vote) shim_ballot(mask, (vote) != 0)
#define __any_sync(mask, vote) (shim_ballot(mask, (vote) != 0) != 0)
#define __all_sync(mask, vote) (shim_ballot(mask, (vote) == 0) == 0)

/* ---- atomics ---- */

#define SHIM_ATOMIC(pointer, change)                                                                         \
    __extension__({                                                                                          \
        __typeof__(&*(pointer)) shim_pointer = (pointer);                                                    \
        __typeof__(*(pointer) + 0) old = *shim_pointer;                                                      \
        *shim_pointer = (change);                                                                            \
        old;                                                                                                 \
    })
#define atomicAdd(pointer, value) SHIM_ATOMIC(pointer, old + (value))
#define atomicSub(pointer, value) SHIM_ATOMIC(pointer, old - (value))
#define atomicExch(pointer, value) SHIM_ATOMIC(pointer, value)
#define atomicMin(pointer, value) SHIM_ATOMIC(pointer, old < (value) ? old : (value))
#define atomicMax(pointer, value) SHIM_ATOMIC(pointer, old > (value) ? old : (value))
#define atomicAnd(pointer, value) SHIM_ATOMIC(pointer, old &(value))
#define atomicOr(pointer, value) SHIM_ATOMIC(pointer, old | (value))
#define atomicXor(pointer, value) SHIM_ATOMIC(pointer, old ^ (value))
#define atomicCAS(pointer, compare, value) SHIM_ATOMIC(pointer, old == (compare) ? (value) : old)

/* ---- arithmetic ---- */

#define __ldg(pointer) (*(pointer))
#define __popc(x) __builtin_popcount(x)
#define __popcll(x) __builtin_popcountll((unsigned long long)(x))
#define __ffs(x) __builtin_ffs((int)(x))
#define __ffsll(x) __builtin_ffsll((long long)(x))
#define __fma_rn(a, b, c) fma(a, b, c)
#define __fmaf_rn(a, b, c) fmaf(a, b, c)
#define __dadd_rn(a, b) ((double)(a) + (double)(b))
#define __dsub_rn(a, b) ((double)(a) - (double)(b))
#define __dmul_rn(a, b) ((double)(a) * (double)(b))
#define __ddiv_rn(a, b) ((double)(a) / (double)(b))

static SHIM_UNUSED int __clz(int x) {
    return x == 0 ? 32 : __builtin_clz((unsigned)x);
}

static SHIM_UNUSED int __clzll(long long x) {
    return x == 0 ? 64 : __builtin_clzll((unsigned long long)x);
}

static SHIM_UNUSED unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}

static SHIM_UNUSED unsigned __umulhi(unsigned a, unsigned b) {
    return (unsigned)((unsigned long long)a * b >> 32);
}

static SHIM_UNUSED long long __double_as_longlong(double x) {
    long long bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static SHIM_UNUSED double __longlong_as_double(long long bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static SHIM_UNUSED int __double2hiint(double x) {
    return (int)((unsigned long long)__double_as_longlong(x) >> 32);
}

/* Byte k of the result is the one of y and x, y being higher, that digit k of `selector` names. */
static SHIM_UNUSED unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    const unsigned long long both = (unsigned long long)y << 32 | x;
    unsigned bytes = 0;
    for (int k = 0; k < 4; k++)
        bytes |= (unsigned)(both >> 8 * (selector >> 4 * k & 7) & 255) << 8 * k;
    return bytes;
}

static SHIM_UNUSED double __hiloint2double(int high, int low) {
    return __longlong_as_double((long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low));
}

static SHIM_UNUSED unsigned __float_as_uint(float x) {
    unsigned bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static SHIM_UNUSED float __uint_as_float(unsigned bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#define SHIM_VECTOR(name, type)                                                                              \
    typedef struct name {                                                                                    \
        type x, y;                                                                                           \
    } name;                                                                                                  \
    static SHIM_UNUSED name make_##name(type x, type y) {                                                    \
        name pair;                                                                                           \
        pair.x = x;                                                                                          \
        pair.y = y;                                                                                          \
        return pair;                                                                                         \
    }
SHIM_VECTOR(double2, double)
SHIM_VECTOR(float2, float)
SHIM_VECTOR(int2, int)
SHIM_VECTOR(uint2, unsigned)
SHIM_VECTOR(ulonglong2, unsigned long long)

#endif
#endif
