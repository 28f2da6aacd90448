/* SPDX-License-Identifier: BSD-3-Clause */
/* Split reductions (common/gpu.h): how the parts of a row or window that is cut are added, by the worker that
 * arrives last, for merge_… by the kernels reduction_…, and for bstationary_… by blocks that meet. */
#ifndef SPMM_REDUCTION_REDUCTION_H
#define SPMM_REDUCTION_REDUCTION_H

#include "spmm/common/row.h"

/* ---- sums ---- */

/* Adds 1 to a counter and returns the value before. This releases what the thread wrote, and what others
 * wrote before a barrier that it passed: a thread that reads the new value sees it. A fence of all threads
 * would empty the multiprocessor's cache each time. */
__device__ __forceinline__ unsigned spmm_arrive(unsigned *counter) {
#ifdef __CUDACC__
    unsigned before;
    asm volatile("atom.add.release.gpu.global.u32 %0, [%1], 1;" : "=r"(before) : "l"(counter) : "memory");
    return before;
#else
    return atomicAdd(counter, 1u);
#endif
}

/* Reads a sum of another block from the second-level cache: this multiprocessor's own may have an old one. */
__device__ __forceinline__ float spmm_load_float_sum(const float *from) {
#ifdef __CUDACC__
    return __ldcg(from);
#else
    return *from;
#endif
}

__device__ __forceinline__ double spmm_load_double_sum(const double *from) {
#ifdef __CUDACC__
    return __ldcg(from);
#else
    return *from;
#endif
}

__device__ __forceinline__ spmm_words spmm_load_sums(const void *from) {
    spmm_words words;
#ifdef __CUDACC__
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words.word[0]), "=r"(words.word[1]), "=r"(words.word[2]), "=r"(words.word[3])
                 : "l"(from));
#else
    memcpy(&words, from, sizeof words);
#endif
    return words;
}

/* ---- kernels that follow each other ---- */

/* Programmatic dependent launch: the kernel that follows may begin now. After its
 * spmm_wait_dependency it sees what this one writes. */
__device__ __forceinline__ void spmm_launch_dependents(void) {
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

__device__ __forceinline__ void spmm_wait_dependency(void) {
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* ---- split reductions ---- */

/* Each of `count` warps calls this once: true in the threads of the last one, which then sees what the others
 * wrote before. The counter is 0 again. One thread has the fence, and the others pass a barrier with it. */
__device__ __forceinline__ int spmm_reduction_warps(unsigned *counter, int count) {
    unsigned before = 0;
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        before = spmm_arrive(counter);
        if ((int)before == count - 1) {
            *counter = 0;
            __threadfence();
        }
    }
    before = __shfl_sync(0xffffffffu, before, 0);
    __syncwarp();
    return (int)before == count - 1;
}

/* As spmm_reduction_warps, for blocks; `shared` is a word in shared memory that nobody needs. */
__device__ __forceinline__ int spmm_reduction_blocks(unsigned *counter, int count, unsigned *shared) {
    __syncthreads();
    if (threadIdx.x == 0) {
        *shared = spmm_arrive(counter);
        if ((int)*shared == count - 1) {
            *counter = 0;
            __threadfence();
        }
    }
    __syncthreads();
    return (int)*shared == count - 1;
}

/* Each of `count` blocks, all of which are resident, calls this once; it returns when all have, and each sees
 * what the others wrote before. Returns how many blocks share what comes then. Both counters are 0 before and
 * in the end; `shared` is a word in shared memory that nobody needs. On the CPU, where one block runs after
 * the other, the last one does it all, and none of the others. */
__device__ __forceinline__ int spmm_meet_blocks(unsigned *counters, int count, unsigned *shared) {
#ifdef __CUDACC__
    (void)shared;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned arrived;
        spmm_arrive(counters);
        do
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(arrived) : "l"(counters) : "memory");
        while ((int)arrived < count);
        // Who leaves last has nobody left who reads the counters.
        if ((int)atomicAdd(counters + 1, 1u) == count - 1)
            counters[0] = counters[1] = 0;
    }
    __syncthreads();
    return count;
#else
    return spmm_reduction_blocks(counters, count, shared);
