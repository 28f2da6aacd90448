/* SPDX-License-Identifier: BSD-3-Clause */
/* The workspace of products on the CPU. */
#include "base/core/memory.h"
#include "h2/product/internal.h"

#include <stdlib.h>

static base_status open_slots(base_context *context, const h2_product_plan *plan, const int64_t *count,
                              int64_t numbers, int64_t group_bytes, h2_mv_operands *o) {
    const int64_t nodes = plan->matrix->tree.nodes;
    base_status status = BASE_OK;
    o->own = base_alloc_aligned(context, numbers, group_bytes);
    if (o->own == NULL)
        BASE_TRY(BASE_MACHINE);
    if (plan->threads > 1) {
        o->slot = base_alloc(context, nodes + 1, sizeof *o->slot);
        if (o->slot == NULL)
            BASE_TRY(BASE_MACHINE);
        o->slot[0] = 0;
        for (int64_t node = 0; node < nodes; node++)
            o->slot[node + 1] = o->slot[node] + count[node] * (o->list->incoming_start[node + 1] -
                                                               o->list->incoming_start[node]);
        o->slots = base_alloc_aligned(context, o->slot[nodes], group_bytes);
        if (o->slots == NULL)
            BASE_TRY(BASE_MACHINE);
    }
done:
    return status;
}

base_status h2_mv_plan_open(base_context *context, const h2_matrix *matrix, int64_t vectors, bool whole,
                            h2_product_plan **result) {
    base_status status = BASE_OK;
    const h2_tree *tree = &matrix->tree;
    const int64_t group_bytes = (vectors < H2_MV_GROUP ? vectors : H2_MV_GROUP) * matrix->head.value_bytes;
    const int64_t row = matrix->row.start[tree->nodes], col = matrix->col.start[tree->nodes];
    const int64_t coefficients = row > col ? row : col;
    h2_product_plan *plan = base_alloc_zero(context, 1, sizeof *plan);
    *result = plan;
    if (plan == NULL)
        BASE_TRY(BASE_MACHINE);
    plan->matrix = matrix;
    plan->threads = context->threads;
    plan->points = base_alloc_zero(context, tree->nodes, sizeof *plan->points);
    plan->point_place = base_alloc_zero(context, tree->nodes, sizeof *plan->point_place);
    plan->x = base_alloc_aligned(context, tree->n, group_bytes);
    plan->y = base_alloc_aligned(context, tree->n, group_bytes);
    plan->in = base_alloc_aligned(context, coefficients, group_bytes);
    plan->out = base_alloc_aligned(context, coefficients, group_bytes);
    if (plan->points == NULL || plan->point_place == NULL || plan->x == NULL || plan->y == NULL ||
        plan->in == NULL || plan->out == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t node = tree->first_leaf; node < tree->nodes; node++) {
        plan->points[node] = h2_points_of(matrix, node);
        plan->point_place[node] = tree->begin[node];
    }
    plan->coupling = (h2_mv_operands){.list = &matrix->coupling, .in = plan->in, .out = plan->out};
    plan->dense = (h2_mv_operands){.list = &matrix->dense,
                                   .in_place = plan->point_place,
                                   .out_place = plan->point_place,
                                   .in_count = plan->points,
                                   .out_count = plan->points,
                                   .in = plan->x,
                                   .out = plan->y};
    if (whole && h2_is_symmetric(matrix)) {
        BASE_TRY(open_slots(context, plan, matrix->row.rank, coefficients, group_bytes, &plan->coupling));
        BASE_TRY(open_slots(context, plan, plan->points, tree->n, group_bytes, &plan->dense));
    }
done:
    return status;
}

base_status h2_mv_open(base_context *context, const h2_matrix *matrix, int64_t vectors,
                       h2_product_plan **plan) {
    return h2_mv_plan_open(context, matrix, vectors, true, plan);
}

static void close_operands(h2_mv_operands *o) {
    free(o->own);
    free(o->slots);
    free(o->slot);
}

void h2_mv_close(h2_product_plan *plan) {
    if (plan == NULL)
        return;
    close_operands(&plan->coupling);
    close_operands(&plan->dense);
    free(plan->points);
    free(plan->point_place);
    free(plan->x);
    free(plan->y);
    free(plan->in);
    free(plan->out);
    free(plan);
}
