/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract for the sum of common/problem.h in double-double arithmetic (numbers high + low, |low| at most
 * half a unit in the last place of high).
 *
 * A row sum is x_i = part 0 + part 1 of a problem with low parts, both exact in doubles, part 0 a multiple of
 * 2^-54 and part 1 below 2^-49; or part 0 alone of one without. The imaginary one of a complex problem has
 * the parts behind these. The bits of a result depend on the width of the vectors in no way: the order is
 * that of common/problem.h. */
#ifndef PERM_DOUBLEDOUBLE_KERNEL_H
#define PERM_DOUBLEDOUBLE_KERNEL_H

#include "perm/common/problem.h"

/* By lanes, as perm_dense_sums, for the real and the imaginary part; a lane's sum is high + middle + low. */
typedef struct perm_dd_sums {
    double high[2][PERM_DENSE_LANES], middle[2][PERM_DENSE_LANES], low[2][PERM_DENSE_LANES];
    double magnitude[PERM_DENSE_LANES];
} perm_dd_sums;

typedef struct perm_dd_kernel {
    const char *name, *device;
    double (*fits)(const perm_dense_problem *problem, unsigned features);
    void (*run)(const perm_dense_problem *problem, int64_t first, int64_t count, perm_dd_sums *sums);
} perm_dd_kernel;

/* The kernels: a new one is its file and a row here. */
#define PERM_DD_KERNELS(KERNEL)                                                                              \
    KERNEL(perm_dd_ref)                                                                                      \
    KERNEL(perm_dd_portable)                                                                                 \
    KERNEL(perm_dd_avx2)                                                                                     \
    KERNEL(perm_dd_avx512)
#define DECLARE(kernel) extern const perm_dd_kernel kernel;
PERM_DD_KERNELS(DECLARE)
#undef DECLARE

#endif
