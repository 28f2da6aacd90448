/* SPDX-License-Identifier: BSD-3-Clause */
/* The matrix instructions of the device kernels for SpMM: c += a b for 16 rows of a, 8 columns of b. Thread
 * `lane` has, with g = lane / 4 and t = lane % 4, rows g and g + 8 of a, column g of b, and c[0 … 3] at (g,
 * 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1). */
#ifndef SPMM_COMMON_MATRIX_H
#define SPMM_COMMON_MATRIX_H

#include "spmm/common/row.h"

#ifndef __CUDACC__

/* On the CPU each lane of a warp publishes its operands here for the other lanes. */
typedef struct spmm_shim_offer {
    unsigned a[16], b[8];
} spmm_shim_offer;
static SHIM_UNUSED __thread spmm_shim_offer spmm_shim_offers[32][32];

static SHIM_UNUSED const spmm_shim_offer *spmm_shim_exchange(const unsigned *a, int a_words,
                                                             const unsigned *b, int b_words) {
    spmm_shim_offer *offers = spmm_shim_offers[threadIdx.x / 32];
    memcpy(offers[threadIdx.x % 32].a, a, (size_t)a_words * sizeof *a);
    memcpy(offers[threadIdx.x % 32].b, b, (size_t)b_words * sizeof *b);
    __syncwarp();
    return offers;
}

/* The first of the four lanes that have the row of a for number `number` of this lane's c: row g or g + 8
 * stands in lanes 4 g to 4 g + 3. */
static SHIM_UNUSED int spmm_shim_row_lane(int number) {
    return ((int)threadIdx.x % 32 / 4 + number / 2 * 8) % 8 * 4;
}

#endif

/* A word has two numbers, k = 2t and 2t + 1: the words of a are (g, k), (g + 8, k), (g, k + 8) and (g + 8, k
 * + 8), those of b are k and k + 8. */
#ifdef __CUDACC__
#define SPMM_DEFINE_MULTIPLY_SHORT(name, type)                                                               \
    __device__ __forceinline__ void spmm_multiply_##name(float *c, const unsigned *a, const unsigned *b) {   \
        asm("mma.sync.aligned.m16n8k16.row.col.f32." type "." type ".f32 "                                   \
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                                \
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                                 \
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                             \
    }
#else
#define SPMM_DEFINE_MULTIPLY_SHORT(name, type)                                                               \
    __device__ void spmm_multiply_##name(float *c, const unsigned *a, const unsigned *b) {                   \
        const spmm_shim_offer *offers = spmm_shim_exchange(a, 4, b, 2);                                      \
        for (int number = 0; number < 4; number++)                                                           \
            for (int k = 0; k < 16; k++) {                                                                   \
                const int t = k % 8 / 2, column = (int)threadIdx.x % 4 * 2 + number % 2, half = k % 2 * 16;  \
                const unsigned left = offers[spmm_shim_row_lane(number) + t].a[k / 8 * 2 + number / 2];      \
                const unsigned right = offers[column * 4 + t].b[k / 8];                                      \
                c[number] += spmm_widen_##name((unsigned short)(left >> half)) *                             \
                             spmm_widen_##name((unsigned short)(right >> half));                             \
            }                                                                                                \
        __syncwarp();                                                                                        \
    }
#endif
SPMM_DEFINE_MULTIPLY_SHORT(half, "f16")
SPMM_DEFINE_MULTIPLY_SHORT(bfloat, "bf16")

/* Of each float only the 10 bits of the fraction that tf32 has count. The words of a are (g, t), (g + 8, t),
 * (g, t + 4) and (g + 8, t + 4), those of b are t and t + 4. */
__device__ __forceinline__ void spmm_multiply_tf32(float *c, const unsigned *a, const unsigned *b) {
#ifdef __CUDACC__
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
    const spmm_shim_offer *offers = spmm_shim_exchange(a, 4, b, 2);
    for (int number = 0; number < 4; number++)
        for (int k = 0; k < 8; k++) {
            const int t = k % 4, column = (int)threadIdx.x % 4 * 2 + number % 2;
            const unsigned left = offers[spmm_shim_row_lane(number) + t].a[k / 4 * 2 + number / 2];
            const unsigned right = offers[column * 4 + t].b[k / 4];
            c[number] += spmm_float(left & 0xffffe000u) * spmm_float(right & 0xffffe000u);
        }
    __syncwarp();
#endif
}

