/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between the drivers in lib/perm and the kernels for dense permanents. Kernels include nothing
 * else of this project.
 *
 * The sum. With signs d in {-1, 1}^n, d[n-1] = 1, and x_i(d) = sum_j d[j] a_ij,
 *
 *     2^(n-1) perm(A) = (-1)^(n-1) sum_d s(d) prod_i x_i(d),   s(d) = product over j < n-1 of -d[j],
 *
 * which is the formula of Nijenhuis and Wilf (Combinatorial Algorithms, 1978, chapter 23) without its halves.
 * The driver hands over matrices whose row sums x_i(d) are exact in double precision, so that it does not
 * matter how a kernel gets from one to the next: only products and the outer sum round.
 *
 * The order, the same for every kernel, so that all give the same bits. Columns 0 to 3 are the inner ones, 4
 * to 6 make the lanes, 7 to n-2 the blocks, n-1 is fixed. Block b has the signs of the Gray code b ^ (b >> 1)
 * (bit k set: d[7+k] = 1) and holds 8 lanes (bit k set: d[4+k] = 1) of 16 products (bit k set: d[k] = 1). A
 * product is taken over the rows from 0 to n-1. A lane adds the 16 with their signs pairwise (neighbours
 * first), and the blocks, one after the other, by TwoSum. The complex product of (re, im) and (x, y) is
 *
 *     (fma(-im, y, re x), fma(im, x, re y));
 *
 * a kernel without fma rounds twice there and differs in last bits. */
#ifndef PERM_COMMON_PROBLEM_H
#define PERM_COMMON_PROBLEM_H

#include "processor.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    PERM_DENSE_INNER = 4, /* columns inside a lane: 16 products */
    PERM_DENSE_LANES = 8,
    PERM_DENSE_FIRST = 7,            /* first column of the blocks */
    PERM_DENSE_SMALLEST = 8,         /* n of a kernel */
    PERM_DENSE_LARGEST = 63,         /* n of a kernel */
    PERM_DENSE_LOG2_SUBSETS = 7,     /* of a block */
    PERM_DENSE_LONGEST_RUN = 1 << 16 /* blocks in one call */
};

/* A matrix of doubles. Real: part 0 only. Complex: the real parts are part 0, the imaginary ones part 1.
 * |x_i| <= 1 for every choice of signs. */
typedef struct perm_dense_problem {
    int64_t n; /* PERM_DENSE_SMALLEST to PERM_DENSE_LARGEST */
    bool is_complex;
    bool has_low;        /* see doubledouble/kernel.h; here false */
    const double *start; /* [part][row]: x with all signs -1 but the last */
    const double *inner; /* [row][part][k]: 2 a_ik of the inner columns k */
    const double *up;    /* [column][part][row]: 2 a, what x gains when the sign turns to 1 */
    const double *down;  /* [column][part][row]: -2 a */
} perm_dense_problem;

static inline int perm_dense_parts(const perm_dense_problem *problem) {
    return (problem->is_complex ? 2 : 1) * (problem->has_low ? 2 : 1);
}

/* What a run of blocks adds up to, by lanes. The sum of a lane is high + low, of the products times the
 * signs s that come from inner columns and blocks with s = 1 where all of them are -1; the lane's own sign is
 * not in it. `magnitude` is the sum of |product| (complex: |re| + |im|). */
typedef struct perm_dense_sums {
    double high[2][PERM_DENSE_LANES], low[2][PERM_DENSE_LANES]; /* [part][lane] */
    double magnitude[PERM_DENSE_LANES];
} perm_dense_sums;

typedef struct perm_dense_kernel {
    const char *name, *device;
    /* Expected seconds for the whole sum on one core; 0 if the kernel does not run here. `features`: of
     * the processor (processor.h). */
    double (*fits)(const perm_dense_problem *problem, unsigned features);
    /* Adds up blocks first … first+count-1, 1 <= count <= PERM_DENSE_LONGEST_RUN. Any thread; up to 32 kB of
     * stack. */
    void (*run)(const perm_dense_problem *problem, int64_t first, int64_t count, perm_dense_sums *sums);
} perm_dense_kernel;

/* The kernels: a new one is its file and a row here. */
#define PERM_DENSE_KERNELS(KERNEL)                                                                           \
    KERNEL(perm_dense_ref)                                                                                   \
    KERNEL(perm_dense_portable)                                                                              \
    KERNEL(perm_dense_avx2)                                                                                  \
    KERNEL(perm_dense_avx512)                                                                                \
    KERNEL(perm_dense_neon)
#define DECLARE(kernel) extern const perm_dense_kernel kernel;
PERM_DENSE_KERNELS(DECLARE)
#undef DECLARE

/* (row, subset) pairs of the sum: what the time of a kernel is measured in. */
static inline double perm_dense_units(const perm_dense_problem *problem) {
    return (double)problem->n * (double)(INT64_C(1) << (problem->n - 1));
}

#endif
