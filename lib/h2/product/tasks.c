/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/product/tasks.h"
#include "base/core/memory.h"
#include "h2/product/internal.h"

#include <stdlib.h>
#include <string.h>

static void add_task(h2_product_tasks *t, int64_t row, int64_t rows) {
    t->task[t->tasks++] = (h2_gpu_task){.first = t->blocks, .rows = (int)rows, .row = (int)row};
}

/* A block of the last task. */
static void add_block(h2_product_tasks *t, int64_t value, int64_t slot, int64_t col, int64_t cols) {
    t->block[t->blocks++] = (h2_gpu_block){.value = value, .slot = slot, .col = (int)col, .cols = (int)cols};
    t->task[t->tasks - 1].count++;
}

/* Transfers of a node's children lie one below the other, and so do the children's coefficients: upwards they
 * are one block, whose transpose is applied and put in place. Downwards each is added by itself. */
static void add_up(const h2_matrix *matrix, const h2_basis *basis, int64_t node, h2_product_tasks *t) {
    const h2_tree *tree = &matrix->tree;
    const bool is_leaf = node >= tree->first_leaf;
    const int64_t child = matrix->child[node], end = matrix->child[node + 1];
    const int64_t row = is_leaf ? tree->begin[node] : basis->start[child];
    const int64_t rows = is_leaf ? h2_points_of(matrix, node) : basis->start[end] - row;
    if (basis->rank[node] == 0 || rows == 0)
        return;
    add_task(t, row, rows);
    add_block(t, is_leaf ? basis->leaf_offset[node - tree->first_leaf] : basis->transfer_offset[child],
              basis->start[node], 0, basis->rank[node]);
}

/* Adds the task that makes a node's coefficients of its parent's, or where is_leaf its points' values of its
 * own. */
static void add_down(const h2_matrix *matrix, const h2_basis *basis, int64_t node, bool is_leaf,
                     h2_product_tasks *t) {
    const h2_tree *tree = &matrix->tree;
    const int64_t from = is_leaf ? node : tree->parent[node];
    const int64_t rows = is_leaf ? h2_points_of(matrix, node) : basis->rank[node];
    if (from < 0 || basis->rank[from] == 0 || rows == 0)
        return;
    add_task(t, is_leaf ? tree->begin[node] : basis->start[node], rows);
    add_block(t, is_leaf ? basis->leaf_offset[node - tree->first_leaf] : basis->transfer_offset[node], -1,
              basis->start[from], basis->rank[from]);
}

static void add_level(const h2_matrix *matrix, const h2_basis *basis, int64_t level, bool up, bool is_leaf,
                      h2_product_tasks *t, h2_product_phase *phase) {
    const h2_tree *tree = &matrix->tree;
    *phase = (h2_product_phase){
        .first = t->tasks, .flags = up ? H2_GPU_TRANSPOSED : H2_GPU_FORWARD | H2_GPU_ADD, .is_base = true};
    for (int64_t node = tree->level[level]; node < tree->level[level + 1]; node++)
        if (up)
            add_up(matrix, basis, node, t);
        else
            add_down(matrix, basis, node, is_leaf, t);
    phase->count = t->tasks - phase->first;
}

/* The blocks by rows, and the sums of what their transposes put into slots, by columns. */
static void add_blocks(const h2_matrix *matrix, const h2_operands *o, int flags, h2_product_tasks *t,
                       h2_product_phase *phase, h2_product_phase *sums, int64_t *slots) {
    const bool forward = (flags & H2_GPU_FORWARD) != 0, transposed = (flags & H2_GPU_TRANSPOSED) != 0;
    const h2_block_list *list = o->list;
    int64_t *slot = t->slot_of;
    *phase = (h2_product_phase){.first = t->tasks, .flags = flags};
    *sums = (h2_product_phase){.first = t->sums, .flags = forward ? H2_GPU_ADD : 0};
    *slots = 0;
    for (int64_t node = 0; node < matrix->tree.nodes && transposed; node++) {
        const int64_t count = list->incoming_start[node + 1] - list->incoming_start[node];
        slot[node] = *slots;
        if (o->col_count[node] > 0 && (count > 0 || !forward))
            t->sum[t->sums++] = (h2_gpu_sum){.slot = *slots,
                                             .count = (int)count,
                                             .numbers = (int)o->col_count[node],
                                             .place = (int)o->col_place[node]};
        *slots += count * o->col_count[node];
    }
    for (int64_t row = 0; row < matrix->tree.nodes; row++) {
        if (o->row_count[row] == 0)
            continue;
        add_task(t, o->row_place[row], o->row_count[row]);
        for (int64_t k = list->start[row]; k < list->start[row + 1]; k++) {
            const int64_t col = list->col[k], nth = list->position[k] - list->incoming_start[col];
            if (o->col_count[col] > 0)
                add_block(t, list->offset[k],
                          transposed && list->position[k] >= 0 ? slot[col] + nth * o->col_count[col] : -1,
                          o->col_place[col], o->col_count[col]);
        }
        if (t->task[t->tasks - 1].count == 0) /* y still has to be set */
            add_block(t, 0, -1, 0, 0);
    }
    phase->count = t->tasks - phase->first;
    sums->count = t->sums - sums->first;
}

