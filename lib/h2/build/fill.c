/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbers of an H² matrix, on the CPU: Lagrange polynomials in the bases, the function in the blocks. */
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "h2/build/internal.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* One thread's numbers. */
typedef struct scratch {
    double *row, *col, *value;
} scratch;

/* ---- interpolation ---- */

/* All Lagrange polynomials of one dimension at x: L_s(x) = w_s Π (x - x_t) over t ≠ s. */
static void lagrange(const h2_interpolation *at, double x, double *value) {
    for (int64_t s = 0; s < at->order; s++) {
        value[s] = at->weight[s];
        for (int64_t other = 0; other < at->order; other++)
            if (other != s)
                value[s] *= x - at->point[other];
    }
}

/* The tensor Lagrange polynomials of a box at a point, which the box's affine map takes to [-1, 1]^dim. The
 * digits of s to the base `order` are the polynomials of the axes. */
static void lagrange_row(const h2_builder *b, int64_t node, const double *point, double *row) {
    const h2_interpolation *at = &b->interpolation;
    const double *low = b->box + 2 * node * at->dim, *high = low + at->dim;
    double value[H2_MOST_DIM][H2_MOST_ORDER];
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
static void interpolation_points(const h2_builder *b, int64_t node, double *point, int64_t point_step,
                                 int64_t axis_step) {
    const h2_interpolation *at = &b->interpolation;
    const double *low = b->box + 2 * node * at->dim, *high = low + at->dim;
    for (int64_t s = 0; s < at->rank; s++)
        for (int64_t axis = 0, rest = s; axis < at->dim; axis++, rest /= at->order)
            point[s * point_step + axis * axis_step] =
                (low[axis] + high[axis]) / 2 + (high[axis] - low[axis]) / 2 * at->point[rest % at->order];
}

/* ---- the numbers ---- */

static void fill_bases(h2_builder *b, int64_t node, scratch *scratch) {
    h2_matrix *matrix = b->matrix;
    const h2_tree *tree = &matrix->tree;
    const int64_t rank = matrix->row.rank[node], dim = tree->dim;
    /* U_is = L_s(x_i) in a leaf. */
    if (node >= tree->first_leaf && rank > 0)
        for (int64_t i = 0; i < h2_points_of(matrix, node); i++) {
            lagrange_row(b, node, tree->point + (tree->begin[node] + i) * dim, scratch->value);
            matrix->kernels->narrow(rank, scratch->value,
                                    h2_at(matrix, h2_leaf_basis(matrix, &matrix->row, node), i * rank));
        }
    const int64_t parent_rank = h2_parent_rank(matrix, &matrix->row, node);
    if (parent_rank == 0)
        return;
    /* E_st = L_t of the parent at the node's point s: interpolation in the node's box leaves the parent's
     * polynomials as they are. */
    interpolation_points(b, node, scratch->row, dim, 1);
    for (int64_t s = 0; s < rank; s++) {
        lagrange_row(b, tree->parent[node], scratch->row + s * dim, scratch->value);
        matrix->kernels->narrow(parent_rank, scratch->value,
                                h2_at(matrix, h2_transfer(matrix, &matrix->row, node), s * parent_rank));
    }
}

static void fill_coupling(h2_builder *b, int64_t node, scratch *scratch) {
    h2_matrix *matrix = b->matrix;
    const int64_t rank = b->interpolation.rank, dim = matrix->tree.dim;
    const h2_block_list *list = &matrix->coupling;
    /* S_st is the function of the row's point s and the column's point t. */
    interpolation_points(b, node, scratch->row, dim, 1);
    for (int64_t k = list->start[node]; k < list->start[node + 1]; k++) {
        interpolation_points(b, list->col[k], scratch->col, 1, rank);
        h2_function_fill(&b->options->function, dim, rank, scratch->row, rank, scratch->col, scratch->value);
        matrix->kernels->narrow(rank * rank, scratch->value, h2_block(matrix, list, k));
    }
}

static void fill_dense(h2_builder *b, int64_t node, scratch *scratch) {
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

/* ---- a given matrix ---- */

static void copy_block(const h2_builder *b, int64_t row, int64_t col, bool is_dense, void *to) {
    const h2_matrix *matrix = b->matrix;
    const h2_tree *tree = &matrix->tree;
    for (int64_t i = tree->begin[row]; i < tree->end[row]; i++)
        for (int64_t j = tree->begin[col]; j < tree->end[col]; j++) {
            const int64_t place = (i - tree->begin[row]) * h2_points_of(matrix, col) + j - tree->begin[col];
            const double value = b->options->given[tree->permutation[i] * tree->n + tree->permutation[j]] +
                                 (is_dense && i == j ? b->options->nugget : 0);
            matrix->kernels->narrow(1, &value, h2_at(matrix, to, place));
        }
}

/* Rows first … of the identity that has `width` columns, `count` of them. */
static void set_identity(const h2_matrix *matrix, int64_t count, int64_t width, int64_t first, void *to) {
    const double one = 1;
    memset(to, 0, (size_t)(count * width * matrix->head.value_bytes));
    for (int64_t i = 0; i < count; i++)
        matrix->kernels->narrow(1, &one, h2_at(matrix, to, i * width + first + i));
}

static void fill_given(const h2_builder *b, int64_t node) {
    const h2_matrix *matrix = b->matrix;
    const h2_tree *tree = &matrix->tree;
    const int64_t rank = matrix->row.rank[node], parent_rank = h2_parent_rank(matrix, &matrix->row, node);
    /* A node has one coefficient a point: its basis is the identity, of whose rows its transfer has those
     * that the parent's basis has for its points. */
    if (node >= tree->first_leaf && rank > 0)
        set_identity(matrix, rank, rank, 0, h2_leaf_basis(matrix, &matrix->row, node));
    if (parent_rank > 0)
        set_identity(matrix, rank, parent_rank, tree->begin[node] - tree->begin[tree->parent[node]],
                     h2_transfer(matrix, &matrix->row, node));
    for (int64_t k = matrix->coupling.start[node]; k < matrix->coupling.start[node + 1]; k++)
        copy_block(b, node, matrix->coupling.col[k], false, h2_block(matrix, &matrix->coupling, k));
    for (int64_t k = matrix->dense.start[node]; k < matrix->dense.start[node + 1]; k++)
        copy_block(b, node, matrix->dense.col[k], true, h2_block(matrix, &matrix->dense, k));
}

/* ---- all nodes ---- */

static base_status alloc_scratch(base_context *context, const h2_builder *b, int threads, scratch *scratch) {
    const int64_t points = h2_most_points(b->matrix), rank = b->interpolation.rank;
    const int64_t most = points > rank ? points : rank, dim = b->matrix->tree.dim;
    for (int i = 0; i < threads; i++) {
        scratch[i].row = base_alloc_aligned(context, most * dim, sizeof(double));
        scratch[i].col = base_alloc_aligned(context, most * dim, sizeof(double));
        scratch[i].value = base_alloc_aligned(context, most * most, sizeof(double));
        if (scratch[i].row == NULL || scratch[i].col == NULL || scratch[i].value == NULL)
            return BASE_MACHINE;
    }
    return BASE_OK;
}

base_status h2_fill(base_context *context, h2_builder *b) {
    const int threads = context->threads;
    const int64_t nodes = b->matrix->tree.nodes;
    base_status status = BASE_OK;
    scratch *all = base_alloc_zero(context, threads, sizeof *all);
    if (all == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(alloc_scratch(context, b, threads, all));
    h2_matrix_prepare(context, b->matrix);
    base_progress_start(context, "build", (double)nodes, "clusters");
#pragma omp parallel num_threads(threads)
#pragma omp for schedule(dynamic, 4)
    for (int64_t node = 0; node < nodes; node++) {
        scratch *mine = &all[omp_get_thread_num()];
        if (base_is_stopping(context))
            continue;
        if (b->options->given != NULL) {
            fill_given(b, node);
        } else {
            fill_bases(b, node, mine);
            fill_coupling(b, node, mine);
            fill_dense(b, node, mine);
        }
        base_progress_add(context, 1);
    }
    base_progress_finish(context);
    BASE_TRY(base_stop_check(context));
done:
    for (int i = 0; all != NULL && i < threads; i++) {
        free(all[i].row);
        free(all[i].col);
        free(all[i].value);
    }
    free(all);
    return status;
}
