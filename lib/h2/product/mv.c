#include "h2/product/mv.h"
#include "base/core/memory.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP = 16 }; /* vectors at a time */

/* What the blocks of one kind are multiplied with and added to; numbers of node i begin at place[i]. */
typedef struct operands {
    const h2_block_list *list;
    const int64_t *in_place, *out_place, *in_count, *out_count; /* numbers of each node, times vectors */
    const char *in;
    char *out;
    char *own;     /* half storage: a row's own products, before those of its transposed blocks join them */
    char *slots;   /* … and those, by columns, when several threads work; NULL: straight to `out` */
    int64_t *slot; /* of each column's first */
} operands;

struct h2_product_plan {
    const h2_matrix *matrix;
    int threads;
    int64_t vectors;               /* of the group at hand */
    int64_t *points, *point_place; /* of each leaf, by nodes; others have none */
    char *x, *y, *in, *out;        /* vectors in the tree's order, coefficients */
    const h2_basis *in_basis, *out_basis;
    bool transposed;
    operands coupling, dense;
};

static char *at(const h2_product_plan *plan, const char *array, int64_t number) {
    return (char *)(uintptr_t)array + number * plan->vectors * plan->matrix->head.value_bytes;
}

static size_t size_of(const h2_product_plan *plan, int64_t numbers) {
    return (size_t)(numbers * plan->vectors * plan->matrix->head.value_bytes);
}

/* ---- bases ---- */

static void gather_children(const h2_product_plan *plan, int64_t node) {
    const h2_matrix *matrix = plan->matrix;
    const h2_basis *basis = plan->in_basis;
    const int64_t rank = basis->rank[node];
    char *to = at(plan, plan->in, basis->start[node]);
    memset(to, 0, size_of(plan, rank));
    if (rank == 0)
        return;
    if (node >= matrix->tree.first_leaf)
        matrix->kernels->apply(&(h2_application){.m = h2_points_of(matrix, node),
                                                 .k = rank,
                                                 .vectors = plan->vectors,
                                                 .block = h2_leaf_basis(matrix, basis, node),
                                                 .xt = at(plan, plan->x, matrix->tree.begin[node]),
                                                 .yt = to});
    for (int64_t child = matrix->child[node]; child < matrix->child[node + 1]; child++)
        matrix->kernels->apply(&(h2_application){.m = basis->rank[child],
                                                 .k = rank,
                                                 .vectors = plan->vectors,
                                                 .block = h2_transfer(matrix, basis, child),
                                                 .xt = at(plan, plan->in, basis->start[child]),
                                                 .yt = to});
}

static void hand_down(const h2_product_plan *plan, int64_t node) {
    const h2_matrix *matrix = plan->matrix;
    const h2_basis *basis = plan->out_basis;
    const int64_t rank = basis->rank[node], parent_rank = h2_parent_rank(matrix, basis, node);
    char *own = at(plan, plan->out, basis->start[node]);
    if (rank > 0 && parent_rank > 0)
        matrix->kernels->apply(
            &(h2_application){.m = rank,
                              .k = parent_rank,
                              .vectors = plan->vectors,
                              .block = h2_transfer(matrix, basis, node),
                              .x = at(plan, plan->out, basis->start[matrix->tree.parent[node]]),
                              .y = own});
    if (rank > 0 && node >= matrix->tree.first_leaf)
        matrix->kernels->apply(&(h2_application){.m = h2_points_of(matrix, node),
                                                 .k = rank,
                                                 .vectors = plan->vectors,
                                                 .block = h2_leaf_basis(matrix, basis, node),
                                                 .x = own,
                                                 .y = at(plan, plan->y, matrix->tree.begin[node])});
}

/* ---- blocks ---- */