static base_status alloc_tasks(base_context *context, const h2_matrix *matrix, h2_product_tasks *t) {
    const int64_t nodes = matrix->tree.nodes;
    t->task = base_alloc(context, 5 * nodes, sizeof *t->task);
    t->block =
        base_alloc(context, matrix->coupling.count + matrix->dense.count + 5 * nodes, sizeof *t->block);
    t->sum = base_alloc(context, 2 * nodes, sizeof *t->sum);
    t->slot_of = base_alloc(context, nodes, sizeof *t->slot_of);
    t->next_slot = base_alloc(context, nodes, sizeof *t->next_slot);
    t->points = base_alloc_zero(context, nodes, sizeof *t->points);
    t->point_place = base_alloc_zero(context, nodes, sizeof *t->point_place);
    if (t->task == NULL || t->block == NULL || t->sum == NULL || t->slot_of == NULL || t->next_slot == NULL ||
        t->points == NULL || t->point_place == NULL)
        return BASE_MACHINE;
    for (int64_t node = matrix->tree.first_leaf; node < nodes; node++) {
        t->points[node] = h2_points_of(matrix, node);
        t->point_place[node] = matrix->tree.begin[node];
    }
    return BASE_OK;
}

base_status h2_product_tasks_init(base_context *context, const h2_matrix *matrix, bool transposed, int width,
                                  h2_product_tasks *t) {
    base_status status;
    const h2_tree *tree = &matrix->tree;
    const bool half = h2_is_symmetric(matrix), turned = transposed && !half;
    const h2_basis *in = turned ? &matrix->row : &matrix->col, *out = turned ? &matrix->col : &matrix->row;
    const int flags = half ? H2_GPU_FORWARD | H2_GPU_TRANSPOSED : turned ? H2_GPU_TRANSPOSED : H2_GPU_FORWARD;
    const h2_operands coupling = {&matrix->coupling, matrix->row.start, matrix->row.rank, matrix->col.start,
                                  matrix->col.rank};
    memset(t, 0, sizeof *t);
    t->in = in->start[tree->nodes];
    t->out = out->start[tree->nodes];
    if (t->in > INT32_MAX || t->out > INT32_MAX || tree->n > INT32_MAX || tree->nodes > INT32_MAX / 4)
        BASE_TRY(base_fail(context, BASE_MACHINE, "the matrix is too large for a device"));
    BASE_TRY(alloc_tasks(context, matrix, t));
    const h2_operands dense = {&matrix->dense, t->point_place, t->points, t->point_place, t->points};
    for (int64_t level = tree->levels - 1; level >= 0; level--)
        add_level(matrix, in, level, true, false, t, &t->up[level]);
    if (width > 1) {
        BASE_TRY(h2_product_pairs_init(context, matrix, &coupling, &dense, flags, t));
    } else {
        add_blocks(matrix, &coupling, flags, t, &t->coupling, &t->coupling_sum, &t->coupling_slots);
        add_blocks(matrix, &dense, flags, t, &t->dense, &t->dense_sum, &t->dense_slots);
    }
    for (int64_t level = 1; level < tree->levels; level++)
        add_level(matrix, out, level, false, false, t, &t->down[level - 1]);
    add_level(matrix, out, tree->levels - 1, false, true, t, &t->down[tree->levels - 1]);
done:
    return status;
}

void h2_product_tasks_free(h2_product_tasks *t) {
    if (t == NULL)
        return;
    free(t->task);
    free(t->block);
    free(t->sum);
    free(t->slot_of);
    free(t->next_slot);
    free(t->pair);
    free(t->piece);
    free(t->points);
    free(t->point_place);
    memset(t, 0, sizeof *t);
}
