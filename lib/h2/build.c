#include "h2/build.h"
#include "base/memory.h"
#include "base/progress.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

const h2_build_options h2_build_default = {
    .function = {H2_EXPONENTIAL, 0.1}, .leaf_size = 64, .split = H2_MEDIAN, .admissibility = H2_CENTER};

enum { MOST_ORDER = 24 };

/* Interpolation on [-1, 1]: its points and 1/Π(own point - others). */
typedef struct interpolation {
    int64_t order, rank, dim;
    double point[MOST_ORDER], weight[MOST_ORDER];
} interpolation;

/* One thread's numbers. */
typedef struct scratch {
    double *row, *col, *value;
} scratch;

typedef struct builder {
    base_context *context;
    const h2_build_options *options;
    h2_matrix *matrix;
    double *box; /* of each node: low[dim], high[dim], with some extent everywhere */
    scratch *scratch;
    interpolation interpolation;
} builder;

/* ---- interpolation ---- */

static void init_interpolation(interpolation *at, int64_t order, int64_t dim) {
    at->order = order;
    at->dim = dim;
    at->rank = 1;
    for (int64_t axis = 0; axis < dim; axis++)
        at->rank *= order;
    for (int64_t s = 0; s < order; s++)
        at->point[s] = cos((double)(2 * s + 1) * 3.14159265358979323846 / (double)(2 * order));
    for (int64_t s = 0; s < order; s++) {
        at->weight[s] = 1;
        for (int64_t other = 0; other < order; other++)
            if (other != s)
                at->weight[s] /= at->point[s] - at->point[other];
    }
}

/* All Lagrange polynomials of one dimension at x. */
static void lagrange(const interpolation *at, double x, double *value) {
    for (int64_t s = 0; s < at->order; s++) {
        value[s] = at->weight[s];
        for (int64_t other = 0; other < at->order; other++)
            if (other != s)
                value[s] *= x - at->point[other];
    }
}

/* The tensor Lagrange polynomials of a box at a point, in row `row` of rank numbers. */
static void lagrange_row(const builder *b, int64_t node, const double *point, double *row) {
    const interpolation *at = &b->interpolation;
    const double *low = b->box + 2 * node * at->dim, *high = low + at->dim;
    double value[H2_MOST_DIM][MOST_ORDER];
    for (int64_t axis = 0; axis < at->dim; axis++)
        lagrange(at, (2 * point[axis] - low[axis] - high[axis]) / (high[axis] - low[axis]), value[axis]);
    for (int64_t s = 0; s < at->rank; s++) {
        row[s] = value[0][s % at->order];
        for (int64_t axis = 1, rest = s / at->order; axis < at->dim; axis++, rest /= at->order)
            row[s] *= value[axis][rest % at->order];
    }
}

/* The points of interpolation in a node's box: coordinate `axis` of point s at s·point_step + axis·axis_step.
 */
static void interpolation_points(const builder *b, int64_t node, double *point, int64_t point_step,
                                 int64_t axis_step) {
    const interpolation *at = &b->interpolation;
    const double *low = b->box + 2 * node * at->dim, *high = low + at->dim;
    for (int64_t s = 0; s < at->rank; s++)
        for (int64_t axis = 0, rest = s; axis < at->dim; axis++, rest /= at->order)
            point[s * point_step + axis * axis_step] =
                (low[axis] + high[axis]) / 2 + (high[axis] - low[axis]) / 2 * at->point[rest % at->order];
}

/* Clusters without extent in a dimension get a little of it. */
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

/* ---- the numbers ---- */

static void fill_bases(builder *b, int64_t node, scratch *scratch) {
    h2_matrix *matrix = b->matrix;
    const h2_tree *tree = &matrix->tree;
    const int64_t rank = matrix->row.rank[node], dim = tree->dim;
    if (node >= tree->first_leaf && rank > 0)
        for (int64_t i = 0; i < h2_points_of(matrix, node); i++) {
            lagrange_row(b, node, tree->point + (tree->begin[node] + i) * dim, scratch->value);
            matrix->kernels->narrow(rank, scratch->value,
                                    h2_at(matrix, h2_leaf_basis(matrix, &matrix->row, node), i * rank));
        }
    const int64_t parent_rank = h2_parent_rank(matrix, &matrix->row, node);
    if (parent_rank == 0)
        return;
    interpolation_points(b, node, scratch->row, dim, 1);
    for (int64_t s = 0; s < rank; s++) {
        lagrange_row(b, tree->parent[node], scratch->row + s * dim, scratch->value);
        matrix->kernels->narrow(parent_rank, scratch->value,
                                h2_at(matrix, h2_transfer(matrix, &matrix->row, node), s * parent_rank));
    }
}

static void fill_coupling(builder *b, int64_t node, scratch *scratch) {
    h2_matrix *matrix = b->matrix;
    const int64_t rank = b->interpolation.rank, dim = matrix->tree.dim;
    const h2_block_list *list = &matrix->coupling;
    interpolation_points(b, node, scratch->row, dim, 1);
    for (int64_t k = list->start[node]; k < list->start[node + 1]; k++) {
        interpolation_points(b, list->col[k], scratch->col, 1, rank);
        h2_function_fill(&b->options->function, dim, rank, scratch->row, rank, scratch->col, scratch->value);
        matrix->kernels->narrow(rank * rank, scratch->value, h2_block(matrix, list, k));
    }
}