/* Half storage: each stored block of a row is applied to the row and, transposed, to its column. */
static void apply_half(const h2_product_plan *plan, const operands *o, int64_t row) {
    const h2_matrix *matrix = plan->matrix;
    const h2_block_list *list = o->list;
    char *own = at(plan, o->own, o->out_place[row]);
    memset(own, 0, size_of(plan, o->out_count[row]));
    for (int64_t k = list->start[row]; k < list->start[row + 1]; k++) {
        const int64_t col = list->col[k];
        h2_application application = {.m = o->out_count[row],
                                      .k = o->in_count[col],
                                      .vectors = plan->vectors,
                                      .block = h2_block(matrix, list, k),
                                      .x = at(plan, o->in, o->in_place[col]),
                                      .y = own};
        if (col != row) {
            application.xt = at(plan, o->in, o->in_place[row]);
            application.yt = at(plan, o->out, o->out_place[col]);
            if (o->slots != NULL) {
                const int64_t nth = list->position[k] - list->incoming_start[col];
                application.yt = at(plan, o->slots, o->slot[col] + nth * o->out_count[col]);
                memset(application.yt, 0, size_of(plan, o->out_count[col]));
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
static void add_half(const h2_product_plan *plan, const operands *o, int64_t row) {
    const int64_t count = o->out_count[row];
    char *to = at(plan, o->out, o->out_place[row]);
    if (o->slots != NULL)
        for (int64_t nth = 0; nth < o->list->incoming_start[row + 1] - o->list->incoming_start[row]; nth++)
            add_numbers(plan, at(plan, o->slots, o->slot[row] + nth * count), to, count);
    add_numbers(plan, at(plan, o->own, o->out_place[row]), to, count);
}

static void apply_full(const h2_product_plan *plan, const operands *o, int64_t node) {
    const h2_matrix *matrix = plan->matrix;
    const h2_block_list *list = o->list;
    const int64_t *start = plan->transposed ? list->incoming_start : list->start;
    char *to = at(plan, o->out, o->out_place[node]);
    for (int64_t place = start[node]; place < start[node + 1]; place++) {
        const int64_t k = plan->transposed ? list->incoming[place] : place;
        const int64_t other = plan->transposed ? list->row[k] : list->col[k];
        const char *from = at(plan, o->in, o->in_place[other]);
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

static void load(const h2_product_plan *plan, const double *x, int64_t point) {
    const int64_t n = plan->matrix->tree.n, from = plan->matrix->tree.permutation[point];
    double row[GROUP];
    for (int64_t v = 0; v < plan->vectors; v++)
        row[v] = x[v * n + from];
    plan->matrix->kernels->narrow(plan->vectors, row, at(plan, plan->x, point));
}

static void store(const h2_product_plan *plan, double alpha, double beta, double *y, int64_t point) {
    const int64_t n = plan->matrix->tree.n, to = plan->matrix->tree.permutation[point];
    double row[GROUP];
    plan->matrix->kernels->widen(plan->vectors, at(plan, plan->y, point), row);
    for (int64_t v = 0; v < plan->vectors; v++)
        y[v * n + to] = beta == 0 ? alpha * row[v] : alpha * row[v] + beta * y[v * n + to];
}

static void multiply_group(h2_product_plan *plan, double alpha, const double *x, double beta, double *y) {
    const h2_tree *tree = &plan->matrix->tree;
    const bool half = h2_is_symmetric(plan->matrix);
#pragma omp parallel num_threads(plan->threads)
    {
#pragma omp for schedule(static)
        for (int64_t i = 0; i < tree->n; i++)
            load(plan, x, i);
        for (int64_t level = tree->levels - 1; level >= 0; level--) {
#pragma omp for schedule(dynamic, 4)
            for (int64_t node = tree->level[level]; node < tree->level[level + 1]; node++) {
                gather_children(plan, node);
                memset(at(plan, plan->out, plan->out_basis->start[node]), 0,
                       size_of(plan, plan->out_basis->rank[node]));
                memset(at(plan, plan->y, plan->point_place[node]), 0, size_of(plan, plan->points[node]));
            }
        }
#pragma omp for schedule(dynamic, 4)
        for (int64_t node = 0; node < tree->nodes; node++) {
            if (half) {
                apply_half(plan, &plan->coupling, node);
                apply_half(plan, &plan->dense, node);
            } else {
                apply_full(plan, &plan->coupling, node);
                apply_full(plan, &plan->dense, node);
            }
        }
        for (int64_t level = 0; level < tree->levels; level++) {
#pragma omp for schedule(dynamic, 4)
            for (int64_t node = tree->level[level]; node < tree->level[level + 1]; node++) {
                if (half) {
                    add_half(plan, &plan->coupling, node);
                    add_half(plan, &plan->dense, node);
                }
                hand_down(plan, node);
            }
        }
#pragma omp for schedule(static)
        for (int64_t i = 0; i < tree->n; i++)
            store(plan, alpha, beta, y, i);
    }
}

void h2_mv(h2_product_plan *plan, bool transposed, double alpha, const double *x, double beta, double *y,
           int64_t vectors) {
    const h2_matrix *matrix = plan->matrix;
    const int64_t n = matrix->tree.n;
    plan->transposed = transposed && !h2_is_symmetric(matrix);
    plan->in_basis = plan->transposed ? &matrix->row : &matrix->col;
    plan->out_basis = plan->transposed ? &matrix->col : &matrix->row;
    plan->coupling.in_place = plan->in_basis->start;
    plan->coupling.in_count = plan->in_basis->rank;
    plan->coupling.out_place = plan->out_basis->start;
    plan->coupling.out_count = plan->out_basis->rank;
    for (int64_t first = 0; first < vectors; first += GROUP) {
        plan->vectors = vectors - first < GROUP ? vectors - first : GROUP;
        multiply_group(plan, alpha, x + first * n, beta, y + first * n);
    }
}

/* ---- workspace ---- */

static base_status open_slots(base_context *context, const h2_product_plan *plan, const int64_t *count,
                              int64_t numbers, int64_t group_bytes, operands *o) {
    const int64_t nodes = plan->matrix->tree.nodes;
    base_status status = BASE_MACHINE;
    o->own = base_alloc_aligned(context, numbers, group_bytes);
    if (o->own == NULL)
        goto done;
    if (plan->threads > 1) {
        o->slot = base_alloc(context, nodes + 1, sizeof *o->slot);
        if (o->slot == NULL)
            goto done;
        o->slot[0] = 0;
        for (int64_t node = 0; node < nodes; node++)
            o->slot[node + 1] = o->slot[node] + count[node] * (o->list->incoming_start[node + 1] -
                                                               o->list->incoming_start[node]);
        o->slots = base_alloc_aligned(context, o->slot[nodes], group_bytes);
        if (o->slots == NULL)
            goto done;
    }
    status = BASE_OK;
done:
    return status;
}

base_status h2_mv_open(base_context *context, const h2_matrix *matrix, int64_t vectors,
                       h2_product_plan **result) {
    base_status status = BASE_MACHINE;
    const h2_tree *tree = &matrix->tree;
    const int64_t group_bytes = (vectors < GROUP ? vectors : GROUP) * matrix->head.value_bytes;
    const int64_t row = matrix->row.start[tree->nodes], col = matrix->col.start[tree->nodes];
    const int64_t coefficients = row > col ? row : col;
    h2_product_plan *plan = base_alloc_zero(context, 1, sizeof *plan);
    *result = plan;
    if (plan == NULL)
        goto done;
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
        goto done;
    for (int64_t node = tree->first_leaf; node < tree->nodes; node++) {
        plan->points[node] = h2_points_of(matrix, node);
        plan->point_place[node] = tree->begin[node];
    }
    plan->coupling = (operands){.list = &matrix->coupling, .in = plan->in, .out = plan->out};
    plan->dense = (operands){.list = &matrix->dense,
                             .in_place = plan->point_place,
                             .out_place = plan->point_place,
                             .in_count = plan->points,
                             .out_count = plan->points,
                             .in = plan->x,
                             .out = plan->y};
    if (h2_is_symmetric(matrix)) {
        BASE_TRY(open_slots(context, plan, matrix->row.rank, coefficients, group_bytes, &plan->coupling));
        BASE_TRY(open_slots(context, plan, plan->points, tree->n, group_bytes, &plan->dense));
    }
    status = BASE_OK;
done:
    return status;
}

static void close_operands(operands *o) {
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
