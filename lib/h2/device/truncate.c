/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/device/truncate.h"
#include "base/core/memory.h"
#include "base/run/progress.h"

#include <stdio.h>
#include <stdlib.h>

enum { PRODUCT_BYTES = H2_GPU_STACK * H2_GPU_STACK * 8 };

/* Grid blocks that take one node after the other. */
static int64_t most_blocks(const h2_device_truncation *t) {
    return 3 * (int64_t)base_device_get_properties(t->from->device)->multiprocessors;
}

static base_status alloc_state(base_context *context, h2_device_truncation *t) {
    base_status status;
    const h2_matrix *matrix = t->from->matrix;
    const h2_tree *tree = &matrix->tree;
    base_device *device = t->from->device;
    int64_t *room = base_alloc(context, tree->nodes, sizeof *room), level_most = 0;
    if (room == NULL)
        return BASE_MACHINE;
    for (int64_t node = 0; node < tree->nodes; node++)
        room[node] = t->basis->rank[node] * t->basis->rank[node];
    for (int64_t level = 0; level < tree->levels; level++)
        level_most = tree->level[level + 1] - tree->level[level] > level_most
                         ? tree->level[level + 1] - tree->level[level]
                         : level_most;
    BASE_TRY(h2_device_change_alloc(context, device, matrix, room, &t->change));
    if (t->large == NULL) {
        BASE_TRY(base_device_alloc(context, device, t->basis->start[tree->nodes] + 1,
                                   H2_GPU_STACK * (int64_t)sizeof(double), &t->vectors));
        BASE_TRY(base_device_alloc(context, device, level_most + 1,
                                   H2_GPU_STACK * H2_GPU_QR_COLS * (int64_t)sizeof(double), &t->stacks));
    }
    BASE_TRY(base_device_alloc(context, device, t->basis->start[tree->nodes] + 1, sizeof(double), &t->sigma));
    BASE_TRY(base_device_alloc(context, device, tree->nodes, sizeof(double), &t->cut));
    if (t->gram && t->large == NULL)
        BASE_TRY(base_device_alloc(context, device, most_blocks(t), PRODUCT_BYTES, &t->products));
    BASE_TRY(base_device_alloc(context, device, 2 * tree->nodes + H2_MOST_LEVELS, sizeof(int), &t->counts));
    BASE_TRY(base_device_fill(context, &t->cut, 0, 0, t->cut.bytes, NULL));
    BASE_TRY(base_device_fill(context, &t->counts, 0, 0, t->counts.bytes, NULL));
done:
    free(room);
    return status;
}

void h2_device_truncation_free(h2_device_truncation *t) {
    h2_device_change_free(&t->change);
    base_device_free(&t->vectors);
    base_device_free(&t->stacks);
    base_device_free(&t->sigma);
    base_device_free(&t->cut);
    base_device_free(&t->products);
    base_device_free(&t->counts);
    for (int level = 0; level < H2_MOST_LEVELS; level++)
        base_device_free(&t->level_vectors[level]);
    free(t->vector_place);
    free(t->rank);
    t->rank = t->vector_place = NULL;
}

/* Tasks of the nodes with a rank, level by level; where each level's begin. */
static int64_t list_weights(const h2_device_truncation *t, h2_gpu_weigh *task, h2_gpu_weigh_block *block,
                            int64_t *start) {
    const h2_matrix *matrix = t->from->matrix;
    const h2_tree *tree = &matrix->tree;
    const h2_block_list *list = &matrix->coupling;
    const bool rows = !t->columns || h2_is_symmetric(matrix), cols = t->columns || h2_is_symmetric(matrix);
    const h2_basis *other = t->columns ? &matrix->row : &matrix->col;
    int64_t used = 0, blocks = 0;
    for (int64_t level = 0; level < tree->levels; level++) {
        start[level] = used;
        for (int64_t node = tree->level[level]; node < tree->level[level + 1]; node++) {
            if (t->basis->rank[node] == 0)
                continue;
            h2_gpu_weigh *own = &task[used++];
            *own = (h2_gpu_weigh){.first = blocks,
                                  .weight = t->change.offset[node],
                                  .rank = (int)t->basis->rank[node],
                                  .parent_rank = (int)h2_parent_rank(matrix, t->basis, node)};
            if (own->parent_rank > 0) {
                own->parent_weight = t->change.offset[tree->parent[node]];
                own->transfer = t->basis->transfer_offset[node];
            }
            for (int64_t k = list->start[node]; rows && k < list->start[node + 1]; k++)
                block[blocks++] = (h2_gpu_weigh_block){list->offset[k], (int)other->rank[list->col[k]], true};
            for (int64_t at = list->incoming_start[node]; cols && at < list->incoming_start[node + 1]; at++)
                block[blocks++] = (h2_gpu_weigh_block){
                    list->offset[list->incoming[at]], (int)other->rank[list->row[list->incoming[at]]], false};
            own->count = (int)(blocks - own->first);
        }
    }
    start[tree->levels] = used;
    return blocks;
}

