/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/device/orthog.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "h2/change/orthog.h"
#include "h2/device/large.h"
#include "h2/device/parts.h"

#include <stdlib.h>
#include <string.h>

extern const base_device_fatbin h2_orthog_gpu_fatbin;

/* One basis. */
typedef struct orthogonalizer {
    const h2_device_matrix *from, *to;
    const h2_basis *basis, *result;
    h2_device_change *change;
    base_device_module *module;
    base_device_buffer tasks;
} orthogonalizer;

static int64_t stack_rows(const h2_matrix *matrix, const h2_basis *result, int64_t node) {
    if (node >= matrix->tree.first_leaf)
        return h2_points_of(matrix, node);
    return result->start[matrix->child[node + 1]] - result->start[matrix->child[node]];
}

static base_status alloc_change(base_context *context, const orthogonalizer *o) {
    const h2_matrix *matrix = o->from->matrix;
    int64_t *room = base_alloc(context, matrix->tree.nodes, sizeof *room);
    if (room == NULL)
        return BASE_MACHINE;
    for (int64_t node = 0; node < matrix->tree.nodes; node++)
        room[node] = stack_rows(matrix, o->result, node) * o->basis->rank[node];
    const base_status status = h2_device_change_alloc(context, o->from->device, matrix, room, o->change);
    free(room);
    return status;
}

static h2_gpu_qr make_task(const orthogonalizer *o, int64_t node) {
    const h2_matrix *matrix = o->from->matrix;
    const int64_t first_leaf = matrix->tree.first_leaf;
    const bool is_leaf = node >= first_leaf;
    h2_gpu_qr task = {.from = is_leaf ? o->basis->leaf_offset[node - first_leaf]
                                      : o->basis->transfer_offset[matrix->child[node]],
                      .to = is_leaf ? o->result->leaf_offset[node - first_leaf]
                                    : o->result->transfer_offset[matrix->child[node]],
                      .t = o->change->offset[node],
                      .rows = (int)stack_rows(matrix, o->result, node),
                      .cols = (int)o->basis->rank[node],
                      .is_leaf = is_leaf};
    for (int64_t child = matrix->child[node]; child < matrix->child[node + 1]; child++) {
        const int at = (int)(child - matrix->child[node]);
        task.child_t[at] = o->change->offset[child];
        task.child_rank[at] = (int)o->result->rank[child];
        task.child_old[at] = (int)o->basis->rank[child];
    }
    return task;
}

