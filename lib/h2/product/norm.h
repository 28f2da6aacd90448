/* SPDX-License-Identifier: BSD-3-Clause */
/* The spectral norm of a matrix by its products. */
#ifndef H2_PRODUCT_NORM_H
#define H2_PRODUCT_NORM_H

#include "h2/matrix/matrix.h"

/* y = A x, or y = Aᵀ x: n numbers each, in the points' order. */
typedef base_status h2_norm_product(base_context *context, void *data, bool transposed, const double *x,
                                    double *y);

/* |A|₂ by `steps` steps of the power method from a fixed random vector: never above it. One product a step,
 * two where the matrix is not symmetric. */
base_status h2_norm_by(base_context *context, const h2_matrix *matrix, int steps, h2_norm_product *product,
                       void *data, double *norm);

/* As h2_norm_by, with products on the CPU. */
base_status h2_norm(base_context *context, const h2_matrix *matrix, int steps, double *norm);

/* The sum of the squares of all numbers of a list's blocks, with the transposes of half storage: those of the
 * dense entries, or of the coupling coefficients, which have the sum of the entries that they stand for where
 * bases are orthonormal. The same bits for any number of threads. */
double h2_sum_squares(const h2_matrix *matrix, const h2_block_list *list, int threads);

#endif
