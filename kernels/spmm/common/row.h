/* SPDX-License-Identifier: BSD-3-Clause */
/* What the device kernels for SpMM do with rows: find their block, read entries of A, add 16 bytes of B to
 * sums and store them as 16 bytes of C. */
#ifndef SPMM_COMMON_ROW_H
#define SPMM_COMMON_ROW_H

#include "spmm/common/gpu.h"
#include "spmm/common/number.h"

/* ---- blocks ---- */

/* The tile of block number `index` of `count`, and the block's number among those for the tile. Tiles come
 * first where neighbouring blocks shall read the same rows of A, pieces of A where they shall read the same
 * columns of B. */
__device__ __forceinline__ unsigned spmm_find_block(unsigned index, unsigned count,
                                                    const spmm_gpu_operands *operands, int *tile) {
    const unsigned tiles = (unsigned)operands->tiles, each = count / tiles;
    *tile = (int)(operands->tiles_first ? index / each : index % tiles);
    return operands->tiles_first ? index % each : index / tiles;
}

/* ---- entries of A ---- */

/* spmm_read_TYPE reads column and value of an entry, spmm_factor_TYPE makes the value a number of the sums'
 * type. Doubles have an array of columns of their own. */
#define SPMM_DEFINE_ENTRY(name, widen)                                                                       \
    __device__ __forceinline__ int spmm_read_##name(const int *columns, const void *entries, long long at,   \
                                                    unsigned *value) {                                       \
        const spmm_word_pair words = spmm_load_pair((const spmm_gpu_entry *)entries + at);                   \
        (void)columns;                                                                                       \
        *value = words.word[1];                                                                              \
        return (int)words.word[0];                                                                           \
    }                                                                                                        \
    __device__ __forceinline__ float spmm_factor_##name(unsigned value) {                                    \
        return widen;                                                                                        \
    }
SPMM_DEFINE_ENTRY(half, spmm_widen_half((unsigned short)value))
SPMM_DEFINE_ENTRY(bfloat, spmm_float(value << 16))
SPMM_DEFINE_ENTRY(float, spmm_float(value))

__device__ __forceinline__ int spmm_read_double(const int *columns, const void *entries, long long at,
                                                double *value) {
    *value = __ldg((const double *)entries + at);
    return __ldg(columns + at);
}

__device__ __forceinline__ double spmm_factor_double(double value) {
    return value;
}

/* ---- entries of A in shared memory: `many` of them, 2 or 4, a constant for the compiler, from a multiple of
 * as many on. A load of several takes no longer than one ---- */

__device__ __forceinline__ void spmm_load_shared_float(const unsigned *from, int many, unsigned *value) {
    if (many == 4) {
        const spmm_words some = *(const spmm_words *)from;
        SPMM_UNROLL
        for (int k = 0; k < 4; k++)
            value[k] = some.word[k];
    } else {
        const spmm_word_pair some = *(const spmm_word_pair *)from;
        value[0] = some.word[0];
        value[1] = some.word[1];
    }
}

__device__ __forceinline__ void spmm_load_shared_double(const double *from, int many, double *value) {
    SPMM_UNROLL
    for (int k = 0; k < many; k += 2) {
        const double2 some = *(const double2 *)(from + k);
        value[k] = some.x;
        value[k + 1] = some.y;
    }
}

/* ---- 16 bytes of B into sums ---- */

__device__ __forceinline__ void spmm_add_half(float *sum, float a, spmm_words b) {
    SPMM_UNROLL
    for (int k = 0; k < 4; k++) {
        sum[2 * k] = fmaf(a, spmm_widen_half((unsigned short)b.word[k]), sum[2 * k]);
        sum[2 * k + 1] = fmaf(a, spmm_widen_half((unsigned short)(b.word[k] >> 16)), sum[2 * k + 1]);
    }
}

__device__ __forceinline__ void spmm_add_bfloat(float *sum, float a, spmm_words b) {
    SPMM_UNROLL
    for (int k = 0; k < 4; k++) {
        sum[2 * k] = fmaf(a, spmm_float(b.word[k] << 16), sum[2 * k]);
        sum[2 * k + 1] = fmaf(a, spmm_float(b.word[k] & 0xffff0000u), sum[2 * k + 1]);
    }
}

__device__ __forceinline__ void spmm_add_float(float *sum, float a, spmm_words b) {
    SPMM_UNROLL
    for (int k = 0; k < 4; k++)
        sum[k] = fmaf(a, spmm_float(b.word[k]), sum[k]);
}

