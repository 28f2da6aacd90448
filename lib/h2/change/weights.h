/* SPDX-License-Identifier: BSD-3-Clause */
/* What the blocks of a cluster's rows weigh, seen through its basis. */
#ifndef H2_CHANGE_WEIGHTS_H
#define H2_CHANGE_WEIGHTS_H

#include "h2/matrix/matrix.h"
#include "h2/matrix/phases.h"

/* For each node of a basis (orthonormal ones) a rank × rank matrix R with RᵀR = Σ B Bᵀ, B being the
 * coefficients of its rows in every block of the node or its ancestors: the triangular factor of [R_parent
 * Eᵀ; S_i1ᵀ; …; S_ibᵀ] by a QR factorization that takes one block after another (Boukaram, Turkiyyah, Keyes
 * 2019, algorithms 7 and 8). In Gram form RᵀR itself, which sums products of matrices instead, and loses what
 * is smaller than the square root of the rounding. */
typedef struct h2_weights {
    bool gram;
    int64_t *offset; /* of each node's, in numbers */
    void *value;
} h2_weights;

/* Computes the weights of the row bases, or of the column bases. It takes 2·rank³ flop a block and side, in
 * Gram form about half of that at several times the speed. */
base_status h2_weights_build(base_context *context, const h2_matrix *matrix, bool columns, bool gram,
                             h2_phases *phases, h2_weights *weights);
void h2_weights_free(h2_weights *weights);

static inline void *h2_weight_of(const h2_matrix *matrix, const h2_weights *weights, int64_t node) {
    return h2_at(matrix, weights->value, weights->offset[node]);
}

#endif
