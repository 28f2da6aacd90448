/* SPDX-License-Identifier: BSD-3-Clause */
/* The sums of exact.h as a method (method/method.h) on the processor. */
#ifndef PERM_EXACT_CHUNKS_H
#define PERM_EXACT_CHUNKS_H

#include "perm/exact/exact.h"
#include "perm/method/method.h"

extern const perm_method perm_exact_method;

/* Its chunks, whose method begins with the perm_exact. `kernel`: NULL for the fastest; `verify`: `agrees` and
 * `confirm` will be called. */
base_status perm_exact_chunks(base_context *context, const perm_matrix *matrix, const char *kernel,
                              bool verify, perm_chunked *chunked);

/* Adds the sum modulo another prime that `confirm` needs, where `verify` was false; and gives it. */
base_status perm_exact_chunks_add_check(base_context *context, const perm_matrix *matrix, const char *kernel,
                                        perm_chunked *chunked);
const perm_exact *perm_exact_chunks_check(const perm_chunked *chunked);

/* Opens the chunks of a task: perm_method's `open`. */
base_status perm_exact_open(base_context *context, const perm_task *task, perm_chunked *chunked);

#endif
