/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/product/internal.h"

#include <string.h>

/* ---- bases ---- */

/* x̂ = Uᵀ x in a leaf, x̂ = Σ E_cᵀ x̂_c over the children c of another node. */
static void gather_children(const h2_product_plan *plan, int64_t node) {
    const h2_matrix *matrix = plan->matrix;
    const h2_basis *basis = plan->in_basis;
    const int64_t rank = basis->rank[node];
    char *to = h2_mv_at(plan, plan->in, basis->start[node]);
    memset(to, 0, h2_mv_size(plan, rank));
    if (rank == 0)
        return;
    if (node >= matrix->tree.first_leaf)
        matrix->kernels->apply(&(h2_application){.m = h2_points_of(matrix, node),
                                                 .k = rank,
                                                 .vectors = plan->vectors,
                                                 .block = h2_leaf_basis(matrix, basis, node),
                                                 .xt = h2_mv_at(plan, plan->x, matrix->tree.begin[node]),
                                                 .yt = to});
    for (int64_t child = matrix->child[node]; child < matrix->child[node + 1]; child++)
        matrix->kernels->apply(&(h2_application){.m = basis->rank[child],
                                                 .k = rank,
                                                 .vectors = plan->vectors,
                                                 .block = h2_transfer(matrix, basis, child),
                                                 .xt = h2_mv_at(plan, plan->in, basis->start[child]),
                                                 .yt = to});
}

static void load(const h2_product_plan *plan, const double *x, int64_t point) {
    const int64_t n = plan->matrix->tree.n, from = plan->matrix->tree.permutation[point];
    double row[H2_MV_GROUP];
    for (int64_t v = 0; v < plan->vectors; v++)
        row[v] = x[v * n + from];
    plan->matrix->kernels->narrow(plan->vectors, row, h2_mv_at(plan, plan->x, point));
}

void h2_mv_go_up(const h2_product_plan *plan, const double *x) {
    const h2_tree *tree = &plan->matrix->tree;
#pragma omp for schedule(static)
    for (int64_t i = 0; i < tree->n; i++)
        load(plan, x, i);
    for (int64_t level = tree->levels - 1; level >= 0; level--) {
#pragma omp for schedule(dynamic, 4)
        for (int64_t node = tree->level[level]; node < tree->level[level + 1]; node++) {
            gather_children(plan, node);
            memset(h2_mv_at(plan, plan->out, plan->out_basis->start[node]), 0,
                   h2_mv_size(plan, plan->out_basis->rank[node]));
            memset(h2_mv_at(plan, plan->y, plan->point_place[node]), 0, h2_mv_size(plan, plan->points[node]));
        }
#pragma omp single nowait
        h2_phases_end(plan->phases, "up", level);
    }
}

/* ŷ += E ŷ_parent; in a leaf then y += U ŷ. */
void h2_mv_go_down(const h2_product_plan *plan, int64_t node) {
    const h2_matrix *matrix = plan->matrix;
    const h2_basis *basis = plan->out_basis;
    const int64_t rank = basis->rank[node], parent_rank = h2_parent_rank(matrix, basis, node);
    char *own = h2_mv_at(plan, plan->out, basis->start[node]);
    if (rank > 0 && parent_rank > 0)
        matrix->kernels->apply(
            &(h2_application){.m = rank,
                              .k = parent_rank,
                              .vectors = plan->vectors,
                              .block = h2_transfer(matrix, basis, node),
                              .x = h2_mv_at(plan, plan->out, basis->start[matrix->tree.parent[node]]),
                              .y = own});
    if (rank > 0 && node >= matrix->tree.first_leaf)
        matrix->kernels->apply(&(h2_application){.m = h2_points_of(matrix, node),
                                                 .k = rank,
                                                 .vectors = plan->vectors,
                                                 .block = h2_leaf_basis(matrix, basis, node),
                                                 .x = own,
                                                 .y = h2_mv_at(plan, plan->y, matrix->tree.begin[node])});
}

/* ---- blocks ---- */

/* Half storage: each stored block of a row is applied to the row and, transposed, to its column. */
static void apply_half(const h2_product_plan *plan, const h2_mv_operands *o, int64_t row) {
    const h2_matrix *matrix = plan->matrix;
    const h2_block_list *list = o->list;
    char *own = h2_mv_at(plan, o->own, o->out_place[row]);
    memset(own, 0, h2_mv_size(plan, o->out_count[row]));
    for (int64_t k = list->start[row]; k < list->start[row + 1]; k++) {
        const int64_t col = list->col[k];
        h2_application application = {.m = o->out_count[row],
                                      .k = o->in_count[col],
                                      .vectors = plan->vectors,
                                      .block = h2_block(matrix, list, k),
                                      .x = h2_mv_at(plan, o->in, o->in_place[col]),
                                      .y = own};
        if (col != row) {
            application.xt = h2_mv_at(plan, o->in, o->in_place[row]);
            application.yt = h2_mv_at(plan, o->out, o->out_place[col]);
            if (o->slots != NULL) {
                const int64_t nth = list->position[k] - list->incoming_start[col];
                application.yt = h2_mv_at(plan, o->slots, o->slot[col] + nth * o->out_count[col]);
                memset(application.yt, 0, h2_mv_size(plan, o->out_count[col]));
            }
        }
        matrix->kernels->apply(&application);
    }
}

static void add_numbers(const h2_product_plan *plan, const char *from, char *to, int64_t count) {
    const int64_t all = count * plan->vectors;
    if (plan->matrix->head.value_bytes == 8)
        for (int64_t i = 0; i < all; i++)
            ((double *)to)[i] += ((const double *)from)[i];
    else
        for (int64_t i = 0; i < all; i++)
            ((float *)to)[i] += ((const float *)from)[i];
}

