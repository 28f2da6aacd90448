/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/change/orthog.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "h2/change/change.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

typedef struct orthogonalizer {
    const h2_matrix *matrix;
    const h2_basis *basis;
    const int64_t *rank; /* the new ones */
    h2_matrix *result;
    h2_basis *to;
    h2_change *change;
    char *stack, *work; /* of each thread */
    int64_t stack_step, work_step;
    h2_phases *phases;
} orthogonalizer;

void h2_orthogonal_ranks(const h2_matrix *matrix, const h2_basis *basis, int64_t *rank) {
    for (int64_t node = matrix->tree.nodes - 1; node >= 0; node--) {
        const int64_t rows =
            node >= matrix->tree.first_leaf ? h2_points_of(matrix, node) : h2_child_ranks(matrix, rank, node);
        rank[node] = rows < basis->rank[node] ? rows : basis->rank[node];
    }
}

/* Rows first … first + m - 1 of the identity of order k. */
static void set_identity(const h2_matrix *matrix, int64_t m, int64_t k, int64_t first, void *a) {
    const double one = 1;
    memset(a, 0, (size_t)(m * k * matrix->head.value_bytes));
    for (int64_t i = 0; i < m; i++)
        matrix->kernels->narrow(1, &one, h2_at(matrix, a, i * k + first + i));
}

/* U = Q T: Q is the new basis. With no more rows than columns it is the identity, and T is U. */
static void orthogonalize_leaf(const orthogonalizer *o, int64_t node, void *work) {
    const h2_matrix *matrix = o->matrix;
    const int64_t m = h2_points_of(matrix, node), k = o->basis->rank[node];
    const size_t size = (size_t)(m * k * matrix->head.value_bytes);
    const void *from = h2_leaf_basis(matrix, o->basis, node);
    void *to = h2_leaf_basis(o->result, o->to, node), *t = h2_change_of(matrix, o->change, node);
    if (m <= k) {
        memcpy(t, from, size);
        set_identity(matrix, m, m, 0, to);
    } else {
        memmove(to, from, size);
        matrix->kernels->orthogonalize(m, k, to, t, work);
    }
}

/* [T_c E_c; T_d E_d] = Q T for the children c and d: the pieces of Q are the children's new transfers. */
static void orthogonalize_inner(const orthogonalizer *o, int64_t node, void *z, void *work) {
    const h2_matrix *matrix = o->matrix;
    const int64_t k = o->basis->rank[node], rows = h2_child_ranks(matrix, o->rank, node);
    const int64_t bytes = matrix->head.value_bytes;
    void *t = h2_change_of(matrix, o->change, node);
    int64_t row = 0;
    h2_stack_children(matrix, o->basis, o->change, o->rank, node, z);
    if (rows <= k)
        memcpy(t, z, (size_t)(rows * k * bytes));
    else
        matrix->kernels->orthogonalize(rows, k, z, t, work);
    for (int64_t child = matrix->child[node]; child < matrix->child[node + 1]; child++) {
        const int64_t count = o->rank[child];
        void *to = h2_transfer(o->result, o->to, child);
        if (rows <= k)
            set_identity(matrix, count, rows, row, to);
        else
            memcpy(to, h2_at(matrix, z, row * k), (size_t)(count * k * bytes));
        row += count;
    }
}

/* Flop of a QR factorization of m × k by Householder reflections and of forming its Q, 2 m k² - 2 k³ / 3 each
 * (Golub, Van Loan: Matrix Computations, 5.2). */
static double factor_flop(double m, double k) {
    return m > k ? 4 * m * k * k - 4 * k * k * k / 3 : 0;
}

/* What a level's bases take: they are read and written. */
static void count_level(const orthogonalizer *o, int64_t level) {
    const h2_matrix *matrix = o->matrix;
    double numbers = 0, flop = 0;
    for (int64_t node = matrix->tree.level[level]; node < matrix->tree.level[level + 1]; node++) {
        const double k = (double)o->basis->rank[node];
        const bool is_leaf = node >= matrix->tree.first_leaf;
        const double m =
            (double)(is_leaf ? h2_points_of(matrix, node) : h2_child_ranks(matrix, o->rank, node));
        numbers += k > 0 ? m * k : 0;
        flop += k > 0 ? factor_flop(m, k) : 0;
        for (int64_t child = matrix->child[node]; child < matrix->child[node + 1] && k > 0; child++)
            flop += 2 * (double)(o->rank[child] * o->basis->rank[child]) * k;
    }
    h2_phases_count(o->phases, "bases", level, 2 * numbers * (double)matrix->head.value_bytes, flop);
}

