/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this room share. */
#ifndef PERM_MPFR_INTERNAL_H
#define PERM_MPFR_INTERNAL_H

#include "perm/method/method.h"
#include "perm/mpfr/multiprecision.h"

/* The candidate's parameter: bits. */
base_status perm_multiprecision_open(base_context *context, const perm_task *task, perm_chunked *chunked);

#endif