static void fill_dense(builder *b, int64_t node, scratch *scratch) {
    h2_matrix *matrix = b->matrix;
    const h2_tree *tree = &matrix->tree;
    const h2_block_list *list = &matrix->dense;
    const int64_t nrow = h2_points_of(matrix, node), dim = tree->dim;
    for (int64_t k = list->start[node]; k < list->start[node + 1]; k++) {
        const int64_t col = list->col[k], ncol = h2_points_of(matrix, col);
        for (int64_t j = 0; j < ncol; j++)
            for (int64_t axis = 0; axis < dim; axis++)
                scratch->col[axis * ncol + j] = tree->point[(tree->begin[col] + j) * dim + axis];
        h2_function_fill(&b->options->function, dim, nrow, tree->point + tree->begin[node] * dim, ncol,
                         scratch->col, scratch->value);
        for (int64_t i = 0; i < nrow && col == node; i++)
            scratch->value[i * ncol + i] += b->options->nugget;
        matrix->kernels->narrow(nrow * ncol, scratch->value, h2_block(matrix, list, k));
    }
}

static base_status alloc_scratch(builder *b, int threads) {
    const int64_t points = h2_most_points(b->matrix), rank = b->interpolation.rank;
    const int64_t most = points > rank ? points : rank, dim = b->matrix->tree.dim;
    b->scratch = base_alloc_zero(b->context, threads, sizeof *b->scratch);
    if (b->scratch == NULL)
        return BASE_MACHINE;
    for (int i = 0; i < threads; i++) {
        b->scratch[i].row = base_alloc_aligned(b->context, most * dim, sizeof(double));
        b->scratch[i].col = base_alloc_aligned(b->context, most * dim, sizeof(double));
        b->scratch[i].value = base_alloc_aligned(b->context, most * most, sizeof(double));
        if (b->scratch[i].row == NULL || b->scratch[i].col == NULL || b->scratch[i].value == NULL)
            return BASE_MACHINE;
    }
    return BASE_OK;
}

static void fill(builder *b, int threads) {
    const int64_t nodes = b->matrix->tree.nodes;
    base_progress_start(b->context, "build", (double)nodes, "clusters");
#pragma omp parallel num_threads(threads)
#pragma omp for schedule(dynamic, 4)
    for (int64_t node = 0; node < nodes; node++) {
        scratch *mine = &b->scratch[omp_get_thread_num()];
        fill_bases(b, node, mine);
        fill_coupling(b, node, mine);
        fill_dense(b, node, mine);
        base_progress_add(b->context, 1);
    }
    base_progress_finish(b->context);
}

/* ---- the shape ---- */

/* All nodes from the first level with coupling blocks on have the full rank. */
static void set_ranks(const h2_tree *tree, const h2_structure *structure, int64_t rank, int64_t *ranks) {
    bool found = false;
    for (int64_t level = 0; level < tree->levels; level++) {
        const int64_t first = tree->level[level], last = tree->level[level + 1];
        found = found || structure->coupling_start[last] > structure->coupling_start[first];
        for (int64_t node = first; node < last; node++)
            ranks[node] = found ? rank : 0;
    }
}

base_status h2_build_check(base_context *context, const h2_build_options *options) {
    if (options->order > MOST_ORDER)
        return base_fail(context, BASE_USAGE, "--order: at most %d", MOST_ORDER);
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

static base_status shape(builder *b, const h2_tree *tree, double eta) {
    const h2_build_options *options = b->options;
    const bool symmetric = !options->full && h2_function_is_symmetric(options->function.kind);
    base_context *context = b->context;
    base_status status;
    h2_structure structure = {0};
    int64_t *ranks = base_alloc(context, tree->nodes, sizeof *ranks);
    if (ranks == NULL)
        return BASE_MACHINE;
    BASE_TRY(h2_tree_boxes(context, tree, &b->box));
    BASE_TRY(h2_structure_build(context, tree, b->box, options->admissibility, eta, symmetric, &structure));
    widen_boxes(b->box, tree->nodes, tree->dim);
    set_ranks(tree, &structure, b->interpolation.rank, ranks);
    const h2_shape shape = {.head = {.value_bytes = options->single ? 4 : 8,
                                     .flags = symmetric ? H2_SYMMETRIC : 0,
                                     .leaf_size = options->leaf_size,
                                     .order = b->interpolation.order,
                                     .split = options->split,
                                     .admissibility = options->admissibility,
                                     .function = options->function.kind,
                                     .eta = eta,
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

base_status h2_build(base_context *context, const double *point, int64_t n, int64_t dim,
                     const h2_build_options *options, h2_matrix *matrix) {
    base_status status;
    h2_tree tree = {0};
    builder b = {.context = context, .options = options, .matrix = matrix};
    const int threads = context->threads;
    memset(matrix, 0, sizeof *matrix);
    BASE_TRY(h2_build_check(context, options));
    BASE_TRY(check_points(context, point, n, dim, options));
    init_interpolation(&b.interpolation, options->order > 0 ? options->order : dim < 3 ? 8 : 4, dim);
    BASE_TRY(h2_tree_build(context, point, n, dim, options->leaf_size, options->split, &tree));
    BASE_TRY(shape(&b, &tree, options->eta > 0 ? options->eta : dim == 2 ? 0.9 : 1));
    BASE_TRY(alloc_scratch(&b, threads));
    fill(&b, threads);
done:
    for (int i = 0; b.scratch != NULL && i < threads; i++) {
        free(b.scratch[i].row);
        free(b.scratch[i].col);
        free(b.scratch[i].value);
    }
    free(b.scratch);
    free(b.box);
    h2_tree_free(&tree);
    return status;
}
