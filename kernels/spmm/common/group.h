/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix instructions for four warps (compute capability 9.0a): 64 rows of A and 16 columns of it from shared
 * memory, times 16 rows of B from shared memory. Both lie in rows of 128 bytes (B of 32 columns: 64) whose
 * vectors of 16 bytes change places with the row, so that eight rows of a vector are in different banks. */
#ifndef SPMM_COMMON_GROUP_H
#define SPMM_COMMON_GROUP_H

#include "spmm/common/matrix.h"

#if defined __CUDACC__ && defined __CUDA_ARCH_FEAT_SM90_ALL
#define SPMM_GROUP_ASM(...) asm volatile(__VA_ARGS__)
#elif defined __CUDA_ARCH__ /* compiled for others: rather no result than a wrong one */
#define SPMM_GROUP_ASM(...) __trap()
#else
#define SPMM_GROUP_ASM(...)
#endif

/* The dynamic shared memory, at a multiple of 1024 bytes. */
#ifdef __CUDACC__
#define SPMM_GROUP_SHARED(name) extern __shared__ __align__(1024) char name[]
#else
#define SPMM_GROUP_SHARED(name) char *name = (char *)shim.shared
#endif

/* The descriptor of a matrix in shared memory (PTX ISA, "Matrix descriptor format"): bits 0 to 13 have the
 * address, 16 to 29 the leading and 32 to 45 the stride dimension byte offset, all in units of 16 bytes; bits
 * 62 and 63 say by how many bytes rows are swizzled, 1 by 128, 2 by 64. */
__device__ __forceinline__ unsigned long long spmm_describe(unsigned address, unsigned leading,
                                                            unsigned stride, int row_bytes) {
    return (unsigned long long)((address & 0x3ffff) >> 4) | (unsigned long long)(leading >> 4) << 16 |
           (unsigned long long)(stride >> 4) << 32 | (row_bytes == 128 ? 1ull : 2ull) << 62;
}

/* Bytes from the beginning of shared memory as the instructions count them. */
__device__ __forceinline__ unsigned spmm_shared_address(const void *pointer) {
#ifdef __CUDACC__
    return (unsigned)__cvta_generic_to_shared(pointer);
#else
    return (unsigned)((const char *)pointer - (const char *)shim.shared);
#endif
}

