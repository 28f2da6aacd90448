/* SPDX-License-Identifier: BSD-3-Clause */
/* The dimension that the points of a cluster really have: 1 on a line or a smooth curve, 2 on a plane or a
 * surface, at most that of the coordinates. */
#ifndef H2_MATRIX_DIMENSION_H
#define H2_MATRIX_DIMENSION_H

#include "h2/matrix/tree.h"

/* `dimension`: of each node of the tree, to be freed; `box` as h2_tree_boxes gives it.
 *
 * With the eigenvalues λ₁ ≥ λ₂ ≥ λ₃ of the covariance matrix of a cluster's points, and their elementary
 * symmetric polynomials e₁, e₂, e₃, a cluster lies on a line if e₂ < e₁²/20, which is (λ₂ + λ₃)/λ₁ < 1/20 to
 * first order, and on a plane if e₁e₃ < e₂²/20, which is λ₃/λ₁ + λ₃/λ₂ < 1/20. A box of twice the length of
 * its other edges has e₂/e₁² = 4/25 in two dimensions and e₁e₃/e₂² ≥ 1/4 in three: clusters of a set that
 * fills a square or a cube, which are halved across their longest edge, never come near these limits. An
 * eighth of a circle has e₂/e₁² = 0.01; a cap of a sphere counts as plane up to half a radian.
 *
 * Clusters of fewer than 32 points say too little and have their parent's dimension. O(n dim²). */
base_status h2_tree_dimensions(base_context *context, const h2_tree *tree, const double *box,
                               uint8_t **dimension);

#endif
