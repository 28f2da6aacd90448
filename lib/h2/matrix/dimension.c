/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/matrix/dimension.h"
#include "base/core/memory.h"

#include <math.h>
#include <stdlib.h>

enum { FEWEST_POINTS = 32 };

static const double limit = 1.0 / 20;

/* Sums over the points of a cluster: deviations are from its mean. */
typedef struct moments {
    double count, mean[H2_MOST_DIM], product[H2_MOST_DIM][H2_MOST_DIM];
} moments;

/* Adds a cluster, or a point, to a cluster (Chan, Golub, LeVeque: Algorithms for computing the sample
 * variance, The American Statistician 37, 1983). */
static void add_moments(int64_t dim, const moments *from, moments *to) {
    const double count = to->count + from->count, weight = to->count * from->count / count;
    double step[H2_MOST_DIM];
    for (int64_t i = 0; i < dim; i++)
        step[i] = from->mean[i] - to->mean[i];
    for (int64_t i = 0; i < dim; i++) {
        for (int64_t j = 0; j < dim; j++)
            to->product[i][j] += from->product[i][j] + weight * step[i] * step[j];
        to->mean[i] += step[i] * from->count / count;
    }
    to->count = count;
}

/* Coordinates are from a corner of the root's box, in its longest edges: squares neither over- nor underflow.
 */
static void sum_leaf(const h2_tree *tree, const double *corner, double scale, int64_t node, moments *sum) {
    for (int64_t i = tree->begin[node]; i < tree->end[node]; i++) {
        moments point = {.count = 1};
        for (int64_t axis = 0; axis < tree->dim; axis++)
            point.mean[axis] = (tree->point[i * tree->dim + axis] - corner[axis]) * scale;
        add_moments(tree->dim, &point, sum);
    }
}

static uint8_t dimension_of(const moments *sum, int64_t dim) {
    const double(*c)[H2_MOST_DIM] = sum->product;
    /* e₁, e₂ and e₃ of the eigenvalues are the sums of the principal minors of order 1, 2 and 3. */
    const double e1 = c[0][0] + c[1][1] + c[2][2];
    const double e2 = c[0][0] * c[1][1] - c[0][1] * c[0][1] + c[0][0] * c[2][2] - c[0][2] * c[0][2] +
                      c[1][1] * c[2][2] - c[1][2] * c[1][2];
    const double e3 = c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[1][2]) -
                      c[0][1] * (c[0][1] * c[2][2] - c[1][2] * c[0][2]) +
                      c[0][2] * (c[0][1] * c[1][2] - c[1][1] * c[0][2]);
    if (dim == 1 || e2 < limit * e1 * e1)
        return 1;
    return dim == 2 || e1 * e3 < limit * e2 * e2 ? 2 : 3;
}

base_status h2_tree_dimensions(base_context *context, const h2_tree *tree, const double *box,
                               uint8_t **dimension) {
    const int64_t dim = tree->dim;
    base_status status = BASE_OK;
    double edge = 0;
    moments *sum = base_alloc_zero(context, tree->nodes, sizeof *sum);
    uint8_t *found = *dimension = base_alloc(context, tree->nodes, sizeof *found);
    if (sum == NULL || found == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t axis = 0; axis < dim; axis++)
        edge = fmax(edge, box[dim + axis] - box[axis]);
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int64_t node = tree->first_leaf; node < tree->nodes; node++)
        sum_leaf(tree, box, edge > 0 ? 1 / edge : 1, node, &sum[node]);
    for (int64_t node = tree->nodes - 1; node > 0; node--)
        add_moments(dim, &sum[node], &sum[tree->parent[node]]);
    for (int64_t node = 0; node < tree->nodes; node++)
        found[node] = node > 0 && sum[node].count < FEWEST_POINTS ? found[tree->parent[node]]
                                                                  : dimension_of(&sum[node], dim);
done:
    free(sum);
    return status;
}