/* a[2m] is (g, 4m + t), a[2m + 1] is (g + 8, 4m + t), and b[m] is 4m + t. */
__device__ __forceinline__ void spmm_multiply_double(double *c, const double *a, const double *b) {
#if defined __CUDACC__ && __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
        "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]),
          "d"(b[1]), "d"(b[2]), "d"(b[3]));
#elif defined __CUDACC__
    /* Before capability 9.0 there is m8n8k4 alone: two halves of 8 rows, and k in four steps. */
    SPMM_UNROLL
    for (int m = 0; m < 4; m++) {
        SPMM_UNROLL
        for (int half = 0; half < 2; half++)
            asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                : "+d"(c[2 * half]), "+d"(c[2 * half + 1])
                : "d"(a[2 * m + half]), "d"(b[m]));
    }
#else
    unsigned left[16], right[8];
    memcpy(left, a, sizeof left);
    memcpy(right, b, sizeof right);
    const spmm_shim_offer *offers = spmm_shim_exchange(left, 16, right, 8);
    for (int number = 0; number < 4; number++)
        for (int k = 0; k < 16; k++) {
            const int t = k % 4, column = (int)threadIdx.x % 4 * 2 + number % 2;
            double x, y;
            memcpy(&x, &offers[spmm_shim_row_lane(number) + t].a[(k / 4 * 2 + number / 2) * 2], sizeof x);
            memcpy(&y, &offers[column * 4 + t].b[k / 4 * 2], sizeof y);
            c[number] = fma(x, y, c[number]);
        }
    __syncwarp();
#endif
}

/* ---- 16 columns of A, of which a thread has the rows 4t … 4t + 3 of B (`words`, V numbers each) ---- */

/* V = 2 width: sum[V][4] gains the products with `tall` fragments of 16 rows, sum of the next fragment `next`
 * numbers further on. a[tall][words of the fragment]. */
#define SPMM_DEFINE_CHUNK_SHORT(name)                                                                        \
    __device__ __forceinline__ void spmm_chunk_##name(int tall, int next, int width, const unsigned *a,      \
                                                      const unsigned *words, float *sum) {                   \
        SPMM_UNROLL                                                                                          \
        for (int j = 0; j < 2 * width; j++) {                                                                \
            unsigned b[2];                                                                                   \
            SPMM_UNROLL                                                                                      \
            for (int k = 0; k < 2; k++) {                                                                    \
                const unsigned one = words[2 * k * width + j / 2], two = words[(2 * k + 1) * width + j / 2]; \
                b[k] = j % 2 == 0 ? spmm_low_halves(one, two) : spmm_high_halves(one, two);                  \
            }                                                                                                \
            SPMM_UNROLL                                                                                      \
            for (int m = 0; m < tall; m++)                                                                   \
                spmm_multiply_##name(sum + m * next + j * 4, a + m * 4, b);                                  \
        }                                                                                                    \
    }
SPMM_DEFINE_CHUNK_SHORT(half)
SPMM_DEFINE_CHUNK_SHORT(bfloat)

/* Windows of 8 rows with the operands swapped: 16 columns of B, as rows of the left operand, times 8 rows of
 * A, of which the fragment has words 0 and 2. sum[8][2]: of unit g of 8 columns, rows 2t and 2t + 1.
 * words[4][4] as above. */
#define SPMM_DEFINE_EIGHT(name)                                                                              \
    __device__ __forceinline__ void spmm_eight_##name(const unsigned *a, const unsigned *words,              \
                                                      float *sum) {                                          \
        const unsigned right[2] = {a[0], a[2]};                                                              \
        SPMM_UNROLL                                                                                          \
        for (int j = 0; j < 4; j++) {                                                                        \
            unsigned left[4];                                                                                \
            SPMM_UNROLL                                                                                      \
            for (int k = 0; k < 2; k++) {                                                                    \
                const unsigned one = words[8 * k + j], two = words[8 * k + 4 + j];                           \
                left[2 * k] = spmm_low_halves(one, two);                                                     \
                left[2 * k + 1] = spmm_high_halves(one, two);                                                \
            }                                                                                                \
            spmm_multiply_##name(sum + j * 4, left, right);                                                  \
        }                                                                                                    \
    }
SPMM_DEFINE_EIGHT(half)
SPMM_DEFINE_EIGHT(bfloat)