/* Level by level, from the leaves up; the tasks of all are sent at once. Returns before it is done. */
static base_status orthogonalize_basis(base_context *context, orthogonalizer *o) {
    base_status status = BASE_OK;
    const h2_matrix *matrix = o->from->matrix;
    const h2_tree *tree = &matrix->tree;
    base_device_function function;
    int64_t used = 0, start[H2_MOST_LEVELS + 1];
    if (h2_device_is_large(matrix))
        return h2_device_orthogonalize_large(context, o->from, o->to, o->basis, o->result, o->change);
    h2_gpu_qr *task = base_alloc(context, tree->nodes, sizeof *task);
    if (task == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(alloc_change(context, o));
    for (int64_t level = 0; level < tree->levels; level++) {
        start[level] = used;
        for (int64_t node = tree->level[level]; node < tree->level[level + 1]; node++)
            if (o->basis->rank[node] > 0)
                task[used++] = make_task(o, node);
    }
    start[tree->levels] = used;
    BASE_TRY(h2_device_send(context, o->from->device, task, used, sizeof *task, &o->tasks));
    BASE_TRY(h2_device_get_function(context, o->module, matrix, "h2_gpu_orthogonalize", &function));
    BASE_TRY(base_device_allow_shared(context, &function, H2_GPU_QR_SHARED_BYTES));
    for (int64_t level = tree->levels - 1; level >= 0; level--) {
        const bool is_leaf = level == tree->levels - 1;
        uint64_t first = o->tasks.address + (uint64_t)start[level] * sizeof *task;
        uint64_t from = h2_device_address(o->from, is_leaf ? o->basis->leaf : o->basis->transfer);
        uint64_t to = h2_device_address(o->to, is_leaf ? o->result->leaf : o->result->transfer);
        const base_device_launch_config shape = {.grid = {(unsigned)(start[level + 1] - start[level])},
                                                 .block = {H2_GPU_QR_THREADS},
                                                 .shared_bytes = H2_GPU_QR_SHARED_BYTES};
        if (start[level + 1] > start[level])
            BASE_TRY(base_device_launch(context, &function, &shape, NULL,
                                        (void *[]){&first, &from, &to, &o->change->t.address}));
    }
done:
    free(task);
    return status;
}

static base_status orthogonalize_into(base_context *context, const h2_device_matrix *from,
                                      const h2_device_matrix *to, h2_device_times *times) {
    base_status status;
    const double start = base_clock_seconds();
    double middle = start;
    const h2_matrix *matrix = from->matrix;
    const bool own_columns = (matrix->head.flags & H2_OWN_COLUMNS) != 0;
    h2_device_change row = {0}, col = {0};
    base_device_module *module = NULL;
    orthogonalizer rows = {from, to, &matrix->row, &to->matrix->row, &row, NULL, {0}};
    orthogonalizer cols = {from, to, &matrix->col, &to->matrix->col, &col, NULL, {0}};
    BASE_TRY(base_device_load_fatbin(context, from->device, &h2_orthog_gpu_fatbin, &module));
    rows.module = cols.module = module;
    BASE_TRY(orthogonalize_basis(context, &rows));
    if (own_columns)
        BASE_TRY(orthogonalize_basis(context, &cols));
    if (times != NULL) {
        BASE_TRY(base_device_wait(context, from->device));
        middle = base_clock_seconds();
    }
    const h2_device_change *last = own_columns ? &col : &row;
    BASE_TRY(h2_device_is_large(matrix)
                 ? h2_device_change_large_blocks(context, from, &row, last, to, 0, matrix->coupling.count)
                 : h2_device_change_blocks(context, module, from, &row, last, to));
    if (times != NULL)
        *times = (h2_device_times){.bases = middle - start, .blocks = base_clock_seconds() - middle};
done:
    base_device_free(&rows.tasks);
    base_device_free(&cols.tasks);
    h2_device_change_free(&row);
    h2_device_change_free(&col);
    base_device_module_close(module);
    return status;
}

static base_status copy_dense(base_context *context, const h2_device_matrix *from,
                              const h2_device_matrix *to) {
    const h2_block_list *old = &from->matrix->dense, *new = &to->matrix->dense;
    const int64_t bytes = h2_matrix_sizes(from->matrix).dense_bytes;
    return base_device_copy(context, &to->values, (char *)new->value - to->matrix->payload - to->first,
                            &from->values, (char *)old->value - from->matrix->payload - from->first, bytes,
                            NULL);
}

base_status h2_device_replace(base_context *context, h2_device_matrix *on_device, h2_matrix *matrix,
                              h2_device_matrix *other, h2_matrix *result) {
    base_status status;
    BASE_TRY(copy_dense(context, on_device, other));
    BASE_TRY(base_device_wait(context, on_device->device));
    h2_device_free(on_device);
    h2_matrix_free(matrix);
    *matrix = *result;
    *on_device = *other;
    on_device->matrix = matrix;
    memset(result, 0, sizeof *result);
    memset(other, 0, sizeof *other);
done:
    return status;
}

base_status h2_device_orthogonalize(base_context *context, h2_device_matrix *on_device, h2_matrix *matrix,
                                    h2_device_times *times) {
    base_status status = BASE_OK;
    const size_t size = (size_t)matrix->tree.nodes * sizeof(int64_t);
    h2_matrix result = {.payload = NULL};
    h2_device_matrix other = {.matrix = NULL};
    h2_shape shape = h2_matrix_shape(matrix);
    int64_t *row_rank = base_alloc(context, matrix->tree.nodes, sizeof *row_rank);
    int64_t *col_rank = base_alloc(context, matrix->tree.nodes, sizeof *col_rank);
    if (row_rank == NULL || col_rank == NULL)
        BASE_TRY(BASE_MACHINE);
    h2_orthogonal_ranks(matrix, &matrix->row, row_rank);
    h2_orthogonal_ranks(matrix, &matrix->col, col_rank);
    if (memcmp(row_rank, matrix->row.rank, size) == 0 && memcmp(col_rank, matrix->col.rank, size) == 0) {
        BASE_TRY(orthogonalize_into(context, on_device, on_device, times));
        matrix->head.flags |= H2_ORTHOGONAL;
        goto done;
    }
    shape.head.flags |= H2_ORTHOGONAL;
    shape.row_rank = row_rank;
    shape.col_rank = col_rank;
    BASE_TRY(h2_matrix_alloc(context, &shape, &result));
    BASE_TRY(h2_device_alloc(context, on_device->device, &result, &other));
    BASE_TRY(orthogonalize_into(context, on_device, &other, times));
    BASE_TRY(h2_device_replace(context, on_device, matrix, &other, &result));
done:
    h2_device_free(&other);
    h2_matrix_free(&result);
    free(row_rank);
    free(col_rank);
    return status;
}

/* ---- in parts ---- */

typedef struct by_parts {
    base_device *device;
    h2_device_times *times;
} by_parts;

/* Bases of the result, and the changes, for which room is made. */
static base_status find_bases(base_context *context, base_device *device, const h2_matrix *matrix,
                              h2_matrix *result, h2_device_change *row, h2_device_change *col) {
    base_status status;
    h2_device_matrix from = {.matrix = NULL}, other = {.matrix = NULL};
    const h2_device_matrix *to = result == matrix ? &from : &other;
    BASE_TRY(h2_device_alloc_bases(context, device, matrix, &from));
    if (to == &other)
        BASE_TRY(h2_device_alloc_bases(context, device, result, &other));
    BASE_TRY(h2_device_upload(context, &from));
    BASE_TRY(h2_device_orthogonalize_large(context, &from, to, &matrix->row, &result->row, row));
    if ((matrix->head.flags & H2_OWN_COLUMNS) != 0)
        BASE_TRY(h2_device_orthogonalize_large(context, &from, to, &matrix->col, &result->col, col));
    BASE_TRY(h2_device_download(context, to));
done:
    h2_device_free(&from);
    h2_device_free(&other);
    return status;
}

static base_status orthogonalize_by_parts(base_context *context, const h2_matrix *matrix, h2_matrix *result,
                                          void *data) {
    base_status status;
    const by_parts *o = data;
    const bool own_columns = (matrix->head.flags & H2_OWN_COLUMNS) != 0;
    const double start = base_clock_seconds();
    h2_device_change row = {0}, col = {0};
    BASE_TRY(find_bases(context, o->device, matrix, result, &row, &col));
    const double middle = base_clock_seconds();
    BASE_TRY(h2_device_change_in_parts(context, o->device, matrix, &row, own_columns ? &col : &row, result));
    if (o->times != NULL)
        *o->times = (h2_device_times){.bases = middle - start, .blocks = base_clock_seconds() - middle};
done:
    h2_device_change_free(&row);
    h2_device_change_free(&col);
    return status;
}

base_status h2_device_orthogonalize_in_parts(base_context *context, base_device *device, h2_matrix *matrix,
                                             h2_device_times *times) {
    by_parts o = {device, times};
    return h2_orthogonalize_by(context, matrix, orthogonalize_by_parts, &o);
}
