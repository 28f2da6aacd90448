/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/build/build.h"
#include "base/core/memory.h"
#include "h2/build/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const h2_build_options h2_build_default = {
    .function = {H2_EXPONENTIAL, 0.1}, .leaf_size = 64, .split = H2_MEDIAN, .admissibility = H2_CENTER};

static void init_interpolation(h2_interpolation *at, int64_t order, int64_t dim) {
    at->order = order;
    at->dim = dim;
    at->rank = 1;
    for (int64_t axis = 0; axis < dim; axis++)
        at->rank *= order;
    /* The zeros of the Chebyshev polynomial of that degree. */
    for (int64_t s = 0; s < order; s++)
        at->point[s] = cos((double)(2 * s + 1) * 3.14159265358979323846 / (double)(2 * order));
    for (int64_t s = 0; s < order; s++) {
        at->weight[s] = 1;
        for (int64_t other = 0; other < order; other++)
            if (other != s)
                at->weight[s] /= at->point[s] - at->point[other];
    }
}

/* Clusters without extent in a dimension get a little of it: coordinates are divided by it (fill.c), and
 * 1e-12 of the centre is well above its rounding. */
static void widen_boxes(double *box, int64_t nodes, int64_t dim) {
    double square = 0;
    for (int64_t axis = 0; axis < dim; axis++)
        square += (box[dim + axis] - box[axis]) * (box[dim + axis] - box[axis]);
    for (int64_t node = 0; node < nodes; node++)
        for (int64_t axis = 0; axis < dim; axis++) {
            double *low = box + 2 * node * dim + axis, *high = low + dim;
            const double centre = (*low + *high) / 2;
            double half = fmax(1e-8 * sqrt(square), 1e-12 * fabs(centre));
            half = half > 0 ? half : 1;
            if ((*high - *low) / 2 < half) {
                *low = centre - half;
                *high = centre + half;
            }
        }
}

/* ---- the shape ---- */

/* Nodes from the first level with coupling blocks on have the full rank, or, of a given matrix, as many as
 * points; the bases of levels above are never used. */
static void set_ranks(const h2_tree *tree, const h2_structure *structure, bool is_given, int64_t rank,
                      int64_t *ranks) {
    bool found = false;
    for (int64_t level = 0; level < tree->levels; level++) {
        const int64_t first = tree->level[level], last = tree->level[level + 1];
        found = found || structure->coupling_start[last] > structure->coupling_start[first];
        for (int64_t node = first; node < last; node++)
            ranks[node] = !found ? 0 : is_given ? tree->end[node] - tree->begin[node] : rank;
    }
}

static bool is_symmetric(const h2_build_options *options, int64_t n) {
    const double *a = options->given;
    if (a == NULL)
        return h2_function_is_symmetric(options->function.kind);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            if (a[i * n + j] != a[j * n + i])
                return false;
    return true;
}

base_status h2_build_check(base_context *context, const h2_build_options *options) {
    if (options->order > H2_MOST_ORDER)
        return base_fail(context, BASE_USAGE, "--order: at most %d", H2_MOST_ORDER);
    if (options->leaf_size < 1 || options->leaf_size > H2_MOST_RANK)
        return base_fail(context, BASE_USAGE, "--leaf: from 1 to %d", H2_MOST_RANK);
    if (!(options->function.length > 0) || !(options->eta >= 0))
        return base_fail(context, BASE_USAGE, "--length and --eta: positive numbers");
    return BASE_OK;
}

