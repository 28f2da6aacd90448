/* SPDX-License-Identifier: BSD-3-Clause */
/* A square matrix with exact entries: integers times powers of two, whatever the field. All preparation of a
 * permanent (blocks, reduction, scaling) is exact; rounding begins where a kernel takes the entries.
 *
 * The room: matrix.c, bound.c with the bounds of |perm|, decimal.c for entries taken as decimals, record.h
 * from and to records; reduce.h takes rows of one or two entries out, by elimination.h, which degree/ shares;
 * distinct.h finds equal rows and columns, multiplicities.h counts them; dense_matrix.h is the matrix as
 * doubles, for sums over subsets. It sees value/. */
#ifndef PERM_MATRIX_MATRIX_H
#define PERM_MATRIX_MATRIX_H

#include "perm/value/value.h"

typedef struct perm_matrix {
    int64_t n, nnz;
    int64_t *start, *index; /* rows in compressed form; n + 1 and nnz */
    perm_value *entry;      /* nnz, exact, none is zero */
    mm_field field;
} perm_matrix;

/* The rows are those of `matrix` by its orientation, rows or columns: the permanent is the same. Explicit
 * zeros are dropped. Fails with BASE_FAILED when it is not square. O(nnz). */
base_status perm_matrix_from_sparse(base_context *context, const mm_sparse *matrix, perm_matrix *result);

/* Entry e of `matrix`, exactly. */
base_status perm_matrix_load_entry(base_context *context, const mm_sparse *matrix, int64_t e,
                                   perm_value *value);

/* Takes the entries, which are doubles, for the shortest decimals that read back as them: 0.1 is 1/10. They
 * become integers, and the permanent is that of these times *factor, a power of ten. Patterns and integers
 * stay as they are. */
void perm_matrix_take_decimals(perm_matrix *matrix, perm_value *factor);

/* Room for n rows and nnz entries, which are exact zeros; start and index are not set. */
base_status perm_matrix_alloc(base_context *context, int64_t n, int64_t nnz, mm_field field,
                              perm_matrix *result);
base_status perm_matrix_copy(base_context *context, const perm_matrix *matrix, perm_matrix *copy);
void perm_matrix_free(perm_matrix *matrix); /* NULL is allowed */

/* Takes out the entries that have become 0; returns how many. O(nnz). */
int64_t perm_matrix_squeeze(perm_matrix *matrix);

/* The pattern seen as a matrix by rows; points into `matrix`. */
mm_sparse perm_matrix_pattern(const perm_matrix *matrix);

/* What the choice of arithmetic needs to know. */
typedef struct perm_matrix_traits {
    bool ones;        /* every entry is 1 */
    bool integer;     /* every entry is an integer: no complex, no negative exponent */
    bool nonnegative; /* real and no entry below 0 */
    bool complex;     /* some entry has an imaginary part */
} perm_matrix_traits;
perm_matrix_traits perm_matrix_look(const perm_matrix *matrix);

/* Whether its field makes the permanent an integer. */
static inline bool perm_matrix_is_whole(const perm_matrix *matrix) {
    return matrix->field == MM_PATTERN || matrix->field == MM_INTEGER;
}

/* An upper bound of log2 perm(|A|), and so of log2 |perm(A)|: the smaller one, of rows and columns,
 * of the product of Σ b(k)·(g(k) - g(k-1)), g(k) = (k!)^(1/k), over a row's absolute values b in descending
 * order (Soules, Linear and Multilinear Algebra 51, 2003). For 0/1 this is Minc's bound, proved by Brègman;
 * it never exceeds the product of the rows' sums. O(nnz log nnz). */
base_status perm_matrix_bound_log2(base_context *context, const perm_matrix *matrix, double *bound);

/* The same, but a bound of at most `enough` is not made better, which takes as long again. */
base_status perm_matrix_bound_log2_enough(base_context *context, const perm_matrix *matrix, double enough,
                                          double *bound);

/* The same for the permanents of all square submatrices of a matrix of integers, or Gaussian integers,
 * without empty rows or columns: each row contributes a factor of at least 1. */
base_status perm_matrix_bound_minors_log2(base_context *context, const perm_matrix *matrix, double *bound);

/* Powers of two for rows and columns, so that all |a[i][j]·2^(row[i] + column[j])| ≤ 1 and each row
 * has an entry of at least 1/2; n each. */
base_status perm_matrix_equilibrate(base_context *context, const perm_matrix *matrix, int64_t *row,
                                    int64_t *column);

/* Powers of two that make every a[i][j]·2^(row[i] + column[j]) an integer, and small. */
base_status perm_matrix_clear_fractions(base_context *context, const perm_matrix *matrix, int64_t *row,
                                        int64_t *column);

#endif
