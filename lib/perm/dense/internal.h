/* What the files of this room share. */
#ifndef PERM_DENSE_INTERNAL_H
#define PERM_DENSE_INTERNAL_H

#include "perm/dense/dense.h"
#include "perm/method/method.h"

/* Certifies a sum that is priced, or frees it. With a certificate digits count by a bound that leaves most of
 * them. */
base_status perm_dense_certify_candidate(base_context *context, perm_dense *dense, perm_candidate *candidate);

/* Tasks of the methods in device_price.c. */
base_status perm_dense_cuda_open(base_context *context, const perm_task *task, perm_chunked *chunked);
base_status perm_dense_pairs_cuda_open(base_context *context, const perm_task *task, perm_chunked *chunked);
base_status perm_dense_tensor_cuda_open(base_context *context, const perm_task *task, perm_chunked *chunked);

#endif
