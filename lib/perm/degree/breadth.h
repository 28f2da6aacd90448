/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of SUperman's program for the rows and columns of a block, on which its numbers of terms depend;
 * internal to terms.c. */
#ifndef PERM_DEGREE_BREADTH_H
#define PERM_DEGREE_BREADTH_H

#include "perm/matrix/matrix.h"

/* Brings rows and columns into the order in which a breadth-first search finds them, from column 0 on,
 * neighbours ascending, and after each component from the first column that is left.
 * O(nnz log nnz). */
base_status perm_matrix_order_breadth_first(base_context *context, perm_matrix *matrix);

#endif