/* The product of numbers that are rounded to tf32 already: two instructions of 8 columns of A each. */
__device__ __forceinline__ void spmm_chunk_tf32(int tall, int next, int width, const unsigned *a,
                                                const unsigned *words, float *sum) {
    SPMM_UNROLL
    for (int j = 0; j < width; j++) {
        unsigned b[4];
        SPMM_UNROLL
        for (int k = 0; k < 4; k++)
            b[k] = words[k * width + j];
        SPMM_UNROLL
        for (int m = 0; m < tall; m++) {
            spmm_multiply_tf32(sum + m * next + j * 4, a + m * 8, b);
            spmm_multiply_tf32(sum + m * next + j * 4, a + m * 8 + 4, b + 2);
        }
    }
}

/* x = high + low: high is x rounded to tf32, to nearest (half of its last bit, 2^12 of the word, is added
 * before the 13 bits below go); low = x - high is exact, and tf32 cuts it by at most 2^-21 x. */
__device__ __forceinline__ void spmm_split(unsigned bits, unsigned *high, unsigned *low) {
    *high = (bits + 0x1000) & 0xffffe000u;
    *low = spmm_bits(spmm_float(bits) - spmm_float(*high));
}

/* A b = a_low b_high + a_high b_low + a_high b_high; a_low b_low, below 2^-22 a b, is left out. Tensor cores
 * cut where they should round, so a chunk has sums of its own, to which the small products are added first.
 */
__device__ __forceinline__ void spmm_chunk_float(int tall, int next, int width, const unsigned *a,
                                                 const unsigned *words, float *sum) {
    SPMM_UNROLL
    for (int m = 0; m < tall; m++) {
        unsigned a_high[8], a_low[8];
        SPMM_UNROLL
        for (int k = 0; k < 8; k++)
            spmm_split(a[m * 8 + k], &a_high[k], &a_low[k]);
        SPMM_UNROLL
        for (int j = 0; j < width; j++) {
            unsigned high[4], low[4];
            float part[4] = {0, 0, 0, 0};
            SPMM_UNROLL
            for (int k = 0; k < 4; k++)
                spmm_split(words[k * width + j], &high[k], &low[k]);
            spmm_multiply_tf32(part, a_low, high);
            spmm_multiply_tf32(part, a_low + 4, high + 2);
            spmm_multiply_tf32(part, a_high, low);
            spmm_multiply_tf32(part, a_high + 4, low + 2);
            spmm_multiply_tf32(part, a_high, high);
            spmm_multiply_tf32(part, a_high + 4, high + 2);
            SPMM_UNROLL
            for (int k = 0; k < 4; k++)
                sum[m * next + j * 4 + k] += part[k];
        }
    }
}

__device__ __forceinline__ void spmm_chunk_double(int tall, int next, int width, const unsigned *a,
                                                  const unsigned *words, double *sum) {
    SPMM_UNROLL
    for (int j = 0; j < width / 2; j++) {
        double b[4];
        SPMM_UNROLL
        for (int k = 0; k < 4; k++)
            b[k] = spmm_double(words[k * width + 2 * j], words[k * width + 2 * j + 1]);
        SPMM_UNROLL
        for (int m = 0; m < tall; m++) {
            double left[8];
            SPMM_UNROLL
            for (int k = 0; k < 8; k++)
                left[k] = spmm_double(a[m * 16 + 2 * k], a[m * 16 + 2 * k + 1]);
            spmm_multiply_double(sum + m * next + j * 4, left, b);
        }
    }
}

/* ---- C ---- */

/* A thread of a warp has two vectors that lie side by side, `count` numbers each. Neighbours exchange one, so
 * that vector `even` of thread t is number 2 (t / 2) + t % 2 of the vectors of both, `odd` the one two
 * further on: each store of the two has 32 bytes together. */
#define SPMM_DEFINE_EXCHANGE(type)                                                                           \
    __device__ __forceinline__ void spmm_exchange_##type(int count, const type *first, const type *second,   \
                                                         type *even, type *odd) {                            \
        const int is_odd = threadIdx.x % 2;                                                                  \
        SPMM_UNROLL                                                                                          \
        for (int k = 0; k < count; k++) {                                                                    \
            const type kept = is_odd ? second[k] : first[k],                                                 \
                       other = __shfl_xor_sync(0xffffffffu, is_odd ? first[k] : second[k], 1);               \
            even[k] = is_odd ? other : kept;                                                                 \
            odd[k] = is_odd ? kept : other;                                                                  \
        }                                                                                                    \
    }
SPMM_DEFINE_EXCHANGE(float)
SPMM_DEFINE_EXCHANGE(double)

#endif
