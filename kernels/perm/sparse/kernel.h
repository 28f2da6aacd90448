/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between the drivers in lib/perm and the kernels for sparse permanents. Kernels include nothing
 * else of this project.
 *
 * The sum. With signs d in {-1, 1}^n, d[n-1] = 1, and x_i(d) = sum_j d[j] a_ij,
 *
 *     2^(n-1) perm(A) = (-1)^(n-1) sum_d s(d) prod_i x_i(d),   s(d) = product over j < n-1 of -d[j]
 *
 * (Nijenhuis and Wilf, Combinatorial Algorithms, 1978, chapter 23). Columns 0 … low-1 are summed inside a
 * block, low … low+middle-1 change from a block to the next in Gray code order, those above, but for the last
 * one, tell the runs apart: run r has d[low+middle+b] = 1 where bit b of r is set. All x_i(d) are exact in
 * double precision, so that it does not matter how a kernel gets from one to the next.
 *
 * A block is a program: a few instructions that work on tables. The table of a row has an entry for every
 * choice of signs of the low columns that the row has entries in (bit 0 of the entry's number: the lowest of
 * them; a set bit: +1). Tables are multiplied into tables over the union of their columns. As soon as all
 * tables that depend on a column are one, that column is summed out (elimination of variables, Bertelè and
 * Brioschi, Nonserial Dynamic Programming, 1972). The highest low columns may be sliced instead: the program
 * then repeats itself for their signs, which are in the constants of the rows. What comes of that has, beside
 * its `value`, its `size`: the same sums and products of absolute values, for the bound of the error.
 *
 * All kernels and generated programs perform the same operations in the same order, with fma where it says
 * so here, and give the same bits; a kernel without fma rounds twice there and differs in last bits. */
#ifndef PERM_SPARSE_KERNEL_H
#define PERM_SPARSE_KERNEL_H

#include "processor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PERM_SPARSE_LOG2_LANES = 3,
    PERM_SPARSE_LANES = 8,
    PERM_SPARSE_SMALLEST = 8,
    PERM_SPARSE_LARGEST = 63
};

#define PERM_SPARSE_SIZE_SUM 0x1.6a09e667f3bd1p-1
#define PERM_SPARSE_SIZE_GAP 0x1.2bec33301886bp-2

typedef enum perm_sparse_action {
    PERM_SPARSE_ROW,      /* value[e] = x + constant[e] */
    PERM_SPARSE_MULTIPLY, /* value[e] = l r;           size[e] = |l| |r|, unless result.size < 0 */
    PERM_SPARSE_SUM,      /* value[e] = fma(-l1, r1, l0 r0); size[e] = fma(|l1|, |r1|, |l0| |r0|), or
                             |l0 r0| + |l1 r1| where values are complex and have no sizes */
    PERM_SPARSE_SUM_ONE   /* value[e] = l0 - l1;       size[e] = |l0| + |l1| */
} perm_sparse_action;

/* Where a table lies in the workspace: places of its first value and first size. A real value takes one
 * place, a complex one two (re, im), a size one. size < 0: the sizes are the absolute values of the values.
 */
typedef struct perm_sparse_table {
    int32_t value, size;
} perm_sparse_table;

typedef struct perm_sparse_instruction {
    perm_sparse_action action;
    int32_t count; /* entries of the result */
    perm_sparse_table result, left, right;
    int32_t row;   /* ROW: left.value is the place of its x */
    int32_t start; /* first constant (ROW; in values) or first index: entries of left and right, l r for
                      MULTIPLY, l0 r0 l1 r1 for SUM, l0 l1 for SUM_ONE, per entry of the result */
} perm_sparse_instruction;

/* Values are real, or pairs re, im. Products of complex (re, im) and (x, y) are
 * (fma(-im, y, re x), fma(im, x, re y)), and those in a sum are added after that. */
typedef struct perm_sparse_problem {
    int64_t n, low, middle;
    bool is_complex;
    const double *start;         /* [row]: x with all signs -1 but the last */
    const int64_t *column_start; /* n + 1: the entries of the columns */
    const int32_t *row;
    const double *twice; /* 2 a */
    int64_t instruction_count;
    const perm_sparse_instruction *instructions;
    const uint16_t *index;
    const double *constant;
    perm_sparse_table root; /* one entry: the block's sum, without the signs of the columns above */
    int64_t places;         /* of the workspace; the first are x_0, x_1, … */
    double operations;      /* additions, multiplications and fma of a block, real */
    /* 0: doubles. Otherwise entries are integers, |x_i| <= 2^40 for each choice of signs, and sums are those
     * modulo this prime between 2^49 and 2^49 (1 + 2^-10). */
    int64_t prime;
} perm_sparse_problem;

/* What the runs first … first+7 add up to. The sum of a run is high + low, by TwoSum over its blocks, which
 * carry the sign of their Gray code; the run's own sign is not in it. `magnitude` is the sum of sizes. Modulo
 * a prime: high[0] is an integer whose size is at most the prime's, the rest is 0. */
typedef struct perm_sparse_sums {
    double high[2][PERM_SPARSE_LANES], low[2][PERM_SPARSE_LANES]; /* [part][lane] */
    double magnitude[PERM_SPARSE_LANES];
} perm_sparse_sums;

typedef struct perm_sparse_kernel {
    const char *name, *device;
    bool is_gray; /* uses no tables: wants few low columns */
    /* Expected seconds for a block of 8 lanes on one core; 0 if the kernel does not run here. `features` as
     * in common/problem.h. */
    double (*fits)(const perm_sparse_problem *problem, unsigned features);
    /* Runs first … first+7; `first` is a multiple of 8. `work`: 8 doubles for each place, aligned to 64
     * bytes, undefined before and after. Any thread. */
    void (*run)(const perm_sparse_problem *problem, int64_t first, double *work, perm_sparse_sums *sums);
} perm_sparse_kernel;

/* The kernels: a new one is its file and a row here. */
#define PERM_SPARSE_KERNELS(KERNEL)                                                                          \
    KERNEL(perm_sparse_ref)                                                                                  \
    KERNEL(perm_sparse_portable)                                                                             \
    KERNEL(perm_sparse_avx2)                                                                                 \
    KERNEL(perm_sparse_avx512)                                                                               \
    KERNEL(perm_sparse_gray_portable)                                                                        \
    KERNEL(perm_sparse_gray_avx2)                                                                            \
    KERNEL(perm_sparse_gray_avx512)

/* Those modulo a prime. */
#define PERM_SPARSE_EXACT_KERNELS(KERNEL)                                                                    \
    KERNEL(perm_sparse_exact_ref)                                                                            \
    KERNEL(perm_sparse_exact_portable)                                                                       \
    KERNEL(perm_sparse_exact_avx2)                                                                           \
    KERNEL(perm_sparse_exact_avx512)

#define DECLARE(kernel) extern const perm_sparse_kernel kernel;
PERM_SPARSE_KERNELS(DECLARE)
PERM_SPARSE_EXACT_KERNELS(DECLARE)
#undef DECLARE

#endif
