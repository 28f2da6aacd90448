/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this room share. */
#ifndef PERM_MULTIPLICITIES_INTERNAL_H
#define PERM_MULTIPLICITIES_INTERNAL_H

#include "perm/method/method.h"
#include "perm/multiplicities/double.h"

/* The sums are |rows - columns|! times the permanent. */
base_status perm_multiplicities_open(base_context *context, const perm_task *task, perm_chunked *chunked);
base_status perm_multiplicities_double_open(base_context *context, const perm_task *task,
                                            perm_chunked *chunked);

#endif
