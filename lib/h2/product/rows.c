/* SPDX-License-Identifier: BSD-3-Clause */
/* Some rows of a product, without the others. */
#include "base/core/memory.h"
#include "h2/product/internal.h"

#include <stdlib.h>

/* The stored blocks of a node's row and, of a matrix of which half is stored, those that stand for others. */
static void apply_row(const h2_product_plan *plan, const h2_mv_operands *o, int64_t node) {
    const h2_matrix *matrix = plan->matrix;
    const h2_block_list *list = o->list;
    char *to = h2_mv_at(plan, o->out, o->out_place[node]);
    for (int64_t k = list->start[node]; k < list->start[node + 1]; k++)
        matrix->kernels->apply(&(h2_application){.m = o->out_count[node],
                                                 .k = o->in_count[list->col[k]],
                                                 .vectors = plan->vectors,
                                                 .block = h2_block(matrix, list, k),
                                                 .x = h2_mv_at(plan, o->in, o->in_place[list->col[k]]),
                                                 .y = to});
    if (!h2_is_symmetric(matrix))
        return;
    for (int64_t place = list->incoming_start[node]; place < list->incoming_start[node + 1]; place++) {
        const int64_t k = list->incoming[place], row = list->row[k];
        matrix->kernels->apply(&(h2_application){.m = o->in_count[row],
                                                 .k = o->out_count[node],
                                                 .vectors = plan->vectors,
                                                 .block = h2_block(matrix, list, k),
                                                 .xt = h2_mv_at(plan, o->in, o->in_place[row]),
                                                 .yt = to});
    }
}

/* Marks the leaf of a row, and all clusters that contain it. */
static void mark_path(const h2_tree *tree, int64_t row, bool *wanted) {
    int64_t node = tree->first_leaf, end = tree->nodes;
    while (end - node > 1) {
        const int64_t middle = (node + end) / 2;
        if (tree->begin[middle] <= row)
            node = middle;
        else
            end = middle;
    }
    for (; node >= 0 && !wanted[node]; node = tree->parent[node])
        wanted[node] = true;
}

static void multiply_rows(const h2_product_plan *plan, const bool *wanted, const double *x) {
    const h2_tree *tree = &plan->matrix->tree;
#pragma omp parallel num_threads(plan->threads)
    {
        h2_mv_go_up(plan, x);
#pragma omp for schedule(dynamic, 4)
        for (int64_t node = 0; node < tree->nodes; node++)
            if (wanted[node]) {
                apply_row(plan, &plan->coupling, node);
                apply_row(plan, &plan->dense, node);
            }
        for (int64_t level = 0; level < tree->levels; level++) {
#pragma omp for schedule(dynamic, 4)
            for (int64_t node = tree->level[level]; node < tree->level[level + 1]; node++)
                if (wanted[node])
                    h2_mv_go_down(plan, node);
        }
    }
}

base_status h2_mv_rows(base_context *context, const h2_matrix *matrix, const double *x, int64_t rows,
                       const int64_t *row, double *y) {
    base_status status = BASE_OK;
    h2_product_plan *plan = NULL;
    bool *wanted = base_alloc_zero(context, matrix->tree.nodes, sizeof *wanted);
    if (wanted == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(h2_mv_plan_open(context, matrix, 1, false, &plan));
    plan->vectors = 1;
    h2_mv_set_bases(plan, false);
    for (int64_t i = 0; i < rows; i++)
        mark_path(&matrix->tree, row[i], wanted);
    multiply_rows(plan, wanted, x);
    for (int64_t i = 0; i < rows; i++)
        matrix->kernels->widen(1, h2_mv_at(plan, plan->y, row[i]), &y[i]);
done:
    h2_mv_close(plan);
    free(wanted);
    return status;
}