static base_status weigh(base_context *context, const h2_device_truncation *t) {
    base_status status = BASE_OK;
    const h2_matrix *matrix = t->from->matrix;
    base_device *device = t->from->device;
    base_device_function own, above;
    base_device_buffer tasks = {0}, blocks = {0};
    int64_t start[H2_MOST_LEVELS + 1];
    h2_gpu_weigh *task = base_alloc(context, matrix->tree.nodes, sizeof *task);
    h2_gpu_weigh_block *block = base_alloc(context, 2 * matrix->coupling.count, sizeof *block);
    if (task == NULL || block == NULL)
        BASE_TRY(BASE_MACHINE);
    const int64_t count = list_weights(t, task, block, start), used = start[matrix->tree.levels];
    BASE_TRY(h2_device_send(context, device, task, used, sizeof *task, &tasks));
    BASE_TRY(h2_device_send(context, device, block, count, sizeof *block, &blocks));
    BASE_TRY(h2_device_get_function(context, t->module, matrix,
                                    t->gram ? "h2_gpu_weigh_gram" : "h2_gpu_weigh", &own));
    BASE_TRY(h2_device_get_function(context, t->module, matrix,
                                    t->gram ? "h2_gpu_weigh_parent_gram" : "h2_gpu_weigh_parent", &above));
    const int64_t above_bytes = t->gram ? H2_GPU_GRAM_SHARED_BYTES : H2_GPU_WEIGH_SHARED_BYTES;
    BASE_TRY(base_device_allow_shared(context, &above, above_bytes));
    if (t->gram)
        BASE_TRY(base_device_allow_shared(context, &own, H2_GPU_GRAM_SHARED_BYTES));
    uint64_t values = h2_device_address(t->from, matrix->coupling.value),
             transfers = h2_device_address(t->from, t->basis->transfer), weights = t->change.t.address;
    base_device_launch_config shape = {.grid = {(unsigned)used},
                                       .block = {H2_GPU_QR_THREADS},
                                       .shared_bytes = t->gram ? H2_GPU_GRAM_SHARED_BYTES : 0};
    if (used > 0)
        BASE_TRY(base_device_launch(context, &own, &shape, NULL,
                                    (void *[]){&tasks.address, &blocks.address, &values, &weights}));
    shape.shared_bytes = above_bytes;
    for (int64_t level = 1; level < matrix->tree.levels; level++) {
        uint64_t first = tasks.address + (uint64_t)start[level] * sizeof *task;
        shape.grid[0] = (unsigned)(start[level + 1] - start[level]);
        if (shape.grid[0] > 0 && task[start[level]].parent_rank > 0)
            BASE_TRY(
                base_device_launch(context, &above, &shape, NULL, (void *[]){&first, &transfers, &weights}));
    }
    BASE_TRY(base_device_wait(context, device));
done:
    base_device_free(&tasks);
    base_device_free(&blocks);
    free(task);
    free(block);
    return status;
}

static h2_gpu_truncate make_task(const h2_device_truncation *t, int64_t node, int64_t level) {
    const h2_matrix *matrix = t->from->matrix;
    const h2_tree *tree = &matrix->tree;
    h2_gpu_truncate task = {.weight = t->change.offset[node],
                            .t = t->change.offset[node],
                            .vectors = t->basis->start[node] * H2_GPU_STACK,
                            .stack = (node - tree->level[level]) * H2_GPU_STACK * H2_GPU_QR_COLS,
                            .transfer = t->basis->transfer_offset[matrix->child[node]],
                            .sigma = t->basis->start[node],
                            .child = {-1, -1},
                            .node = (int)node,
                            .rank = (int)t->basis->rank[node],
                            .is_leaf = node >= tree->first_leaf,
                            .level = (int)level};
    for (int64_t child = matrix->child[node]; child < matrix->child[node + 1]; child++) {
        const int at = (int)(child - matrix->child[node]);
        task.child[at] = (int)child;
        task.child_t[at] = t->change.offset[child];
        task.child_old[at] = (int)t->basis->rank[child];
    }
    return task;
}

/* Shared memory of a level's nodes. With Gram matrices it depends on what the children kept: two pieces, then
 * the matrix. */
