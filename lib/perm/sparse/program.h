/* SPDX-License-Identifier: BSD-3-Clause */
/* The program of a sparse permanent: search for an order, then instructions and tables for the kernels and
 * the generator of device code (kernels/perm/sparse/kernel.h). */
#ifndef PERM_SPARSE_PROGRAM_H
#define PERM_SPARSE_PROGRAM_H

#include "base/core/context.h"
#include "perm/sparse/kernel.h"
#include "perm/sparse/search.h"
#include "perm/subsets/scaling.h"

/* A choice made on the pattern alone; read-only afterwards. */
typedef struct perm_sparse_plan {
    bool is_transposed; /* of the transposed matrix, which has the same permanent */
    perm_sparse_order order;
    double price; /* operations of the whole sum and what else costs time; infinity: nothing fits */
    const perm_sparse_device *device; /* for which it was made */
} perm_sparse_plan;

/* What a core and its caches bear, and a GPU thread and its registers. */
extern const perm_sparse_device perm_sparse_device_cpu, perm_sparse_device_gpu;

/* What a few hundredths of a second find of what perm_sparse_plan_make would. */
base_status perm_sparse_plan_guess(base_context *context, const perm_dense_matrix *matrix,
                                   const perm_sparse_device *device, perm_sparse_plan *plan);

/* Searches both the pattern and its transpose; at most about a second, less for small matrices. A plan of
 * infinite price when some row or column is empty or the matrix is too small for the device's lanes. Both
 * fail with BASE_STOPPED when the context's deadline comes first. */
base_status perm_sparse_plan_make(base_context *context, const perm_dense_matrix *matrix,
                                  const perm_sparse_device *device, perm_sparse_plan *plan);

/* The plan of the kernels that use no tables: the columns that touch few new rows first. No search. */
void perm_sparse_plan_gray(const perm_dense_matrix *matrix, perm_sparse_plan *plan);

/* The problem for the kernels, but for `middle`, which is 0. The grid is of the transposed matrix if the
 * plan says so. *memory is what the problem points into; release it with free. */
base_status perm_sparse_problem_make(base_context *context, const perm_dense_grid *grid,
                                     const perm_sparse_plan *plan, perm_sparse_problem *problem,
                                     void **memory);

#endif
