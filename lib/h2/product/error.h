/* How far an H² matrix is from the matrix of its function. */
#ifndef H2_PRODUCT_ERROR_H
#define H2_PRODUCT_ERROR_H

#include "h2/matrix/matrix.h"

/* |(A x - A_H x)_s| / |(A x)_s| for a vector x that is uniform on [0, 1) and `rows` rows s, drawn without
 * repetition; both follow from the seed. Infinite or NaN values of A x make it NaN. rows·n evaluations of the
 * function; BASE_FAILED when there is none (H2_GIVEN). */
base_status h2_error_sample(base_context *context, const h2_matrix *matrix, int64_t rows, double *error);

#endif