/* A row's sum: what came from its column, top to bottom, then its own. The order is the same whether the
 * former is there already or still in its slots. */
static void add_half(const h2_product_plan *plan, const h2_mv_operands *o, int64_t row) {
    const int64_t count = o->out_count[row];
    char *to = h2_mv_at(plan, o->out, o->out_place[row]);
    if (o->slots != NULL)
        for (int64_t nth = 0; nth < o->list->incoming_start[row + 1] - o->list->incoming_start[row]; nth++)
            add_numbers(plan, h2_mv_at(plan, o->slots, o->slot[row] + nth * count), to, count);
    add_numbers(plan, h2_mv_at(plan, o->own, o->out_place[row]), to, count);
}

static void apply_full(const h2_product_plan *plan, const h2_mv_operands *o, int64_t node) {
    const h2_matrix *matrix = plan->matrix;
    const h2_block_list *list = o->list;
    const int64_t *start = plan->transposed ? list->incoming_start : list->start;
    char *to = h2_mv_at(plan, o->out, o->out_place[node]);
    for (int64_t place = start[node]; place < start[node + 1]; place++) {
        const int64_t k = plan->transposed ? list->incoming[place] : place;
        const int64_t other = plan->transposed ? list->row[k] : list->col[k];
        const char *from = h2_mv_at(plan, o->in, o->in_place[other]);
        h2_application application = {.vectors = plan->vectors, .block = h2_block(matrix, list, k)};
        if (plan->transposed) {
            application.m = o->in_count[other];
            application.k = o->out_count[node];
            application.xt = from;
            application.yt = to;
        } else {
            application.m = o->out_count[node];
            application.k = o->in_count[other];
            application.x = from;
            application.y = to;
        }
        matrix->kernels->apply(&application);
    }
}

/* ---- one group of vectors ---- */

static void store(const h2_product_plan *plan, double alpha, double beta, double *y, int64_t point) {
    const int64_t n = plan->matrix->tree.n, to = plan->matrix->tree.permutation[point];
    double row[H2_MV_GROUP];
    plan->matrix->kernels->widen(plan->vectors, h2_mv_at(plan, plan->y, point), row);
    for (int64_t v = 0; v < plan->vectors; v++)
        y[v * n + to] = beta == 0 ? alpha * row[v] : alpha * row[v] + beta * y[v * n + to];
}

/* The blocks of nodes first … last-1. */
static void apply_blocks(const h2_product_plan *plan, const h2_mv_operands *o, int64_t first, int64_t last) {
    const bool half = h2_is_symmetric(plan->matrix);
#pragma omp for schedule(dynamic, 4) nowait
    for (int64_t node = first; node < last; node++) {
        if (half)
            apply_half(plan, o, node);
        else
            apply_full(plan, o, node);
    }
}

/* All at once, or level by level where the phases are noted: levels wait for each other then. */
static void apply_all_blocks(const h2_product_plan *plan) {
    const h2_tree *tree = &plan->matrix->tree;
    for (int64_t level = 0; level < tree->levels && plan->phases != NULL; level++) {
        apply_blocks(plan, &plan->coupling, tree->level[level], tree->level[level + 1]);
#pragma omp barrier
#pragma omp single nowait
        h2_phases_end(plan->phases, "coupling", level);
    }
    if (plan->phases == NULL)
        apply_blocks(plan, &plan->coupling, 0, tree->nodes);
    apply_blocks(plan, &plan->dense, 0, tree->nodes);
#pragma omp barrier
#pragma omp single nowait
    h2_phases_end(plan->phases, "dense", tree->levels - 1);
}

static void multiply_group(h2_product_plan *plan, double alpha, const double *x, double beta, double *y) {
    const h2_tree *tree = &plan->matrix->tree;
    const bool half = h2_is_symmetric(plan->matrix);
    h2_phases_begin(plan->phases);
#pragma omp parallel num_threads(plan->threads)
    {
        h2_mv_go_up(plan, x);
        apply_all_blocks(plan);
        for (int64_t level = 0; level < tree->levels; level++) {
#pragma omp for schedule(dynamic, 4)
            for (int64_t node = tree->level[level]; node < tree->level[level + 1]; node++) {
                if (half) {
                    add_half(plan, &plan->coupling, node);
                    add_half(plan, &plan->dense, node);
                }
                h2_mv_go_down(plan, node);
            }
#pragma omp single nowait
            h2_phases_end(plan->phases, "down", level);
        }
#pragma omp for schedule(static)
        for (int64_t i = 0; i < tree->n; i++)
            store(plan, alpha, beta, y, i);
    }
}

void h2_mv_set_bases(h2_product_plan *plan, bool transposed) {
    const h2_matrix *matrix = plan->matrix;
    plan->transposed = transposed && !h2_is_symmetric(matrix);
    plan->in_basis = plan->transposed ? &matrix->row : &matrix->col;
    plan->out_basis = plan->transposed ? &matrix->col : &matrix->row;
    plan->coupling.in_place = plan->in_basis->start;
    plan->coupling.in_count = plan->in_basis->rank;
    plan->coupling.out_place = plan->out_basis->start;
    plan->coupling.out_count = plan->out_basis->rank;
}

void h2_mv(h2_product_plan *plan, bool transposed, double alpha, const double *x, double beta, double *y,
           int64_t vectors) {
    const int64_t n = plan->matrix->tree.n;
    h2_mv_set_bases(plan, transposed);
    for (int64_t first = 0; first < vectors; first += H2_MV_GROUP) {
        plan->vectors = vectors - first < H2_MV_GROUP ? vectors - first : H2_MV_GROUP;
        multiply_group(plan, alpha, x + first * n, beta, y + first * n);
    }
}
