/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this room share. */
#ifndef PERM_DOUBLEDOUBLE_INTERNAL_H
#define PERM_DOUBLEDOUBLE_INTERNAL_H

#include "perm/doubledouble/doubledouble.h"
#include "perm/method/method.h"

/* The chunks on the processor, whose method begins with the perm_dd. */
base_status perm_dd_chunks(base_context *context, const perm_matrix *matrix, const char *kernel, bool verify,
                           perm_chunked *chunked);

base_status perm_dd_open(base_context *context, const perm_task *task, perm_chunked *chunked);
base_status perm_dd_cuda_open(base_context *context, const perm_task *task, perm_chunked *chunked);

#endif
