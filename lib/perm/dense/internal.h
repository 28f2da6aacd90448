/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this room share. */
#ifndef PERM_DENSE_INTERNAL_H
#define PERM_DENSE_INTERNAL_H

#include "perm/chunks/device_sums.h"
#include "perm/dense/dense.h"
#include "perm/method/method.h"

/* Certifies a sum that is priced, or frees it. With a certificate digits count by a bound that leaves most of
 * them. */
base_status perm_dense_certify_candidate(base_context *context, perm_dense *dense, perm_candidate *candidate);

/* Tasks of the methods in device_price.c. */
base_status perm_dense_cuda_open(base_context *context, const perm_task *task, perm_chunked *chunked);
base_status perm_dense_pairs_cuda_open(base_context *context, const perm_task *task, perm_chunked *chunked);
base_status perm_dense_tensor_cuda_open(base_context *context, const perm_task *task, perm_chunked *chunked);

/* Makes chunks of a task whose sums devices compute as `kind` says; and whether two partials of a chunk agree
 * within the bound of dense.h. */
base_status perm_dense_device_open(base_context *context, const perm_chunks_sums_kind *kind,
                                   const perm_task *task, bool certify, perm_chunked *chunked);
bool perm_dense_device_agree(const void *problem, const void *a, const void *b);

#endif