/* Makes what this thread wrote to shared memory visible to the matrix instructions that follow. */
__device__ __forceinline__ void spmm_group_publish(void) {
    SPMM_GROUP_ASM("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ __forceinline__ void spmm_group_begin(void) {
    SPMM_GROUP_ASM("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void spmm_group_commit(void) {
    SPMM_GROUP_ASM("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* Waits until all products but those of the last commit are done. */
__device__ __forceinline__ void spmm_group_wait_one(void) {
    SPMM_GROUP_ASM("wgmma.wait_group.sync.aligned 1;" ::: "memory");
}

__device__ __forceinline__ void spmm_group_wait(void) {
    SPMM_GROUP_ASM("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

/* Keeps the compiler from reading a sum before this point: it does not know that products are asynchronous.
 */
__device__ __forceinline__ void spmm_group_hold(float *sum) {
#ifdef __CUDACC__
    asm volatile("" : "+f"(*sum)::"memory");
#else
    (void)sum;
#endif
}

/* ---- products: sum[columns / 2] of thread `lane` of warp w of the four has at 4j + i row 16w + lane / 4 + i
 * / 2 * 8, column 8j + lane % 4 * 2 + i % 2 ---- */

#ifdef __CUDACC__

#define SPMM_NAMES_16 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define SPMM_NAMES_32                                                                                        \
    SPMM_NAMES_16 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define SPMM_NAMES_64                                                                                        \
    SPMM_NAMES_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"         \
                  ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define SPMM_NAMES_128                                                                                       \
    SPMM_NAMES_64 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79"         \
                  ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"         \
                  ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110"   \
                  ", %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124"     \
                  ", %125, %126, %127"
#define SPMM_SUMS_4(c) "+f"((c)[0]), "+f"((c)[1]), "+f"((c)[2]), "+f"((c)[3])
#define SPMM_SUMS_16(c) SPMM_SUMS_4(c), SPMM_SUMS_4((c) + 4), SPMM_SUMS_4((c) + 8), SPMM_SUMS_4((c) + 12)
#define SPMM_SUMS_32(c) SPMM_SUMS_16(c), SPMM_SUMS_16((c) + 16)
#define SPMM_SUMS_64(c) SPMM_SUMS_32(c), SPMM_SUMS_32((c) + 32)
#define SPMM_SUMS_128(c) SPMM_SUMS_64(c), SPMM_SUMS_64((c) + 64)

/* `a` and `b` name the operands of the descriptors, which follow the sums. */
#define SPMM_DEFINE_GROUP(name, type, columns, sums, a, b)                                                   \
    __device__ __forceinline__ void spmm_group_##name##_##columns(float *sum, unsigned long long left,       \
                                                                  unsigned long long right) {                \
        SPMM_GROUP_ASM("wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32." type "." type                 \
                       " {" SPMM_NAMES_##sums "}, " a ", " b ", 1, 1, 1, 0, 1;"                              \
                       : SPMM_SUMS_##sums(sum)                                                               \
                       : "l"(left), "l"(right));                                                             \
    }

/* tf32 takes B by columns only. Where `keep` is 0 the sums start at 0. */
#define SPMM_DEFINE_GROUP_TF32(columns, sums, a, b, c)                                                       \
    __device__ __forceinline__ void spmm_group_tf32_##columns(float *sum, unsigned long long left,           \
                                                              unsigned long long right, int keep) {          \
        SPMM_GROUP_ASM("{ .reg .pred p; setp.ne.b32 p, " c ", 0; "                                           \
                       "wgmma.mma_async.sync.aligned.m64n" #columns "k8.f32.tf32.tf32 {" SPMM_NAMES_##sums   \
                       "}, " a ", " b ", p, 1, 1; }"                                                         \
                       : SPMM_SUMS_##sums(sum)                                                               \
                       : "l"(left), "l"(right), "r"(keep));                                                  \
    }

#else

/* Address of byte `at` of a row of a described matrix; its block of columns begins `far` bytes behind the
 * first one. The swizzle changes bits 4 to 6 of the address by exclusive or with bits 7 to 9, for rows of 64
 * bytes bits 4 and 5 with bits 7 and 8. */
static SHIM_UNUSED const void *spmm_shim_find(unsigned long long description, int row, int at, unsigned far,
                                              int row_bytes) {
    const unsigned start = (unsigned)(description & 0x3fff) << 4;
    const unsigned place = start + (unsigned)(row / 8) * ((unsigned)(description >> 32 & 0x3fff) << 4) +
                           (unsigned)(row % 8 * row_bytes) + (unsigned)at + far;
    return (const char *)shim.shared + (place ^ (place >> 7 & (row_bytes == 128 ? 7 : 3)) << 4);
}

static SHIM_UNUSED unsigned short spmm_shim_number(unsigned long long description, int row, int at,
                                                   unsigned far, int row_bytes) {
    unsigned short bits;
    memcpy(&bits, spmm_shim_find(description, row, at, far, row_bytes), sizeof bits);
    return bits;
}

static SHIM_UNUSED float spmm_shim_tf32(unsigned long long description, int row, int k) {
    unsigned bits;
    memcpy(&bits, spmm_shim_find(description, row, 4 * k, 0, 128), sizeof bits);
    return spmm_float(bits & 0xffffe000u); /* the hardware ignores the 13 bits that tf32 lacks */
}

#define SPMM_DEFINE_GROUP_TF32(columns, sums, a, b, c)                                                       \
    __device__ void spmm_group_tf32_##columns(float *sum, unsigned long long left, unsigned long long right, \
                                              int keep) {                                                    \
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;                                      \
        for (int at = 0; at < (sums); at++) {                                                                \
            const int row = 16 * warp + lane / 4 + at % 4 / 2 * 8;                                           \
            const int column = at / 4 * 8 + lane % 4 * 2 + at % 2;                                           \
            float total = keep ? sum[at] : 0;                                                                \
            for (int k = 0; k < 8; k++)                                                                      \
                total += spmm_shim_tf32(left, row, k) * spmm_shim_tf32(right, column, k);                    \
            sum[at] = total;                                                                                 \
        }                                                                                                    \
    }

#define SPMM_DEFINE_GROUP(name, type, columns, sums, a, b)                                                   \
    __device__ void spmm_group_##name##_##columns(float *sum, unsigned long long left,                       \
                                                  unsigned long long right) {                                \
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;                                      \
        const int bytes = right >> 62 == 1 ? 128 : 64;                                                       \
        for (int at = 0; at < (sums); at++)                                                                  \
            for (int k = 0; k < 16; k++) {                                                                   \
                const int row = 16 * warp + lane / 4 + at % 4 / 2 * 8, column = at / 4 * 8 + lane % 4 * 2;   \
                const int place = (column + at % 2) * 2;                                                     \
                const unsigned far = (unsigned)(place / bytes) * ((unsigned)(right >> 16 & 0x3fff) << 4);    \
                sum[at] += spmm_widen_##name(spmm_shim_number(left, row, 2 * k, 0, 128)) *                   \
                           spmm_widen_##name(spmm_shim_number(right, k, place % bytes, far, bytes));         \
            }                                                                                                \
    }

#endif

#define SPMM_DEFINE_GROUPS(name, type)                                                                       \
    SPMM_DEFINE_GROUP(name, type, 32, 16, "%16", "%17")                                                      \
    SPMM_DEFINE_GROUP(name, type, 64, 32, "%32", "%33")                                                      \
    SPMM_DEFINE_GROUP(name, type, 128, 64, "%64", "%65")                                                     \
    SPMM_DEFINE_GROUP(name, type, 256, 128, "%128", "%129")
SPMM_DEFINE_GROUPS(half, "f16")
SPMM_DEFINE_GROUPS(bfloat, "bf16")
SPMM_DEFINE_GROUP_TF32(32, 16, "%16", "%17", "%18")
SPMM_DEFINE_GROUP_TF32(64, 32, "%32", "%33", "%34")
SPMM_DEFINE_GROUP_TF32(128, 64, "%64", "%65", "%66")

/* Writes a number as tf32 operands: one word, or both halves of a split fp32 number. */
__device__ __forceinline__ void spmm_put_tf32(unsigned bits, char *to, char *other) {
    (void)other;
    *(unsigned *)to = bits;
}

__device__ __forceinline__ void spmm_put_float(unsigned bits, char *to, char *other) {
    unsigned high, low;
    spmm_split(bits, &high, &low);
    *(unsigned *)to = high;
    *(unsigned *)other = low;
}

#endif
