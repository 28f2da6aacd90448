/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/change/weights.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "h2/change/change.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { PANEL_ROWS = 16 }; /* of a symmetric product that are computed together, from the diagonal on */

typedef struct summer {
    const h2_matrix *matrix;
    const h2_basis *basis, *other; /* of the side, and of the other one */
    bool columns;
    h2_weights *weights;
    char *rows, *middle, *work; /* of each thread */
    int64_t rows_step, work_step;
} summer;

/* The upper triangle of G += AᵀP for A and P of `count` rows, where AᵀP is symmetric. */
static void add_gram(const summer *s, int64_t rank, int64_t count, const void *a, int64_t a_row,
                     int64_t a_col, const void *p, void *g) {
    const h2_matrix *matrix = s->matrix;
    for (int64_t first = 0; first < rank; first += PANEL_ROWS)
        matrix->kernels->multiply(&(h2_product){.update = H2_ADD,
                                                .m = rank - first < PANEL_ROWS ? rank - first : PANEL_ROWS,
                                                .n = rank - first,
                                                .p = count,
                                                .a = h2_at(matrix, a, first * a_row),
                                                .a_row = a_row,
                                                .a_col = a_col,
                                                .b = h2_at(matrix, p, first),
                                                .b_row = rank,
                                                .c = h2_at(matrix, g, first * rank + first),
                                                .c_row = rank});
}

/* A block's rows, seen from the node: P (count × rank), which stands for PᵀP. */
static void add_rows(const summer *s, int64_t rank, int64_t count, const void *block, bool transposed,
                     void *weight, char *rows, char *work) {
    const h2_kernels *kernels = s->matrix->kernels;
    const void *p = block;
    if (transposed) {
        kernels->transpose(rank, count, block, count, rows, rank);
        p = rows;
    } else if (!s->weights->gram) {
        memcpy(rows, block, (size_t)(rank * count * kernels->bytes));
    }
    if (!s->weights->gram)
        kernels->absorb(rank, weight, count, rows, work);
    else if (transposed)
        add_gram(s, rank, count, block, count, 1, p, weight);
    else
        add_gram(s, rank, count, p, 1, rank, p, weight);
}

/* R_parent Eᵀ is one more block of rows; in Gram form its square is E G_parent Eᵀ. */
static void add_parent(const summer *s, int64_t node, void *weight, char *rows, char *middle, char *work) {
    const h2_matrix *matrix = s->matrix;
    const h2_kernels *kernels = matrix->kernels;
    const int64_t rank = s->basis->rank[node], parent_rank = h2_parent_rank(matrix, s->basis, node);
    if (parent_rank == 0)
        return;
    const void *transfer = h2_transfer(matrix, s->basis, node);
    const void *above = h2_weight_of(matrix, s->weights, matrix->tree.parent[node]);
    kernels->transpose(rank, parent_rank, transfer, parent_rank, rows, rank);
    kernels->multiply(&(h2_product){.update = H2_SET,
                                    .m = parent_rank,
                                    .n = rank,
                                    .p = parent_rank,
                                    .a = above,
                                    .a_row = parent_rank,
                                    .a_col = 1,
                                    .b = rows,
                                    .b_row = rank,
                                    .c = middle,
                                    .c_row = rank});
    if (s->weights->gram)
        add_gram(s, rank, parent_rank, transfer, parent_rank, 1, middle, weight);
    else
        kernels->absorb(rank, weight, parent_rank, middle, work);
}

/* Copies the upper triangle of a symmetric matrix to the lower one. */
static void mirror(const h2_matrix *matrix, int64_t rank, void *g) {
    for (int64_t i = 1; i < rank; i++)
        for (int64_t j = 0; j < i; j++)
            memcpy(h2_at(matrix, g, i * rank + j), h2_at(matrix, g, j * rank + i),
                   (size_t)matrix->head.value_bytes);
}

static void weigh_node(const summer *s, int64_t node, char *rows, char *middle, char *work) {
    const h2_matrix *matrix = s->matrix;
    const h2_block_list *list = &matrix->coupling;
    const int64_t rank = s->basis->rank[node];
    void *weight = h2_weight_of(matrix, s->weights, node);
    memset(weight, 0, (size_t)(rank * rank * matrix->head.value_bytes));
    if (rank == 0)
        return;
    add_parent(s, node, weight, rows, middle, work);
    if (!s->columns)
        for (int64_t k = list->start[node]; k < list->start[node + 1]; k++)
            add_rows(s, rank, s->other->rank[list->col[k]], h2_block(matrix, list, k), true, weight, rows,
                     work);
    if (s->columns || h2_is_symmetric(matrix))
        for (int64_t place = list->incoming_start[node]; place < list->incoming_start[node + 1]; place++) {
            const int64_t k = list->incoming[place];
            add_rows(s, rank, s->other->rank[list->row[k]], h2_block(matrix, list, k), false, weight, rows,
                     work);
        }
    if (s->weights->gram)
        mirror(matrix, rank, weight);
}

