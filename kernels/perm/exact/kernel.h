/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/perm/exact/exact.c and the kernels for exact permanents: the sum of
 * common/problem.h over integers, modulo primes. Kernels include nothing else of this project.
 *
 * The rows stand in groups. The product of a group's row sums is at most PERM_EXACT_FACTOR in size for every
 * choice of signs, so that doubles multiply it without an error; these factors are the same for all primes.
 * What is left is to multiply the few factors of a subset modulo each prime. Rows in no group do not count.
 *
 * All kernels give the same residues, as these do not depend on the way they are computed. */
#ifndef PERM_EXACT_KERNEL_H
#define PERM_EXACT_KERNEL_H

#include "perm/common/problem.h"

enum {
    PERM_EXACT_LOG2_FACTOR = 49,
    PERM_EXACT_MOST_PRIMES = 256, /* of one problem */
    PERM_EXACT_RUN = 8            /* runs start at and are multiples of so many blocks, if there are more */
};
#define PERM_EXACT_FACTOR 0x1p49

typedef struct perm_exact_problem {
    perm_dense_problem sum;                /* real; entries are integers, |x_i| <= PERM_EXACT_FACTOR */
    int64_t group_count;                   /* at least 1 */
    int64_t group_end[PERM_DENSE_LARGEST]; /* group g: rows group_end[g-1] … group_end[g]-1, from row 0 */
    /* Odd primes, either all between PERM_EXACT_FACTOR and PERM_EXACT_FACTOR (1 + 2^-10), or, with
     * `reduce`, all below it. At least 2^42. */
    int64_t prime_count;
    const int64_t *prime;
    bool reduce;
    bool is_small; /* |x_i| <= 127 */
    double zeros;  /* the share of the subsets that is expected to have a row sum 0 */
} perm_exact_problem;

typedef struct perm_exact_kernel {
    const char *name, *device;
    /* Expected seconds for the whole sum on one core; 0 if the kernel does not run here. */
    double (*fits)(const perm_exact_problem *problem, unsigned features);
    /* Adds the sum over blocks first … first+count-1 of s(d) prod x_i(d) to residue[0 … prime_count-1], each
     * between 0 and its prime. Any thread; up to 300 kB of stack. */
    void (*run)(const perm_exact_problem *problem, int64_t first, int64_t count, int64_t *residue);
} perm_exact_kernel;

/* The kernels: a new one is its file and a row here. */
#define PERM_EXACT_KERNELS(KERNEL)                                                                           \
    KERNEL(perm_exact_ref)                                                                                   \
    KERNEL(perm_exact_portable)                                                                              \
    KERNEL(perm_exact_avx2)                                                                                  \
    KERNEL(perm_exact_avx512)                                                                                \
    KERNEL(perm_sieve_avx2)                                                                                  \
    KERNEL(perm_sieve_avx512)
#define DECLARE(kernel) extern const perm_exact_kernel kernel;
PERM_EXACT_KERNELS(DECLARE)
#undef DECLARE

#endif
