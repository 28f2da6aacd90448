/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact reduction of rows and columns with one or two entries: Forbert and Marx, Calculation of the permanent
 * of a sparse positive matrix (2003); SUperman §4.2, equation (6).
 *
 * A row with the single entry a: perm(A) = a·perm(A without this row and the entry's column). A row with the
 * entries a and b in the columns p and q: perm(A) = perm(A without this row, p and q replaced by the one
 * column a·q + b·p). Columns are treated in the same way. Both steps lower the order by one and lose at least
 * one entry, and no rounding happens. */
#ifndef PERM_MATRIX_REDUCE_H
#define PERM_MATRIX_REDUCE_H

#include "perm/matrix/matrix.h"

/* perm(matrix) = factor·perm(reduced). Where nothing else is left the reduced matrix is 0×0, whose permanent
 * is 1; an empty row or column makes the factor 0. Rows and columns of two entries stay once the merged
 * entries would have thousands of digits. O(n + nnz) and, for each merge, the entries of the shorter of the
 * two columns and of the rows that it has entries in. Takes the entries out of the matrix, which keeps zeros.
 */
base_status perm_reduce(base_context *context, perm_matrix *matrix, perm_matrix *reduced, perm_value *factor);

/* Whether a matrix of order 1 to 64 has three entries or more in every row and column, so that perm_reduce
 * would copy it; of its pattern. */
bool perm_reduce_would_nothing(const mm_sparse *matrix);

#endif