#endif
}

/* ---- the parts of rows: sums of 16 bytes of B ---- */

/* spmm_store_partial_TYPE leaves the sums of a part for reduction_TYPE, in words of 16 bytes: the compiler
 * would make single bytes of a memcpy. */
__device__ __forceinline__ spmm_words spmm_partial_float(const float *sum) {
    spmm_words words;
    SPMM_UNROLL
    for (int k = 0; k < 4; k++)
        words.word[k] = spmm_bits(sum[k]);
    return words;
}

__device__ __forceinline__ double2 spmm_partial_double(const double *sum) {
    return make_double2(sum[0], sum[1]);
}

#define SPMM_DEFINE_STORE_PARTIAL(name, type, vector_type, many)                                             \
    __device__ __forceinline__ void spmm_store_partial_##name(const spmm_gpu_operands *operands, int part,   \
                                                              int vector, const type *sum) {                 \
        enum { WORDS = (many) * (int)sizeof(type) / 16 };                                                    \
        vector_type *to =                                                                                    \
            (vector_type *)operands->partial + ((long long)part * operands->vectors + vector) * WORDS;       \
        SPMM_UNROLL                                                                                          \
        for (int k = 0; k < WORDS; k++)                                                                      \
            to[k] = spmm_partial_##type(sum + k * ((many) / WORDS));                                         \
    }
SPMM_DEFINE_STORE_PARTIAL(half, float, spmm_words, 8)
SPMM_DEFINE_STORE_PARTIAL(bfloat, float, spmm_words, 8)
SPMM_DEFINE_STORE_PARTIAL(float, float, spmm_words, 4)
SPMM_DEFINE_STORE_PARTIAL(double, double, double2, 2)

__device__ __forceinline__ void spmm_reduction_add_float(const spmm_words *words, float *sum) {
    SPMM_UNROLL
    for (int word = 0; word < 4; word++)
        sum[word] += spmm_float(words->word[word]);
}

__device__ __forceinline__ void spmm_reduction_add_double(const spmm_words *words, double *sum) {
    sum[0] += spmm_double(words->word[0], words->word[1]);
    sum[1] += spmm_double(words->word[2], words->word[3]);
}

/* spmm_reduction_TYPE sums a vector over the parts own, own + group, … of a row. EACH parts are read at a
 * time, as several reads under way take no longer than one. */
#define SPMM_DEFINE_REDUCTION(name, type, many)                                                              \
    __device__ __forceinline__ void spmm_reduction_##name(                                                   \
        const spmm_gpu_operands *operands, spmm_gpu_part part, int vector, int own, int group, type *sum) {  \
        enum { WORDS = (many) * (int)sizeof(type) / 16, EACH = 4 };                                          \
        const long long next = (long long)operands->vectors * WORDS;                                         \
        const spmm_words *partial =                                                                          \
            (const spmm_words *)operands->partial + part.first * next + vector * WORDS;                      \
        SPMM_UNROLL                                                                                          \
        for (int k = 0; k < (many); k++)                                                                     \
            sum[k] = 0;                                                                                      \
        SPMM_NO_UNROLL                                                                                       \
        for (int p = own; p < part.count; p += EACH * group) {                                               \
            spmm_words some[EACH * WORDS];                                                                   \
            SPMM_UNROLL                                                                                      \
            for (int k = 0; k < EACH * WORDS; k++) {                                                         \
                const int at = p + k / WORDS * group;                                                        \
                some[k] = spmm_load_sums(partial + (at < part.count ? at : p) * next + k % WORDS);           \
            }                                                                                                \
            SPMM_UNROLL                                                                                      \
            for (int k = 0; k < EACH * WORDS; k++)                                                           \
                if (p + k / WORDS * group < part.count)                                                      \
                    spmm_reduction_add_##type(&some[k], sum + k % WORDS * ((many) / WORDS));                 \
        }                                                                                                    \
    }
SPMM_DEFINE_REDUCTION(half, float, 8)
SPMM_DEFINE_REDUCTION(bfloat, float, 8)
SPMM_DEFINE_REDUCTION(float, float, 4)
SPMM_DEFINE_REDUCTION(double, double, 2)

#endif