static base_status check_points(base_context *context, const double *point, int64_t n, int64_t dim,
                                const h2_build_options *options) {
    if (dim < 1 || dim > H2_MOST_DIM)
        return base_fail(context, BASE_FAILED, "points have 1, 2 or 3 coordinates, not %lld", (long long)dim);
    if (n < 1)
        return base_fail(context, BASE_FAILED, "there are no points");
    for (int64_t i = 0; i < n * dim; i++)
        if (!(fabs(point[i]) < 1e150))
            return base_fail(context, BASE_FAILED, "point %lld is not finite or far too large",
                             (long long)(i / dim + 1));
    if (options->order > 0 && pow((double)options->order, (double)dim) > H2_MOST_RANK)
        return base_fail(context, BASE_FAILED, "--order %lld is too large for %lld dimensions",
                         (long long)options->order, (long long)dim);
    return BASE_OK;
}

/* Of a given eta, or by the dimension of the points. */
static h2_admission get_admission(const h2_build_options *options) {
    h2_admission admission = {.rule = options->admissibility};
    for (int i = 0; i < H2_MOST_DIM; i++)
        admission.eta[i] = options->eta > 0 ? options->eta : h2_admission_eta[i];
    return admission;
}

static base_status shape(base_context *context, h2_builder *b, const h2_tree *tree) {
    const h2_build_options *options = b->options;
    const h2_admission admission = get_admission(options);
    const bool is_given = options->given != NULL,
               symmetric = !options->full && is_symmetric(options, tree->n);
    base_status status;
    h2_structure structure = {0};
    int64_t *ranks = base_alloc(context, tree->nodes, sizeof *ranks);
    if (ranks == NULL)
        return BASE_MACHINE;
    BASE_TRY(h2_tree_boxes(context, tree, &b->box));
    BASE_TRY(h2_structure_build(context, tree, b->box, &admission, symmetric, &structure));
    widen_boxes(b->box, tree->nodes, tree->dim);
    set_ranks(tree, &structure, is_given, b->interpolation.rank, ranks);
    const h2_shape shape = {.head = {.value_bytes = options->single ? 4 : 8,
                                     .flags = (symmetric ? H2_SYMMETRIC : 0) | (is_given ? H2_ORTHOGONAL : 0),
                                     .leaf_size = options->leaf_size,
                                     .order = b->interpolation.order,
                                     .split = options->split,
                                     .admissibility = options->admissibility,
                                     .function = is_given ? H2_GIVEN : options->function.kind,
                                     .eta = admission.eta[tree->dim - 1],
                                     .length = options->function.length,
                                     .nugget = options->nugget},
                            .tree = tree,
                            .coupling_start = structure.coupling_start,
                            .coupling_col = structure.coupling_col,
                            .dense_start = structure.dense_start,
                            .dense_col = structure.dense_col,
                            .row_rank = ranks};
    BASE_TRY(h2_matrix_alloc(context, &shape, b->matrix));
done:
    h2_structure_free(&structure);
    free(ranks);
    return status;
}

base_status h2_builder_open(base_context *context, const double *point, int64_t n, int64_t dim,
                            const h2_build_options *options, h2_matrix *matrix, h2_builder *builder) {
    base_status status;
    h2_tree tree = {0};
    *builder = (h2_builder){.options = options, .matrix = matrix};
    memset(matrix, 0, sizeof *matrix);
    BASE_TRY(h2_build_check(context, options));
    BASE_TRY(check_points(context, point, n, dim, options));
    init_interpolation(&builder->interpolation, options->order > 0 ? options->order : dim < 3 ? 8 : 4, dim);
    BASE_TRY(h2_tree_build(context, point, n, dim, options->leaf_size, options->split, &tree));
    BASE_TRY(shape(context, builder, &tree));
done:
    h2_tree_free(&tree);
    return status;
}

void h2_builder_close(h2_builder *builder) {
    free(builder->box);
    builder->box = NULL;
}

base_status h2_build(base_context *context, const double *point, int64_t n, int64_t dim,
                     const h2_build_options *options, h2_matrix *matrix) {
    base_status status;
    h2_builder builder;
    BASE_TRY(h2_builder_open(context, point, n, dim, options, matrix, &builder));
    BASE_TRY(h2_fill(context, &builder));
done:
    h2_builder_close(&builder);
    return status;
}
