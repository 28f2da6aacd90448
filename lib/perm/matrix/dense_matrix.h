/* What the methods for the sum of dense/dense.h do to a matrix first. */
#ifndef PERM_MATRIX_DENSE_MATRIX_H
#define PERM_MATRIX_DENSE_MATRIX_H

#include "perm/subsets/scaling.h"

/* BASE_FAILED, naming the method, unless 0 <= n <= 63 and all entries are finite. */
base_status perm_dense_matrix_check(base_context *context, const char *method,
                                    const perm_dense_matrix *matrix);

/* The matrix or its transpose in the corner of the identity, at least of order `least`: the same permanent.
 * *entries and *exponents are the caller's to free, also after a failure. */
base_status perm_dense_matrix_pad(base_context *context, const perm_dense_matrix *matrix, int64_t least,
                                  bool transpose, perm_dense_matrix *padded, double **entries,
                                  int64_t **exponents);

bool perm_dense_matrix_has_zero_line(const perm_dense_matrix *matrix);

/* (high, low) += (more_high, more_low), an error of a few units of 2^-105. */
void perm_dense_add(double *high, double *low, double more_high, double more_low);

#endif
