/* SPDX-License-Identifier: BSD-3-Clause */
/* Orthonormal bases of ranks above 64 (large.h): sums of products stack the transfers of a level, a
 * factorization a node follows. */
#include "base/core/memory.h"
#include "h2/device/large.h"

#include <stdlib.h>

/* One basis. */
typedef struct orthogonalizer {
    const h2_device_matrix *from, *to;
    const h2_basis *basis, *result;
    h2_device_change *change;
    h2_device_kernels kernels;
    h2_device_products stacks;
    h2_device_pieces pieces;
    h2_gpu_factor_task *task;
    int64_t tasks, rows; /* most of a task */
} orthogonalizer;

static int64_t count_rows(const orthogonalizer *o, int64_t node) {
    const h2_matrix *matrix = o->from->matrix;
    return node >= matrix->tree.first_leaf
               ? h2_points_of(matrix, node)
               : o->result->start[matrix->child[node + 1]] - o->result->start[matrix->child[node]];
}

/* The children's T E, one below the other, to the workspace of the node. */
static void stack_children(orthogonalizer *o, int64_t node, uint64_t work) {
    const h2_matrix *matrix = o->from->matrix;
    const int64_t cols = o->basis->rank[node], stride = H2_GPU_WHOLE(cols);
    for (int64_t child = matrix->child[node]; child < matrix->child[node + 1]; child++) {
        const int64_t rank = o->result->rank[child], old = o->basis->rank[child];
        const uint64_t t = o->change->t.address + (uint64_t)o->change->offset[child] * sizeof(double);
        if (rank == 0)
            continue;
        h2_device_products_begin(&o->stacks, work, rank, cols, 0);
        o->stacks.sum[o->stacks.sums - 1].stride = (int)stride;
        h2_device_products_add(
            &o->stacks, old, (h2_device_factor){t, old, 1, false},
            (h2_device_factor){h2_device_address(o->from, h2_transfer(matrix, o->basis, child)), cols, 1,
                               matrix->head.value_bytes == 4});
        work += (uint64_t)(rank * stride) * sizeof(double);
    }
}

static void add_node(orthogonalizer *o, int64_t node, bool apart) {
    const h2_matrix *matrix = o->from->matrix, *to = o->to->matrix;
    const bool is_leaf = node >= matrix->tree.first_leaf;
    const int64_t rows = count_rows(o, node), cols = o->basis->rank[node];
    bool begins;
    const uint64_t work =
        h2_device_pieces_take(&o->pieces, H2_GPU_FACTOR_NUMBERS(rows, cols), apart, &begins);
    if (begins)
        o->pieces.piece[o->pieces.count - 1] = (h2_device_piece){.task = o->tasks, .first = o->stacks.sums};
    o->task[o->tasks++] = (h2_gpu_factor_task){
        .a = work,
        .from = is_leaf ? h2_device_address(o->from, h2_leaf_basis(matrix, o->basis, node)) : 0,
        .to = h2_device_address(o->to, is_leaf ? h2_leaf_basis(to, o->result, node)
                                               : h2_transfer(to, o->result, matrix->child[node])),
        .t = o->change->t.address + (uint64_t)o->change->offset[node] * sizeof(double),
        .rows = (int)rows,
        .cols = (int)cols,
        .is_single = matrix->head.value_bytes == 4};
    if (!is_leaf)
        stack_children(o, node, work);
}

/* Memory for the lists, the change and a workspace. */
static base_status open_lists(base_context *context, orthogonalizer *o) {
    base_status status = BASE_OK;
    const h2_matrix *matrix = o->from->matrix;
    const h2_tree *tree = &matrix->tree;
    int64_t most = 0, all = 0, *room = base_alloc(context, tree->nodes, sizeof *room);
    o->task = base_alloc(context, tree->nodes, sizeof *o->task);
    if (room == NULL || o->task == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t level = 0; level < tree->levels; level++) {
        int64_t sum = 0;
        for (int64_t node = tree->level[level]; node < tree->level[level + 1]; node++) {
            const int64_t rows = count_rows(o, node), cols = o->basis->rank[node];
            const int64_t numbers = cols > 0 ? H2_GPU_FACTOR_NUMBERS(rows, cols) : 0;
            room[node] = o->result->rank[node] * cols;
            most = numbers > most ? numbers : most;
            o->rows = rows > o->rows && cols > 0 ? rows : o->rows;
            sum += numbers;
        }
        all = sum > all ? sum : all;
    }
    BASE_TRY(h2_device_change_alloc(context, o->from->device, matrix, room, o->change));
    BASE_TRY(h2_device_products_open(context, tree->nodes, tree->nodes, &o->stacks));
    BASE_TRY(h2_device_pieces_open(context, o->from->device, tree->nodes, most, all, &o->pieces));
    BASE_TRY(h2_device_get_kernels(context, o->from->device, &o->kernels));
done:
    free(room);
    return status;
}

static base_status run(base_context *context, orthogonalizer *o, const base_device_buffer *tasks) {
    base_status status = BASE_OK;
    const int64_t bytes = H2_GPU_PANEL_BYTES(o->rows);
    BASE_TRY(base_device_allow_shared(context, &o->kernels.factor, bytes));
    for (int64_t k = 0; k < o->pieces.count; k++) {
        const h2_device_piece *piece = &o->pieces.piece[k];
        uint64_t first = tasks->address + (uint64_t)piece->task * sizeof *o->task;
        const base_device_launch_config shape = {.grid = {(unsigned)(piece[1].task - piece->task)},
                                                 .block = {H2_GPU_LARGE_THREADS},
                                                 .shared_bytes = bytes};
        BASE_TRY(h2_device_products_launch(context, &o->kernels, &o->stacks, piece->first, piece[1].first));
        BASE_TRY(base_device_launch(context, &o->kernels.factor, &shape, NULL, (void *[]){&first}));
    }
    BASE_TRY(base_device_wait(context, o->from->device));
done:
    return status;
}

base_status h2_device_orthogonalize_large(base_context *context, const h2_device_matrix *from,
                                          const h2_device_matrix *to, const h2_basis *basis,
                                          const h2_basis *result, h2_device_change *change) {
    base_status status;
    const h2_tree *tree = &from->matrix->tree;
    orthogonalizer o = {.from = from, .to = to, .basis = basis, .result = result, .change = change};
    base_device_buffer tasks = {0};
    BASE_TRY(open_lists(context, &o));
    for (int64_t level = tree->levels - 1; level >= 0; level--) {
        bool apart = true;
        for (int64_t node = tree->level[level]; node < tree->level[level + 1]; node++) {
            if (basis->rank[node] == 0)
                continue;
            add_node(&o, node, apart);
            apart = false;
        }
    }
    o.pieces.piece[o.pieces.count] = (h2_device_piece){.task = o.tasks, .first = o.stacks.sums};
    BASE_TRY(h2_device_send(context, from->device, o.task, o.tasks, sizeof *o.task, &tasks));
    BASE_TRY(h2_device_products_send(context, from->device, &o.stacks));
    BASE_TRY(run(context, &o, &tasks));
done:
    base_device_free(&tasks);
    h2_device_products_close(&o.stacks);
    h2_device_pieces_close(&o.pieces);
    free(o.task);
    return status;
}
