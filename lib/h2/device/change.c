/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/device/change.h"
#include "base/core/memory.h"
#include "h2/large/gpu.h"

#include <stdlib.h>
#include <string.h>

base_status h2_device_change_alloc(base_context *context, base_device *device, const h2_matrix *matrix,
                                   const int64_t *room, h2_device_change *change) {
    base_status status = BASE_OK;
    const int64_t nodes = matrix->tree.nodes;
    change->offset = base_alloc(context, nodes + 1, sizeof *change->offset);
    if (change->offset == NULL)
        BASE_TRY(BASE_MACHINE);
    change->offset[0] = 0;
    for (int64_t node = 0; node < nodes; node++) /* even, so that rows of even length are aligned */
        change->offset[node + 1] = change->offset[node] + (room[node] + 1) / 2 * 2;
    BASE_TRY(base_device_alloc(context, device, change->offset[nodes] + 2, sizeof(double), &change->t));
done:
    return status;
}

void h2_device_change_free(h2_device_change *change) {
    free(change->offset);
    base_device_free(&change->t);
    change->offset = NULL;
}

bool h2_device_can_change(const h2_matrix *matrix) {
    const h2_tree *tree = &matrix->tree;
    bool can = h2_most_rank(matrix) <= H2_GPU_LARGE_RANK && h2_most_points(matrix) <= H2_GPU_LARGE_ROWS;
    for (int64_t node = 0; can && node < tree->first_leaf; node++)
        can = matrix->child[node + 1] - matrix->child[node] <= 2;
    return can;
}

bool h2_device_is_large(const h2_matrix *matrix) {
    return h2_most_rank(matrix) > H2_GPU_QR_COLS || h2_most_points(matrix) > H2_GPU_QR_ROWS;
}

/* The blocks by rows; rows without any have no task. */
static void list_blocks(int threads, const h2_matrix *from, const h2_device_change *row,
                        const h2_device_change *col, const h2_matrix *to, h2_gpu_change *task,
                        h2_gpu_change_block *block, int64_t *tasks) {
    const h2_block_list *list = &from->coupling;
    *tasks = 0;
    for (int64_t i = 0; i < from->tree.nodes; i++) {
        if (list->start[i] == list->start[i + 1])
            continue;
        task[(*tasks)++] = (h2_gpu_change){.first = list->start[i],
                                           .t = row->offset[i],
                                           .count = (int)(list->start[i + 1] - list->start[i]),
                                           .old_rows = (int)from->row.rank[i],
                                           .rows = (int)to->row.rank[i]};
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t k = 0; k < list->count; k++)
        block[k] = (h2_gpu_change_block){.from = list->offset[k],
                                         .to = to->coupling.offset[k],
                                         .t = col->offset[list->col[k]],
                                         .old_cols = (int)from->col.rank[list->col[k]],
                                         .cols = (int)to->col.rank[list->col[k]]};
}

base_status h2_device_change_blocks(base_context *context, base_device_module *module,
                                    const h2_device_matrix *from, const h2_device_change *row,
                                    const h2_device_change *col, const h2_device_matrix *to) {
    base_status status = BASE_OK;
    const h2_matrix *matrix = from->matrix;
    const int64_t count = matrix->coupling.count;
    base_device_function function;
    base_device_buffer tasks = {0}, blocks = {0};
    int64_t used = 0;
    h2_gpu_change *task = base_alloc(context, matrix->tree.nodes, sizeof *task);
    h2_gpu_change_block *block = base_alloc(context, count, sizeof *block);
    if (task == NULL || block == NULL)
        BASE_TRY(BASE_MACHINE);
    list_blocks(context->threads, matrix, row, col, to->matrix, task, block, &used);
    BASE_TRY(h2_device_send(context, from->device, task, used, sizeof *task, &tasks));
    BASE_TRY(h2_device_send(context, from->device, block, count, sizeof *block, &blocks));
    BASE_TRY(h2_device_get_function(context, module, matrix, "h2_gpu_change", &function));
    BASE_TRY(base_device_allow_shared(context, &function, H2_GPU_CHANGE_SHARED_BYTES));
    uint64_t values = h2_device_address(from, matrix->coupling.value),
             result = h2_device_address(to, to->matrix->coupling.value);
    uint64_t row_t = row->t.address, col_t = col->t.address;
    const base_device_launch_config shape = {.grid = {(unsigned)used},
                                             .block = {H2_GPU_CHANGE_THREADS},
                                             .shared_bytes = H2_GPU_CHANGE_SHARED_BYTES};
    if (used > 0)
        BASE_TRY(base_device_launch(
            context, &function, &shape, NULL,
            (void *[]){&tasks.address, &blocks.address, &values, &result, &row_t, &col_t}));
    BASE_TRY(base_device_wait(context, from->device));
done:
    base_device_free(&tasks);
    base_device_free(&blocks);
    free(task);
    free(block);
    return status;
}
