/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/perm/minors/minors.c and the kernels for the permanents of all (n-1) x (n-1)
 * submatrices. Kernels include nothing else of this project.
 *
 * The sum of common/problem.h is a polynomial in the entries, and so is its derivative by entry (i, j), the
 * permanent of the matrix without row i and column j:
 *
 *     2^(n-1) perm(A(i|j)) = (-1)^(n-1) sum_d s(d) d[j] q_i(d),   q_i(d) = product over k != i of x_k(d).
 *
 * All q_i of a d come from the products of the first and of the last x. Columns 0 and 1 are the inner ones, 2
 * to 4 make the lanes, 5 to n-2 the blocks, n-1 is fixed. Block b has the signs of the Gray code b ^ (b >> 1)
 * (bit k set: d[5+k] = 1); a run is 2^middle of them, added up plainly, and runs are added by TwoSum. */
#ifndef PERM_MINORS_KERNEL_H
#define PERM_MINORS_KERNEL_H

#include "perm/common/problem.h"

enum {
    PERM_MINORS_INNER = 2,
    PERM_MINORS_LANES = 8,
    PERM_MINORS_FIRST = 5, /* first column of the blocks */
    PERM_MINORS_MOST_MIDDLE = 4
};

typedef struct perm_minors_problem {
    perm_dense_problem sum; /* real, n at least PERM_DENSE_SMALLEST; columns 0 and 1 of `inner` are used */
    int64_t middle;         /* up to PERM_MINORS_MOST_MIDDLE, and n - 1 - PERM_MINORS_FIRST */
    /* 0: doubles, all x exact, |x| <= 1. Otherwise entries are integers, |x| <= 2^49, and the sums are those
     * modulo this prime, between 2^42 and 2^50/n. */
    int64_t prime;
} perm_minors_problem;

/* Column j, row i and lane l, at (j n + i) 8 + l, have the sum of q_i d[j] times the signs s of inner columns
 * and blocks (s = 1 where all of these are -1; the lane's own sign is not in it), as high + low. Columns of
 * lanes stay undefined. `magnitude`, at i 8 + l, is the sum of |q|. Modulo a prime: `high` has integers whose
 * size is at most the prime's, the rest is undefined. */
typedef struct perm_minors_sums {
    double *high, *low, *magnitude; /* 8 n^2, 8 n^2, 8 n, aligned to 64 bytes */
} perm_minors_sums;

/* Roundings of a sum, relative to the sum of |q|: n-2 of a product, those of four products, of the blocks of
 * a run, and of at most 9 changes by twice the run's total. */
static inline double perm_minors_roundings(int64_t n) {
    return (double)n - 2 + 3 + (1 << PERM_MINORS_MOST_MIDDLE) + 2 * 9;
}

typedef struct perm_minors_kernel {
    const char *name, *device;
    /* Expected seconds for the whole sum on one core; 0 if the kernel does not run here. `features` as in
     * common/problem.h. */
    double (*fits)(const perm_minors_problem *problem, unsigned features);
    /* Adds up runs first … first+count-1. Any thread; up to 100 kB of stack. */
    void (*run)(const perm_minors_problem *problem, int64_t first, int64_t count, perm_minors_sums *sums);
} perm_minors_kernel;

/* The kernels: a new one is its file and a row here. */
#define PERM_MINORS_KERNELS(KERNEL)                                                                          \
    KERNEL(perm_minors_ref)                                                                                  \
    KERNEL(perm_minors_portable)                                                                             \
    KERNEL(perm_minors_avx2)                                                                                 \
    KERNEL(perm_minors_avx512)
#define DECLARE(kernel) extern const perm_minors_kernel kernel;
PERM_MINORS_KERNELS(DECLARE)
#undef DECLARE

#endif
