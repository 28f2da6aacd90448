/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of table 4 of Elbek, Tasyaran, Ucar and Kaya, "SUperman: efficient permanent computation on
 * GPUs" (perm/superman/gpu.h), on the chunks of dense.h: row sums and the matrix in shared memory, global
 * memory or registers, with and without code for the order of the matrix, with and without CEG, the division
 * of the subsets by which the threads of a warp change the same column. They repeat that table and are chosen
 * by name only. */
#ifndef PERM_DENSE_SUPERMAN_H
#define PERM_DENSE_SUPERMAN_H

#include "perm/dense/dense.h"
#include "perm/subsets/device_sum.h"

enum { PERM_SUPERMAN_LOG2_LAUNCH = 13 };

/* The name for users, the function, whether x is in shared memory, whether the matrix is, whether it is code
 * for an order, whether it has CEG, and how many times what the FP64 units need it takes: as in the table for
 * n = 45, where the last one is at 40 % of these. */
#define PERM_SUPERMAN_VARIANTS(ROW)                                                                          \
    ROW("superman-shared-shared-cuda", shared_shared, true, true, false, false, 14)                          \
    ROW("superman-shared-shared-ceg-cuda", shared_shared_ceg, true, true, false, true, 13)                   \
    ROW("superman-shared-global-cuda", shared_global, true, false, false, false, 9)                          \
    ROW("superman-shared-global-ceg-cuda", shared_global_ceg, true, false, false, true, 9)                   \
    ROW("superman-registers-global-cuda", registers_global, false, false, false, false, 5)                   \
    ROW("superman-registers-global-ceg-cuda", registers_global_ceg, false, false, false, true, 5)            \
    ROW("superman-registers-shared-cuda", registers_shared, false, true, false, false, 4)                    \
    ROW("superman-registers-shared-ceg-cuda", registers_shared_ceg, false, true, false, true, 4)             \
    ROW("superman-registers-shared-code-cuda", code, false, true, true, false, 2.6)                          \
    ROW("superman-registers-shared-code-ceg-cuda", code_ceg, false, true, true, true, 2.5)

typedef struct perm_superman_variant {
    const char *name, *kernel;
    bool is_x_shared, is_matrix_shared, is_code, is_ceg;
    double cost;
} perm_superman_variant;

/* Ended by one without a name. */
extern const perm_superman_variant perm_superman_variants[];

/* Why they are not for a problem on devices with so much shared memory a block; NULL: they are. */
const char *perm_superman_reason(const perm_superman_variant *variant, const perm_dense *dense,
                                 int64_t shared_bytes);

/* Makes a real problem a sum whose partials are perm_dense_partial; perm_dense_error bounds their error. */
base_status perm_superman_device_sum(base_context *context, const perm_superman_variant *variant,
                                     const perm_dense *dense, perm_device_sum *sum);

#endif
