/* SPDX-License-Identifier: BSD-3-Clause */
/* Orthonormal bases. */
#ifndef H2_CHANGE_ORTHOG_H
#define H2_CHANGE_ORTHOG_H

#include "h2/matrix/matrix.h"
#include "h2/matrix/phases.h"

/* Makes the bases orthonormal: UᵀU = I in every leaf and, for the transfers of a node's children, Σ EᵀE = I,
 * by QR factorizations from the leaves to the root (Boukaram, Turkiyyah, Keyes 2019, algorithms 5 and 6).
 * Ranks beyond the points or the children's ranks shrink to them. Memory: two rank² numbers a node, and if
 * ranks shrink new bases and coupling blocks. 4·rank³ flop a coupling block. */
base_status h2_orthogonalize(base_context *context, h2_matrix *matrix);

/* The same, and notes the phases: bases from the leaves to the root, then all coupling blocks. */
base_status h2_orthogonalize_noting(base_context *context, h2_matrix *matrix, h2_phases *phases);

/* The same by any means: `into` sets bases and coupling blocks of `result`, which has the new ranks or is the
 * matrix itself. */
typedef base_status h2_orthogonalize_into(base_context *context, const h2_matrix *matrix, h2_matrix *result,
                                          void *data);
base_status h2_orthogonalize_by(base_context *context, h2_matrix *matrix, h2_orthogonalize_into *into,
                                void *data);

/* The ranks that a basis has then; `rank` has room for all nodes. */
void h2_orthogonal_ranks(const h2_matrix *matrix, const h2_basis *basis, int64_t *rank);

#endif