static base_status orthogonalize_basis(base_context *context, orthogonalizer *o) {
    base_status status = BASE_OK;
    const h2_tree *tree = &o->matrix->tree;
    const int64_t bytes = o->matrix->head.value_bytes, rank = h2_most_rank(o->matrix);
    const int64_t rows = h2_most_child_ranks(o->matrix, o->rank), points = h2_most_points(o->matrix);
    o->stack_step = h2_padded_bytes(rows * rank * bytes);
    o->work_step = h2_padded_bytes(h2_kernel_work(rows > points ? rows : points, rank) * bytes);
    o->stack = base_alloc_aligned(context, context->threads, o->stack_step);
    o->work = base_alloc_aligned(context, context->threads, o->work_step);
    if (o->stack == NULL || o->work == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(h2_change_alloc(context, o->matrix, o->basis, o->rank, o->change));
    h2_phases_begin(o->phases);
    base_progress_start(context, "orthogonalize", (double)tree->nodes, "clusters");
#pragma omp parallel num_threads(context->threads)
    for (int64_t level = tree->levels - 1; level >= 0; level--) {
#pragma omp for schedule(dynamic, 2)
        for (int64_t node = tree->level[level]; node < tree->level[level + 1]; node++) {
            const int thread = omp_get_thread_num();
            if (o->basis->rank[node] > 0 && node >= tree->first_leaf)
                orthogonalize_leaf(o, node, o->work + thread * o->work_step);
            else if (o->basis->rank[node] > 0)
                orthogonalize_inner(o, node, o->stack + thread * o->stack_step,
                                    o->work + thread * o->work_step);
            base_progress_add(context, 1);
        }
#pragma omp single nowait
        h2_phases_end(o->phases, "bases", level);
    }
    base_progress_finish(context);
    for (int64_t level = 0; level < tree->levels && o->phases != NULL; level++)
        count_level(o, level);
done:
    free(o->stack);
    free(o->work);
    return status;
}

/* `result` has the new ranks, or is the matrix itself. */
static base_status orthogonalize_into(base_context *context, const h2_matrix *matrix, h2_matrix *result,
                                      void *data) {
    base_status status;
    h2_phases *phases = data;
    const bool own_columns = (matrix->head.flags & H2_OWN_COLUMNS) != 0;
    h2_change row = {0}, col = {0};
    orthogonalizer rows = {.matrix = matrix,
                           .basis = &matrix->row,
                           .rank = result->row.rank,
                           .result = result,
                           .to = &result->row,
                           .change = &row,
                           .phases = phases};
    BASE_TRY(orthogonalize_basis(context, &rows));
    if (own_columns) {
        orthogonalizer cols = {.matrix = matrix,
                               .basis = &matrix->col,
                               .rank = result->col.rank,
                               .result = result,
                               .to = &result->col,
                               .change = &col,
                               .phases = phases};
        BASE_TRY(orthogonalize_basis(context, &cols));
    }
    h2_phases_begin(phases);
    BASE_TRY(h2_change_blocks(context, matrix, &row, own_columns ? &col : &row, result));
    h2_phases_end(phases, "blocks", -1);
    h2_change_count(matrix, result, phases);
done:
    h2_change_free(&row);
    h2_change_free(&col);
    return status;
}

base_status h2_orthogonalize(base_context *context, h2_matrix *matrix) {
    return h2_orthogonalize_noting(context, matrix, NULL);
}

base_status h2_orthogonalize_noting(base_context *context, h2_matrix *matrix, h2_phases *phases) {
    return h2_orthogonalize_by(context, matrix, orthogonalize_into, phases);
}

base_status h2_orthogonalize_by(base_context *context, h2_matrix *matrix, h2_orthogonalize_into *into,
                                void *data) {
    base_status status = BASE_OK;
    const int64_t nodes = matrix->tree.nodes;
    const size_t size = (size_t)nodes * sizeof(int64_t);
    h2_matrix result = {.payload = NULL};
    h2_shape shape = h2_matrix_shape(matrix);
    int64_t *row_rank = base_alloc(context, nodes, sizeof *row_rank);
    int64_t *col_rank = base_alloc(context, nodes, sizeof *col_rank);
    if (row_rank == NULL || col_rank == NULL)
        BASE_TRY(BASE_MACHINE);
    h2_orthogonal_ranks(matrix, &matrix->row, row_rank);
    h2_orthogonal_ranks(matrix, &matrix->col, col_rank);
    matrix->head.flags |= H2_ORTHOGONAL;
    if (memcmp(row_rank, matrix->row.rank, size) == 0 && memcmp(col_rank, matrix->col.rank, size) == 0) {
        BASE_TRY(h2_matrix_own(context, matrix));
        BASE_TRY(into(context, matrix, matrix, data));
        goto done;
    }
    shape.head = matrix->head;
    shape.row_rank = row_rank;
    shape.col_rank = col_rank;
    shape.without_dense = true;
    BASE_TRY(h2_matrix_alloc(context, &shape, &result));
    BASE_TRY(into(context, matrix, &result, data));
    BASE_TRY(h2_matrix_take_dense(context, &result, matrix));
done:
    h2_matrix_free(&result);
    free(row_rank);
    free(col_rank);
    return status;
}
