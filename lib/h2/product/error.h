/* SPDX-License-Identifier: BSD-3-Clause */
/* How far an H² matrix is from the matrix of its function. */
#ifndef H2_PRODUCT_ERROR_H
#define H2_PRODUCT_ERROR_H

#include "h2/matrix/matrix.h"

/* An error of h2_error_check above this is worth a remark. */
#define H2_ERROR_REMARK 1e-3

/* |(A x - A_H x)_s| / |(A x)_s| for a vector x that is uniform on [0, 1) and `rows` rows s, drawn without
 * repetition; both follow from the seed. Infinite or NaN values of A x make it NaN. Costs rows·n evaluations
 * of the function and h2_mv_rows; BASE_FAILED when there is no function (H2_GIVEN). */
base_status h2_error_sample(base_context *context, const h2_matrix *matrix, int64_t rows, double *error);

/* The same to check a matrix after building it, in about a fortieth of that time or 10 ms: from all rows of a
 * thousand points or less, from fewer of more. Two points close together can make a few rows so large that
 * they hide the error of all others: *error is the larger of those with and without the tenth of the rows in
 * which A x is largest. *rows: how many were sampled. */
base_status h2_error_check(base_context *context, const h2_matrix *matrix, int64_t *rows, double *error);

/* The same for a matrix that is not in the host's memory, with the product y = A_H x by `multiply`. */
typedef base_status h2_error_product(base_context *context, void *data, const double *x, double *y);
base_status h2_error_check_by(base_context *context, const h2_matrix *matrix, h2_error_product *multiply,
                              void *data, int64_t *rows, double *error);

#endif