static base_status alloc_weights(base_context *context, const summer *s) {
    const int64_t nodes = s->matrix->tree.nodes;
    h2_weights *weights = s->weights;
    weights->offset = base_alloc(context, nodes + 1, sizeof *weights->offset);
    if (weights->offset == NULL)
        return BASE_MACHINE;
    weights->offset[0] = 0;
    for (int64_t node = 0; node < nodes; node++)
        weights->offset[node + 1] = weights->offset[node] + s->basis->rank[node] * s->basis->rank[node];
    weights->value = base_alloc_aligned(context, weights->offset[nodes], s->matrix->head.value_bytes);
    return weights->value != NULL ? BASE_OK : BASE_MACHINE;
}

/* What a level's weights take: each of its blocks is read, from both sides if it stands for two. */
static void count_level(const summer *s, int64_t level, h2_phases *phases) {
    const h2_matrix *matrix = s->matrix;
    const h2_block_list *list = &matrix->coupling;
    const double sides = h2_is_symmetric(matrix) ? 2 : 1;
    const int64_t first = list->start[matrix->tree.level[level]],
                  last = list->start[matrix->tree.level[level + 1]];
    double numbers = 0, flop = 0;
    for (int64_t k = first; k < last; k++) {
        const double size = (double)(list->offset[k + 1] - list->offset[k]);
        numbers += sides * size;
        flop += sides * 2 * size * (double)s->basis->rank[s->columns ? list->col[k] : list->row[k]];
    }
    for (int64_t node = matrix->tree.level[level]; node < matrix->tree.level[level + 1]; node++) {
        const double rank = (double)s->basis->rank[node],
                     above = (double)h2_parent_rank(matrix, s->basis, node);
        numbers += rank * above;
        flop += 2 * rank * above * (rank + above);
    }
    h2_phases_count(phases, "weights", level, numbers * (double)matrix->head.value_bytes, flop);
}

base_status h2_weights_build(base_context *context, const h2_matrix *matrix, bool columns, bool gram,
                             h2_phases *phases, h2_weights *weights) {
    base_status status = BASE_OK;
    const h2_tree *tree = &matrix->tree;
    const int64_t most = h2_most_rank(matrix), bytes = matrix->head.value_bytes;
    summer s = {.matrix = matrix,
                .basis = columns ? &matrix->col : &matrix->row,
                .other = columns ? &matrix->row : &matrix->col,
                .columns = columns,
                .weights = weights,
                .rows_step = h2_padded_bytes(most * most * bytes),
                .work_step = h2_padded_bytes(h2_kernel_work(most, most) * bytes)};
    weights->gram = gram;
    s.rows = base_alloc_aligned(context, context->threads, s.rows_step);
    s.middle = base_alloc_aligned(context, context->threads, s.rows_step);
    s.work = base_alloc_aligned(context, context->threads, s.work_step);
    if (s.rows == NULL || s.middle == NULL || s.work == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(alloc_weights(context, &s));
    h2_phases_begin(phases);
    base_progress_start(context, "weights", (double)tree->nodes, "clusters");
#pragma omp parallel num_threads(context->threads)
    for (int64_t level = 0; level < tree->levels; level++) {
#pragma omp for schedule(dynamic, 2)
        for (int64_t node = tree->level[level]; node < tree->level[level + 1]; node++) {
            const int thread = omp_get_thread_num();
            weigh_node(&s, node, s.rows + thread * s.rows_step, s.middle + thread * s.rows_step,
                       s.work + thread * s.work_step);
            base_progress_add(context, 1);
        }
#pragma omp single nowait
        h2_phases_end(phases, "weights", level);
    }
    base_progress_finish(context);
    for (int64_t level = 0; level < tree->levels && phases != NULL; level++)
        count_level(&s, level, phases);
done:
    free(s.rows);
    free(s.middle);
    free(s.work);
    return status;
}

void h2_weights_free(h2_weights *weights) {
    free(weights->offset);
    free(weights->value);
    memset(weights, 0, sizeof *weights);
}
