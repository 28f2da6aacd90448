/* SPDX-License-Identifier: BSD-3-Clause */
/* Which pairs of clusters become coupling blocks, which dense blocks. */
#ifndef H2_MATRIX_STRUCTURE_H
#define H2_MATRIX_STRUCTURE_H

#include "h2/matrix/tree.h"

typedef enum h2_admissibility {
    H2_CENTER, /* (diameter + diameter)/2 ≤ eta · distance of the centres */
    H2_BOX     /* least diameter ≤ eta · distance of the boxes */
} h2_admissibility;

/* Which clusters are far enough apart to interpolate between.
 *
 * Boxes lie in the balls around their centres, so `center` leaves a gap of at least (1/eta - 1) times the
 * mean diameter. For eta < 1 the gap grows with the boxes; for eta = 1 boxes may touch. A function that is
 * singular at distance 0 is, along a line through both boxes, analytic in the ellipse around a box's diameter
 * that reaches to the other box. Interpolation at p Chebyshev points converges like ρ^-p, where ρ is the sum
 * of the ellipse's semi-axes over the focal distance. The worst second box is a point at the end of the gap:
 *
 *     ρ(eta) = (1 + √(1 - eta²)) / eta:    ρ(0.6) = 3,    ρ(0.9) = 1.6,    ρ(1) = 1.
 *
 * How much the pairs of points near the gap weigh depends on the dimension m that the points really have. The
 * narrowest pairs of boxes meet at corners. The share of a cluster's points within t diameters of a corner is
 * about t^m, that of the pairs of points t^2m; a function like 1/r, which is as singular as any here, makes
 * them count as t^(2m-1). In three dimensions that is t^5, and touching boxes do little harm; in two it is
 * t^3, and 0.9 is needed; on a line it is t: every pair of neighbours is a worst case, and only the rate
 * helps. So the limits by dimension are 0.6, 0.9 and 1. Points on a line or a surface in space have the limit
 * of their own dimension (matrix/dimension.h), a pair of clusters that of the lesser one. */
typedef struct h2_admission {
    h2_admissibility rule;
    double eta[H2_MOST_DIM]; /* for clusters whose points have dimension 1, 2, 3 */
} h2_admission;

extern const double h2_admission_eta[H2_MOST_DIM]; /* 0.6, 0.9, 1 */

/* Rows are nodes, whatever their level; columns, nodes of the same level, ascend in a row. */
typedef struct h2_structure {
    int64_t coupling, dense;                /* blocks */
    int64_t *coupling_start, *coupling_col; /* nodes + 1; coupling */
    int64_t *dense_start, *dense_col;       /* only leaves have any */
} h2_structure;

/* Traverses the tree against itself, level by level. Distinct centres (center) or boxes (box) are demanded,
 * so that a cluster is never admissible with itself. `symmetric`: only columns ≥ row. O(blocks), and
 * O(points) for their dimensions where eta depends on them. */
base_status h2_structure_build(base_context *context, const h2_tree *tree, const double *box,
                               const h2_admission *admission, bool symmetric, h2_structure *structure);
void h2_structure_free(h2_structure *structure);

#endif
