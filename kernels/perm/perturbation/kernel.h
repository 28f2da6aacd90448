/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/perm/dense/certify.c and the kernels for what a change of the entries moves a sum
 * of common/problem.h by: an upper bound of
 *
 *     sum over d of sqrt(prod_i (|x_i(d)|^2 + s_i)),   s_i > 0,
 *
 * over the subsets d of a run, in single precision. lib/perm/dense/certify.h says what it is for.
 *
 * Columns 0 to 3 are the inner ones, 4 to 7 make the 16 lanes, 8 to n-2 the blocks, n-1 is fixed. Block b
 * has the signs of the Gray code b ^ (b >> 1) (bit k set: d[8+k] = 1), and so do the lanes (bit k set:
 * d[4+k] = 1). Where n is 8, column 7 is the fixed one, does not change x, and every subset counts twice.
 *
 * The 16 subsets of a lane are the eight pairs x + p_k, x - p_k, x being the sum of the outer columns and
 * p_k = a_3 ± a_2 ± a_1 ± a_0. With c_k = |p_k|^2 + s,
 *
 *     |x ± p_k|^2 + s = (|x|^2 + c_k) ± 2 Re(x conj(p_k)):
 *
 * one addition and four multiplications and additions for two of them, complex five operations, and two more
 * multiply them into the products. All x, p_k are exact. With Z >= |Re x| + |Im x| + |Re p_k| + |Im p_k|
 * and u = 2^-24, the computed value is at least (1 - u) (|x ± p_k|^2 + c_k - |p_k|^2 - 5 u (Z^2 + c_k)): of
 * |x|^2 two roundings, 2 u |x|^2; of the sum with c_k one, u (|x|^2 + c_k) (1 + 2 u); of 2 Re(x conj(p_k))
 * two, 2 u Z^2 / 2; of the last sum the factor.
 *
 * The square root of a product q is taken from above: of the bits of q as an integer, half, and half of
 * those of 1 added. With q = 2^e (1 + m), 0 <= m < 1, that is 2^(e/2) (1 + m/2) for even e and
 * 2^((e-1)/2) (3/2 + m/2) for odd e, both at least the root, and at most 1.061 times it; the same holds for
 * subnormal q and 0, of which it makes 2^-64 and more. */
#ifndef PERM_PERTURBATION_KERNEL_H
#define PERM_PERTURBATION_KERNEL_H

#include "processor.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    PERM_PERTURBATION_PAIRS = 8,
    PERM_PERTURBATION_LANES = 16,
    PERM_PERTURBATION_FIRST_LANE = 4, /* column */
    PERM_PERTURBATION_FIRST = 8,      /* first column of the blocks */
    PERM_PERTURBATION_LOG2_SUBSETS = 8,
    PERM_PERTURBATION_LARGEST = 63 /* n */
};

/* Real: part 0 only. Rows may be scaled by powers of two, so that no product of the values |x|^2 + s of the
 * rows before `split`, nor of the others, leaves 2^-122 to 2^122, and no product of the square roots of
 * both. `split` is 1 to n. */
typedef struct perm_perturbation_problem {
    int64_t n, split;
    bool is_complex;
    const float *start; /* [part][row]: x with all signs -1 but the last, without the inner columns */
    const float *up;    /* [column][part][row]: 2 a, 0 for column n-1; the inner columns are not read */
    const float *down;  /* the same, -2 a */
    const float *pairs; /* [row][1 + part][k]: c_k, 2 Re p_k, 2 Im p_k */
    const float *scale; /* [row]: what all of a row is multiplied by */
} perm_perturbation_problem;

static inline int64_t perm_perturbation_parts(const perm_perturbation_problem *problem) {
    return problem->is_complex ? 2 : 1;
}

typedef struct perm_perturbation_kernel {
    const char *name;
    /* Expected seconds of one core for a (row, subset) pair; 0 if the kernel does not run here. `features`:
     * of the processor (processor.h). */
    double (*fits)(bool is_complex, unsigned features);
    /* What blocks first … first+count-1, up to 2^40 of them, add up to, times at least (1 - u)^(2 n + 8). Any
     * thread; up to 32 kB of stack. All kernels that have fma give the same bits. */
    double (*run)(const perm_perturbation_problem *problem, int64_t first, int64_t count);
} perm_perturbation_kernel;

/* The kernels: a new one is its file and a row here. */
#define PERM_PERTURBATION_KERNELS(KERNEL)                                                                    \
    KERNEL(perm_perturbation_portable)                                                                       \
    KERNEL(perm_perturbation_avx2)                                                                           \
    KERNEL(perm_perturbation_avx512)
#define DECLARE(kernel) extern const perm_perturbation_kernel kernel;
PERM_PERTURBATION_KERNELS(DECLARE)
#undef DECLARE

#endif
