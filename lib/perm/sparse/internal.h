/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this room share. */
#ifndef PERM_SPARSE_INTERNAL_H
#define PERM_SPARSE_INTERNAL_H

#include "perm/method/prices.h"
#include "perm/sparse/code.h"
#include "perm/sparse/sparse.h"

/* What the methods of this room have found for a block. */
typedef struct perm_sparse_plans {
    perm_sparse_plan tables, gray; /* for processors, with tables and without */
    perm_sparse_plan device;
    double guess; /* seconds of `tables` before a long search; 0: not known */
} perm_sparse_plans;

/* NULL without memory. */
perm_sparse_plans *perm_sparse_get_plans(base_context *context, perm_prices *prices);

/* Sets plans->guess, unless the order is none of this method. */
base_status perm_sparse_guess(base_context *context, perm_prices *prices, perm_sparse_plans *plans);

/* Members of perm_chunked whose method begins with the perm_sparse. */
bool perm_chunks_sparse_is_possible(const void *self, const void *partial);
void perm_chunks_sparse_prepare(const void *self, perm_sum *sum);
base_status perm_chunks_sparse_add(base_context *context, const void *self, int64_t chunk,
                                   const void *partial, perm_sum *sum);

/* Tasks. The candidate has prepared a perm_sparse_plan, or NULL on devices: there is none. */
base_status perm_sparse_open(base_context *context, const perm_task *task, perm_chunked *chunked);
base_status perm_sparse_exact_open(base_context *context, const perm_task *task, perm_chunked *chunked);
base_status perm_sparse_cuda_open(base_context *context, const perm_task *task, perm_chunked *chunked);
base_status perm_register_cuda_open(base_context *context, const perm_task *task, perm_chunked *chunked);
base_status perm_hybrid_cuda_open(base_context *context, const perm_task *task, perm_chunked *chunked);

/* Prints the source that is compiled for a matrix by one of the variants. The source is the
 * caller's to free. */
base_status perm_sparse_emit(base_context *context, perm_sparse_variant variant, const perm_matrix *matrix,
                             char **source);

#endif