static base_status find_shared_bytes(base_context *context, const h2_device_truncation *t, int64_t level,
                                     int64_t *bytes) {
    base_status status = BASE_OK;
    const int64_t nodes = t->from->matrix->tree.nodes;
    const bool are_leaves = level == t->from->matrix->tree.levels - 1;
    int most = 0;
    *bytes = are_leaves ? H2_GPU_TRUNCATE_LEAF_SHARED_BYTES : H2_GPU_TRUNCATE_SHARED_BYTES;
    if (are_leaves || !t->gram)
        goto done;
    BASE_TRY(base_device_download(context, &t->counts, (2 * nodes + level + 1) * (int64_t)sizeof most, &most,
                                  sizeof most, NULL));
    *bytes = (int64_t)(2 * most) * (2 * most) * (int64_t)sizeof(double);
    *bytes = *bytes > H2_GPU_GRAM_SHARED_BYTES ? *bytes : H2_GPU_GRAM_SHARED_BYTES;
done:
    return status;
}

static base_status truncate_levels(base_context *context, const h2_device_truncation *t,
                                   const h2_gpu_truncate_how *how) {
    base_status status = BASE_OK;
    const h2_tree *tree = &t->from->matrix->tree;
    base_device_function truncate, keep;
    base_device_buffer tasks = {0};
    int64_t used = 0, start[H2_MOST_LEVELS + 1];
    h2_gpu_truncate *task = base_alloc(context, tree->nodes, sizeof *task);
    if (task == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t level = 0; level < tree->levels; level++) {
        start[level] = used;
        for (int64_t node = tree->level[level]; node < tree->level[level + 1]; node++)
            if (t->basis->rank[node] > 0)
                task[used++] = make_task(t, node, level);
    }
    start[tree->levels] = used;
    BASE_TRY(h2_device_send(context, t->from->device, task, used, sizeof *task, &tasks));
    BASE_TRY(h2_device_get_function(context, t->module, t->from->matrix,
                                    t->gram ? "h2_gpu_truncate_gram" : "h2_gpu_truncate", &truncate));
    BASE_TRY(base_device_get_function(context, t->module, "h2_gpu_keep", &keep));
    h2_gpu_truncate_how copy = *how;
    h2_gpu_truncate_state state = h2_device_truncate_state(t);
    uint64_t transfers = h2_device_address(t->from, t->basis->transfer);
    for (int64_t level = tree->levels - 1; level >= 0; level--) {
        uint64_t first = tasks.address + (uint64_t)start[level] * sizeof *task;
        int count = (int)(start[level + 1] - start[level]);
        base_device_launch_config shape = {.grid = {(unsigned)count}, .block = {H2_GPU_QR_THREADS}};
        if (count == 0)
            continue;
        BASE_TRY(find_shared_bytes(context, t, level, &shape.shared_bytes));
        BASE_TRY(base_device_allow_shared(context, &truncate, shape.shared_bytes));
        if (t->gram && count > most_blocks(t) && level < tree->levels - 1)
            shape.grid[0] = (unsigned)most_blocks(t);
        BASE_TRY(base_device_launch(context, &truncate, &shape, NULL,
                                    t->gram ? (void *[]){&copy, &count, &first, &transfers, &state}
                                            : (void *[]){&copy, &first, &transfers, &state, NULL}));
        shape.shared_bytes = 0;
        shape.grid[0] = (unsigned)count;
        BASE_TRY(base_device_launch(context, &keep, &shape, NULL, (void *[]){&copy, &first, &state}));
    }
    BASE_TRY(base_device_wait(context, t->from->device));
done:
    base_device_free(&tasks);
    free(task);
    return status;
}

/* Ranks to the host, and the squares of all that was cut off. */
static base_status fetch_ranks(base_context *context, h2_device_truncation *t) {
    base_status status = BASE_OK;
    const int64_t nodes = t->from->matrix->tree.nodes;
    int *kept = base_alloc(context, nodes, sizeof *kept);
    double *cut = base_alloc(context, nodes, sizeof *cut);
    t->rank = base_alloc(context, nodes, sizeof *t->rank);
    if (kept == NULL || cut == NULL || t->rank == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(base_device_download(context, &t->counts, 0, kept, nodes * (int64_t)sizeof *kept, NULL));
    BASE_TRY(base_device_download(context, &t->cut, 0, cut, nodes * (int64_t)sizeof *cut, NULL));
    t->cut_square = 0;
    for (int64_t node = 0; node < nodes; node++) {
        t->rank[node] = kept[node];
        t->cut_square += cut[node];
    }
done:
    free(kept);
    free(cut);
    return status;
}

base_status h2_device_truncate(base_context *context, h2_device_truncation *t,
                               const h2_gpu_truncate_how *how) {
    base_status status;
    t->begun = base_clock_seconds();
    BASE_TRY(alloc_state(context, t));
    BASE_TRY(t->large != NULL ? t->large->weigh(context, t) : weigh(context, t));
    t->weights_done = base_clock_seconds();
    BASE_TRY(t->large != NULL ? t->large->truncate(context, t, how) : truncate_levels(context, t, how));
    BASE_TRY(fetch_ranks(context, t));
done:
    return status;
}
