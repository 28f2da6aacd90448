/* SPDX-License-Identifier: BSD-3-Clause */
/* The structure of A as far as products depend on it. */
#ifndef SPMM_PROBLEM_INSPECT_H
#define SPMM_PROBLEM_INSPECT_H

#include "spmm/problem/spmm.h"

/* Fills in problem->profile. Bands of rows are counted, all of them where these have few entries, else a
 * sample spread evenly over the rows, from which the rest is estimated; the same matrix gives the same
 * profile. On context->threads threads. Fails with BASE_MACHINE. O(nrow + entries of the sample), 4 bytes a
 * column and thread. */
base_status spmm_inspect(base_context *context, spmm_problem *problem);

#endif
