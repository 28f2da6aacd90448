/* Exact reduction of lines with one or two entries: Forbert and Marx, Calculation of the permanent of a
 * sparse positive matrix (2003); SUperman §4.2, equation (6).
 *
 * A line with the single entry a: perm(A) = a·perm(A without the line and the one that crosses it). A line
 * with the entries a and b in the crossing lines p and q: perm(A) = perm(A without the line, p and q replaced
 * by a·q + b·p). Both lose one line and at least one entry, and no rounding happens. */
#ifndef PERM_MATRIX_REDUCE_H
#define PERM_MATRIX_REDUCE_H

#include "perm/matrix/matrix.h"

/* perm(matrix) = factor·perm(reduced). Where nothing else is left the reduced matrix is 0×0, whose permanent
 * is 1; an empty line makes the factor 0. Lines of two entries stay once the merged entries would have
 * thousands of digits. O(n + nnz) and, for each merge, the entries of the shorter of the two lines and of
 * what crosses it. Takes the entries out of the
 * matrix, which keeps zeros. */
base_status perm_reduce(base_context *context, perm_matrix *matrix, perm_matrix *reduced, perm_value *factor);

/* Whether a matrix of order 1 to 64 has three entries or more in every line, so that perm_reduce would copy
 * it; of its pattern. */
bool perm_reduce_would_nothing(const mm_sparse *matrix);

#endif
