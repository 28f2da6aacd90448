/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this room share. */
#ifndef PERM_EXACT_INTERNAL_H
#define PERM_EXACT_INTERNAL_H

#include "perm/method/method.h"

/* Tasks of the methods in device_price.c. */
base_status perm_exact_cuda_open(base_context *context, const perm_task *task, perm_chunked *chunked);
base_status perm_sieve_cuda_open(base_context *context, const perm_task *task, perm_chunked *chunked);

#endif
