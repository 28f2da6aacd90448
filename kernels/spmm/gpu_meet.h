/* The meeting of the parts of what is cut (gpu.h): sums of other blocks, and rows for the kernels rows_… and
 * runs_…. */
#ifndef SPMM_GPU_MEET_H
#define SPMM_GPU_MEET_H

/* ---- sums ---- */

/* Adds 1 to a counter, and tells what it was. What this thread wrote, and others before a barrier that it
 * passed, is there for who sees the new number. A fence for all threads would empty the multiprocessor's
 * cache each time. */
__device__ __forceinline__ unsigned spmm_arrive(unsigned *counter) {
#ifdef __CUDACC__
    unsigned before;
    asm volatile("atom.add.release.gpu.global.u32 %0, [%1], 1;" : "=r"(before) : "l"(counter) : "memory");
    return before;
#else
    return atomicAdd(counter, 1u);
#endif
}

/* Sums of other blocks, which the caches of this multiprocessor may not know. */
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

/* ---- rows ---- */

/* True in the threads of `mask` of the last of `count` that come to a counter, which becomes 0 again. What
 * threads of `mask` wrote before is there for the last. */
__device__ __forceinline__ int spmm_meet_arrive(unsigned *counter, int count, unsigned mask, int leader) {
    unsigned before = 0;
    __syncwarp(mask);
    if ((int)(threadIdx.x % 32) == leader) {
        before = spmm_arrive(counter);
        if ((int)before == count - 1)
            *counter = 0;
    }
    before = __shfl_sync(mask, before, leader);
    if ((int)before != count - 1)
        return 0;
    __threadfence();
    return 1;
}

__device__ __forceinline__ void spmm_meet_add_float(const spmm_words *words, float *sum) {
    SPMM_UNROLL
    for (int word = 0; word < 4; word++)
        sum[word] += spmm_float(words->word[word]);
}

__device__ __forceinline__ void spmm_meet_add_double(const spmm_words *words, double *sum) {
    sum[0] += spmm_double(words->word[0], words->word[1]);
    sum[1] += spmm_double(words->word[2], words->word[3]);
}

/* spmm_meet_TYPE_COUNT leaves the sums of part `number` in operands->partial; true in the threads of the part
 * that came last, with the sums of all parts. `leader` is the first lane of `mask`; threads that do not store
 * have no vector of their own. A few parts are read at a time, for each read takes as long as all of them. */
#define SPMM_DEFINE_MEET(type, many)                                                                         \
    __device__ __forceinline__ void spmm_meet_read_##type##_##many(const spmm_words *from, long long next,   \
                                                                   int parts, type *sum) {                   \
        enum { WORDS = (many) * (int)sizeof(type) / 16, EACH = 4 };                                          \
        SPMM_UNROLL                                                                                          \
        for (int k = 0; k < (many); k++)                                                                     \
            sum[k] = 0;                                                                                      \
        SPMM_NO_UNROLL                                                                                       \
        for (int p = 0; p < parts; p += EACH) {                                                              \
            spmm_words some[EACH * WORDS];                                                                   \
            SPMM_UNROLL                                                                                      \
            for (int k = 0; k < EACH * WORDS; k++)                                                           \
                some[k] =                                                                                    \
                    spmm_load_sums(from + (p + k / WORDS < parts ? p + k / WORDS : p) * next + k % WORDS);   \
            SPMM_UNROLL                                                                                      \
            for (int k = 0; k < EACH * WORDS; k++)                                                           \
                if (p + k / WORDS < parts)                                                                   \
                    spmm_meet_add_##type(&some[k], sum + k % WORDS * ((many) / WORDS));                      \
        }                                                                                                    \
    }                                                                                                        \
    __device__ __forceinline__ int spmm_meet_##type##_##many(                                                \
        const spmm_gpu_operands *operands, spmm_gpu_part part, int number, int tile, int vector,             \
        unsigned mask, int leader, int stores, type *sum) {                                                  \
        enum { WORDS = (many) * (int)sizeof(type) / 16 };                                                    \
        const long long next = (long long)operands->vectors * WORDS;                                         \
        spmm_words *partial = (spmm_words *)operands->partial + vector * WORDS;                              \
        if (stores)                                                                                          \
            memcpy(partial + number * next, sum, WORDS * sizeof *partial);                                   \
        if (!spmm_meet_arrive(operands->arrived + (long long)part.first * operands->tiles + tile,            \
                              part.count, mask, leader))                                                     \
            return 0;                                                                                        \
        if (stores)                                                                                          \
            spmm_meet_read_##type##_##many(partial + part.first * next, next, part.count, sum);              \
        return 1;                                                                                            \
    }
SPMM_DEFINE_MEET(float, 8)
SPMM_DEFINE_MEET(float, 4)
SPMM_DEFINE_MEET(double, 2)

#endif
