/* SPDX-License-Identifier: BSD-3-Clause */
/* A square matrix as the sums over subsets take it: doubles with exponents, entry by entry, and what these
 * sums do to it first. */
#ifndef PERM_MATRIX_DENSE_MATRIX_H
#define PERM_MATRIX_DENSE_MATRIX_H

#include "mm/matrix/sparse.h"
#include "perm/common/problem.h"
#include "perm/matrix/matrix.h"

/* A square matrix as the dense method takes it. Entry (i, j), at j n + i, is `entries` there (complex: the
 * pair re, im) times 2^exponents, and the true entry differs from that by at most `error` times its modulus.
 */
typedef struct perm_dense_matrix {
    int64_t n;
    bool is_complex;
    const double *entries;
    const int64_t *exponents; /* NULL: 0 everywhere; |exponent| <= 2^40 */
    double error;             /* 0: the entries are exact */
    const double *rest;       /* like `entries`, what they lack of the true entry, but for error^2; NULL: 0 */
} perm_dense_matrix;

/* The matrix as the dense method takes it: mantissas, exponents and the error of rounding the entries. n up
 * to PERM_DENSE_LARGEST. */
base_status perm_dense_matrix_init(base_context *context, const perm_matrix *matrix,
                                   perm_dense_matrix *dense);
/* The same of a square matrix as it was read, without zeros; equal numbers, but other exponents. */
base_status perm_dense_matrix_from_sparse(base_context *context, const mm_sparse *matrix,
                                          perm_dense_matrix *dense);
void perm_dense_matrix_free(perm_dense_matrix *dense); /* NULL is allowed */

/* BASE_FAILED, naming the method, unless 0 <= n <= 63 and all entries are finite. */
base_status perm_dense_matrix_check(base_context *context, const char *method,
                                    const perm_dense_matrix *matrix);

/* The matrix or its transpose in the corner of the identity, at least of order `least`: the same permanent.
 * *entries and *exponents are the caller's to free, also after a failure. */
base_status perm_dense_matrix_pad(base_context *context, const perm_dense_matrix *matrix, int64_t least,
                                  bool transpose, perm_dense_matrix *padded, double **entries,
                                  int64_t **exponents);

/* Whether a row or a column is zero, and with it the permanent. O(n²). */
bool perm_dense_matrix_has_zero_row(const perm_dense_matrix *matrix);

#endif