__device__ __forceinline__ void spmm_add_double(double *sum, double a, spmm_words b) {
    SPMM_UNROLL
    for (int k = 0; k < 2; k++)
        sum[k] = __fma_rn(a, spmm_double(b.word[2 * k], b.word[2 * k + 1]), sum[k]);
}

/* ---- C for 16 bytes of B, the vector-th of a row: alpha sum + beta C. Where beta is 0, C is not read.
 * `wide`: half and bfloat make floats, 32 bytes ---- */

__device__ __forceinline__ void spmm_store_float(char *row, int vector, const float *sum, double alpha,
                                                 double beta, int wide) {
    spmm_words *c = (spmm_words *)row + vector, words = {{0, 0, 0, 0}};
    (void)wide;
    if (beta != 0)
        words = *c;
    SPMM_UNROLL
    for (int k = 0; k < 4; k++) {
        float number = (float)alpha * sum[k];
        if (beta != 0)
            number = fmaf((float)beta, spmm_float(words.word[k]), number);
        words.word[k] = spmm_bits(number);
    }
    *c = words;
}

#define SPMM_DEFINE_STORE_SHORT(name)                                                                        \
    __device__ __forceinline__ void spmm_store_##name(char *row, int vector, const float *sum, double alpha, \
                                                      double beta, int wide) {                               \
        spmm_words *c = (spmm_words *)row + vector, words = {{0, 0, 0, 0}};                                  \
        if (wide) {                                                                                          \
            spmm_store_float(row, 2 * vector, sum, alpha, beta, 0);                                          \
            spmm_store_float(row, 2 * vector + 1, sum + 4, alpha, beta, 0);                                  \
            return;                                                                                          \
        }                                                                                                    \
        if (beta != 0)                                                                                       \
            words = *c;                                                                                      \
        SPMM_UNROLL                                                                                          \
        for (int k = 0; k < 4; k++) {                                                                        \
            float low = (float)alpha * sum[2 * k], high = (float)alpha * sum[2 * k + 1];                     \
            if (beta != 0) {                                                                                 \
                low = fmaf((float)beta, spmm_widen_##name((unsigned short)words.word[k]), low);              \
                high = fmaf((float)beta, spmm_widen_##name((unsigned short)(words.word[k] >> 16)), high);    \
            }                                                                                                \
            words.word[k] = spmm_narrow_##name(low) | (unsigned)spmm_narrow_##name(high) << 16;              \
        }                                                                                                    \
        *c = words;                                                                                          \
    }
SPMM_DEFINE_STORE_SHORT(half)
SPMM_DEFINE_STORE_SHORT(bfloat)

__device__ __forceinline__ void spmm_store_double(char *row, int vector, const double *sum, double alpha,
                                                  double beta, int wide) {
    double2 *c = (double2 *)row + vector, numbers = make_double2(alpha * sum[0], alpha * sum[1]);
    (void)wide;
    if (beta != 0) {
        const double2 old = *c;
        numbers.x = __fma_rn(beta, old.x, numbers.x);
        numbers.y = __fma_rn(beta, old.y, numbers.y);
    }
    *c = numbers;
}

/* ---- a number of C ---- */

#define SPMM_DEFINE_STORE_ONE(name, type)                                                                    \
    __device__ __forceinline__ void spmm_store_one_##name(char *row, int column, float sum, double alpha,    \
                                                          double beta, int wide) {                           \
        float number = (float)alpha * sum;                                                                   \
        if (wide) {                                                                                          \
            float *c = (float *)row + column;                                                                \
            *c = beta != 0 ? fmaf((float)beta, *c, number) : number;                                         \
            return;                                                                                          \
        }                                                                                                    \
        type *c = (type *)row + column;                                                                      \
        if (beta != 0)                                                                                       \
            number = fmaf((float)beta, spmm_widen_##name(*c), number);                                       \
        *c = spmm_narrow_##name(number);                                                                     \
    }
#define spmm_narrow_float(number) (number)
SPMM_DEFINE_STORE_ONE(half, unsigned short)
SPMM_DEFINE_STORE_ONE(bfloat, unsigned short)
SPMM_DEFINE_STORE_ONE(float, float)

__device__ __forceinline__ void spmm_store_one_double(char *row, int column, double sum, double alpha,
                                                      double beta, int wide) {
    double *c = (double *)row + column;
    (void)wide;
    *c = beta != 0 ? __fma_rn(beta, *c, alpha * sum) : alpha * sum;
}

#endif
