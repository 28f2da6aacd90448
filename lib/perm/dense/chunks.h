/* SPDX-License-Identifier: BSD-3-Clause */
/* The sum of dense.h as a method (method/method.h) on the processor. */
#ifndef PERM_DENSE_CHUNKS_H
#define PERM_DENSE_CHUNKS_H

#include "perm/matrix/dense_matrix.h"
#include "perm/method/method.h"

extern const perm_method perm_dense_method;

/* Its chunks, whose method begins with the perm_dense. `kernel`: NULL for the fastest; `certify`: with the
 * bound of certify.h; `verify`: `agrees` will be called. */
base_status perm_dense_chunks(base_context *context, const perm_dense_matrix *entries, const char *kernel,
                              bool certify, bool verify, perm_chunked *chunked);

/* Opens the chunks of a task: perm_method's `open`. */
base_status perm_dense_open(base_context *context, const perm_task *task, perm_chunked *chunked);

#endif
