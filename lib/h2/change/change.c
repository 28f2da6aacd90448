/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/change/change.h"
#include "base/core/memory.h"
#include "base/run/progress.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

base_status h2_change_alloc(base_context *context, const h2_matrix *matrix, const h2_basis *basis,
                            const int64_t *most_rank, h2_change *change) {
    const int64_t nodes = matrix->tree.nodes;
    change->offset = base_alloc(context, nodes + 1, sizeof *change->offset);
    if (change->offset == NULL)
        return BASE_MACHINE;
    change->offset[0] = 0;
    for (int64_t node = 0; node < nodes; node++)
        change->offset[node + 1] = change->offset[node] + most_rank[node] * basis->rank[node];
    change->t = base_alloc_aligned(context, change->offset[nodes], matrix->head.value_bytes);
    return change->t != NULL ? BASE_OK : BASE_MACHINE;
}

void h2_change_free(h2_change *change) {
    free(change->offset);
    free(change->t);
    change->offset = NULL;
    change->t = NULL;
}

int64_t h2_child_ranks(const h2_matrix *matrix, const int64_t *rank, int64_t node) {
    int64_t sum = 0;
    for (int64_t child = matrix->child[node]; child < matrix->child[node + 1]; child++)
        sum += rank[child];
    return sum;
}

int64_t h2_most_child_ranks(const h2_matrix *matrix, const int64_t *rank) {
    int64_t most = 0;
    for (int64_t node = 0; node < matrix->tree.first_leaf; node++) {
        const int64_t rows = h2_child_ranks(matrix, rank, node);
        most = rows > most ? rows : most;
    }
    return most;
}

void h2_stack_children(const h2_matrix *matrix, const h2_basis *basis, const h2_change *change,
                       const int64_t *new_rank, int64_t node, void *z) {
    const int64_t rank = basis->rank[node];
    int64_t row = 0;
    for (int64_t child = matrix->child[node]; child < matrix->child[node + 1]; child++) {
        matrix->kernels->multiply(&(h2_product){.update = H2_SET,
                                                .m = new_rank[child],
                                                .n = rank,
                                                .p = basis->rank[child],
                                                .a = h2_change_of(matrix, change, child),
                                                .a_row = basis->rank[child],
                                                .a_col = 1,
                                                .b = h2_transfer(matrix, basis, child),
                                                .b_row = rank,
                                                .c = h2_at(matrix, z, row * rank),
                                                .c_row = rank});
        row += new_rank[child];
    }
}

/* The blocks of one row; `tt` has the transposes of the columns' T. */
static void change_row(const h2_matrix *from, const h2_change *row, const h2_change *col, const char *tt,
                       h2_matrix *to, int64_t i, void *middle) {
    const h2_block_list *list = &from->coupling;
    const int64_t rank = from->row.rank[i], new_rank = to->row.rank[i];
    for (int64_t k = list->start[i]; k < list->start[i + 1]; k++) {
        /* T_i S, then (T_i S) T_jᵀ. */
        const int64_t j = list->col[k], col_rank = from->col.rank[j], new_col_rank = to->col.rank[j];
        from->kernels->multiply(&(h2_product){.update = H2_SET,
                                              .m = new_rank,
                                              .n = col_rank,
                                              .p = rank,
                                              .a = h2_change_of(from, row, i),
                                              .a_row = rank,
                                              .a_col = 1,
                                              .b = h2_block(from, list, k),
                                              .b_row = col_rank,
                                              .c = middle,
                                              .c_row = col_rank});
        from->kernels->multiply(&(h2_product){.update = H2_SET,
                                              .m = new_rank,
                                              .n = new_col_rank,
                                              .p = col_rank,
                                              .a = middle,
                                              .a_row = col_rank,
                                              .a_col = 1,
                                              .b = h2_at(from, tt, col->offset[j]),
                                              .b_row = new_col_rank,
                                              .c = h2_block(to, &to->coupling, k),
                                              .c_row = new_col_rank});
    }
}

base_status h2_change_blocks(base_context *context, const h2_matrix *from, const h2_change *row,
                             const h2_change *col, h2_matrix *to) {
    const int64_t nodes = from->tree.nodes, most = h2_most_rank(from), bytes = from->head.value_bytes;
    const int64_t step = h2_padded_bytes(most * most * bytes);
    base_status status = BASE_OK;
    char *tt = base_alloc_aligned(context, col->offset[nodes], bytes);
    char *middle = base_alloc_aligned(context, context->threads, step);
    if (tt == NULL || middle == NULL)
        BASE_TRY(BASE_MACHINE);
    base_progress_start(context, "blocks", (double)nodes, "clusters");
#pragma omp parallel num_threads(context->threads)
    {
#pragma omp for schedule(dynamic, 16)
        for (int64_t j = 0; j < nodes; j++)
            from->kernels->transpose(to->col.rank[j], from->col.rank[j], h2_change_of(from, col, j),
                                     from->col.rank[j], h2_at(from, tt, col->offset[j]), to->col.rank[j]);
#pragma omp for schedule(dynamic, 4)
        for (int64_t i = 0; i < nodes; i++) {
            change_row(from, row, col, tt, to, i, middle + omp_get_thread_num() * step);
            base_progress_add(context, 1);
        }
    }
    base_progress_finish(context);
done:
    free(tt);
    free(middle);
    return status;
}

void h2_change_count(const h2_matrix *from, const h2_matrix *to, h2_phases *phases) {
    double numbers = 0, flop = 0;
    for (int64_t k = 0; k < from->coupling.count && phases != NULL; k++) {
        const int64_t i = from->coupling.row[k], j = from->coupling.col[k];
        const double rows = (double)from->row.rank[i], cols = (double)from->col.rank[j];
        const double new_rows = (double)to->row.rank[i], new_cols = (double)to->col.rank[j];
        numbers += rows * cols + new_rows * new_cols;
        flop += 2 * new_rows * cols * (rows + new_cols);
    }
    h2_phases_count(phases, "blocks", -1, numbers * (double)from->head.value_bytes, flop);
}
