/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of the device kernels for SpMM: 16 bytes at a time, conversions, the matrix instructions, each with
 * what stands for it on the CPU (shim.h). */
#ifndef SPMM_COMMON_NUMBER_H
#define SPMM_COMMON_NUMBER_H

#ifdef __CUDACC__
#define SPMM_UNROLL _Pragma("unroll")
#define SPMM_NO_UNROLL _Pragma("unroll 1")
#else
#define SPMM_UNROLL
#define SPMM_NO_UNROLL
#endif

typedef struct __align__(16) spmm_words {
    unsigned word[4];
}
spmm_words;

typedef struct __align__(8) spmm_word_pair {
    unsigned word[2];
}
spmm_word_pair;

/* ---- memory ---- */

/* Reads 16 bytes through the read-only cache: no thread may write them while the kernel runs. */
__device__ __forceinline__ spmm_words spmm_load(const void *from) {
    spmm_words words;
#ifdef __CUDACC__
    asm("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(words.word[0]), "=r"(words.word[1]), "=r"(words.word[2]), "=r"(words.word[3])
        : "l"(from));
#else
    memcpy(&words, from, sizeof words);
#endif
    return words;
}

__device__ __forceinline__ spmm_word_pair spmm_load_pair(const void *from) {
    spmm_word_pair words;
#ifdef __CUDACC__
    asm("ld.global.nc.v2.u32 {%0, %1}, [%2];" : "=r"(words.word[0]), "=r"(words.word[1]) : "l"(from));
#else
    memcpy(&words, from, sizeof words);
#endif
    return words;
}

/* ---- asynchronous copies of 16 bytes to shared memory ---- */

/* Copies zeros where `there` is 0. */
__device__ __forceinline__ void spmm_copy(void *to, const void *from, int there) {
#ifdef __CUDACC__
    asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
        "l"(from), "r"(there ? 16 : 0));
#else
    memset(to, 0, 16);
    if (there)
        memcpy(to, from, 16);
#endif
}

__device__ __forceinline__ void spmm_copy_commit(void) {
#ifdef __CUDACC__
    asm volatile("cp.async.commit_group;");
#endif
}

/* Waits for all commits but the last one. */
__device__ __forceinline__ void spmm_copy_wait(void) {
#ifdef __CUDACC__
    asm volatile("cp.async.wait_group 1;");
#endif
}

/* Waits for the first of the last two, or three, commits and all before it. */
__device__ __forceinline__ void spmm_copy_wait_2(void) {
    spmm_copy_wait();
}

__device__ __forceinline__ void spmm_copy_wait_3(void) {
#ifdef __CUDACC__
    asm volatile("cp.async.wait_group 2;");
#endif
}

/* ---- bits ---- */

__device__ __forceinline__ float spmm_float(unsigned bits) {
#ifdef __CUDACC__
    return __uint_as_float(bits);
#else
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
#endif
}

__device__ __forceinline__ unsigned spmm_bits(float number) {
#ifdef __CUDACC__
    return __float_as_uint(number);
#else
    unsigned bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
#endif
}

__device__ __forceinline__ double spmm_double(unsigned low, unsigned high) {
    return __longlong_as_double((long long)((unsigned long long)high << 32 | low));
}

/* The lower (upper) halves of two words in one. */
__device__ __forceinline__ unsigned spmm_low_halves(unsigned a, unsigned b) {
#ifdef __CUDACC__
    return __byte_perm(a, b, 0x5410);
#else
    return (a & 0xffff) | b << 16;
#endif
}

__device__ __forceinline__ unsigned spmm_high_halves(unsigned a, unsigned b) {
#ifdef __CUDACC__
    return __byte_perm(a, b, 0x7632);
#else
    return a >> 16 | (b & 0xffff0000u);
#endif
}

/* ---- fp16 and bf16 ---- */

__device__ __forceinline__ float spmm_widen_half(unsigned short bits) {
#ifdef __CUDACC__
    float number;
    asm("cvt.f32.f16 %0, %1;" : "=f"(number) : "h"(bits));
    return number;
#else
    const unsigned sign = (unsigned)(bits & 0x8000) << 16, exponent = bits >> 10 & 31, rest = bits & 1023;
    if (exponent == 31)
        return spmm_float(sign | 0x7f800000 | rest << 13);
    if (exponent == 0)
        return (sign ? -1.0f : 1.0f) * (float)rest * 0x1p-24f;
    return spmm_float(sign | (exponent + 112) << 23 | rest << 13);
#endif
}

/* Rounds to nearest, ties to even. */
__device__ __forceinline__ unsigned short spmm_narrow_half(float number) {
#ifdef __CUDACC__
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(number));
    return bits;
#else
    const unsigned bits = spmm_bits(number), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    if (size > 0x7f800000)
        return (unsigned short)(sign | 0x7e00);
    if (size >=
        0x477ff000) /* 65520 lies half-way between 65504, the largest, and 2^16: it becomes infinite */
        return (unsigned short)(sign | 0x7c00);
    if (size <
        0x38800000) /* Below 2^-14: the last bit of a sum with 1/2 is worth 2^-24, as that of subnormals. */
        return (unsigned short)(sign | (spmm_bits(spmm_float(size) + 0.5f) & 0x7ff));
    /* The exponent loses 127 - 15 = 112; adding half of the last bit, less 1 where that bit is 0, rounds ties
     * to even, and a carry out of the fraction raises the exponent as it should. */
    return (unsigned short)(sign | ((size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13));
#endif
}

__device__ __forceinline__ float spmm_widen_bfloat(unsigned short bits) {
    return spmm_float((unsigned)bits << 16);
}

__device__ __forceinline__ unsigned short spmm_narrow_bfloat(float number) {
    const unsigned bits = spmm_bits(number);
    if ((bits & 0x7fffffff) >
        0x7f800000) /* A NaN stays one, even if all its set bits are in the lower half. */
        return (unsigned short)(bits >> 16 | 0x40);
    return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

__device__ __forceinline__ float spmm_widen_float(float number) {
    return number;
}

__device__ __forceinline__ double spmm_widen_double(double number) {
    return number;
}

#endif
