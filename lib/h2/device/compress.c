/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/device/compress.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "h2/device/large.h"
#include "h2/device/product.h"
#include "h2/device/truncate.h"
#include "h2/product/norm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const base_device_fatbin h2_compress_gpu_fatbin;

/* ---- norms ---- */

static base_status sum_squares(base_context *context, base_device_module *module,
                               const h2_device_matrix *on_device, double *square) {
    base_status status = BASE_OK;
    const h2_matrix *matrix = on_device->matrix;
    long long count = matrix->coupling.offset[matrix->coupling.count];
    const int64_t pieces = (count + H2_GPU_SQUARES - 1) / H2_GPU_SQUARES;
    base_device_buffer buffer = {0};
    base_device_function function;
    double *sums = base_alloc(context, pieces + 1, sizeof *sums);
    *square = 0;
    if (sums == NULL)
        BASE_TRY(BASE_MACHINE);
    uint64_t values = h2_device_address(on_device, matrix->coupling.value);
    const base_device_launch_config shape = {.grid = {(unsigned)pieces}, .block = {H2_GPU_QR_THREADS}};
    BASE_TRY(h2_device_get_function(context, module, matrix, "h2_gpu_squares", &function));
    BASE_TRY(base_device_alloc(context, on_device->device, pieces + 1, sizeof *sums, &buffer));
    if (pieces > 0) {
        BASE_TRY(base_device_launch(context, &function, &shape, NULL,
                                    (void *[]){&count, &values, &buffer.address}));
        BASE_TRY(base_device_download(context, &buffer, 0, sums, pieces * (int64_t)sizeof *sums, NULL));
    }
    for (int64_t i = 0; i < pieces; i++)
        *square += sums[i];
    *square *= h2_is_symmetric(matrix) ? 2 : 1;
done:
    base_device_free(&buffer);
    free(sums);
    return status;
}

static base_status multiply(base_context *context, void *data, bool transposed, const double *x, double *y) {
    return h2_device_mv(context, ((h2_device_plan **)data)[transposed], 1, x, 0, y, 1);
}

static base_status find_norm(base_context *context, const h2_device_matrix *on_device, double *norm) {
    base_status status;
    const h2_matrix *matrix = on_device->matrix;
    h2_device_plan *plans[2] = {NULL, NULL}; /* for A, for Aᵀ */
    BASE_TRY(h2_device_mv_open(context, on_device, false, 1, &plans[0]));
    if (!h2_is_symmetric(matrix))
        BASE_TRY(h2_device_mv_open(context, on_device, true, 1, &plans[1]));
    BASE_TRY(h2_norm_by(context, matrix, H2_POWER_STEPS, multiply, plans, norm));
done:
    h2_device_mv_close(plans[0]);
    h2_device_mv_close(plans[1]);
    return status;
}

/* ---- the result ---- */

static h2_gpu_store_task make_store_task(const h2_device_truncation *t, const h2_basis *to, int64_t node) {
    const h2_matrix *matrix = t->from->matrix;
    const int64_t first_leaf = matrix->tree.first_leaf, child = matrix->child[node];
    const bool is_leaf = node >= first_leaf;
    return (h2_gpu_store_task){
        .from = is_leaf ? t->basis->leaf_offset[node - first_leaf] : 0,
        .to = is_leaf ? to->leaf_offset[node - first_leaf] : to->transfer_offset[child],
        .vectors = t->large != NULL ? t->vector_place[node] : t->basis->start[node] * H2_GPU_STACK,
        .rows = (int)(is_leaf ? h2_points_of(matrix, node)
                              : to->start[matrix->child[node + 1]] - to->start[child]),
        .old = (int)t->basis->rank[node],
        .rank = (int)to->rank[node],
        .is_leaf = is_leaf};
}

/* A launch's tasks, and the vectors into which they point. */
static base_status store(base_context *context, const base_device_function *function,
                         const base_device_buffer *tasks, int64_t first, int64_t end, uint64_t from,
                         uint64_t to, const base_device_buffer *vectors) {
    uint64_t task = tasks->address + (uint64_t)first * sizeof(h2_gpu_store_task), vector = vectors->address;
    const base_device_launch_config shape = {.grid = {(unsigned)(end - first)}, .block = {H2_GPU_QR_THREADS}};
    if (first == end)
        return BASE_OK;
    return base_device_launch(context, function, &shape, NULL, (void *[]){&task, &from, &to, &vector});
}

static base_status store_basis(base_context *context, const h2_device_truncation *t,
                               const h2_device_matrix *result, const h2_basis *to) {
    base_status status = BASE_OK;
    const h2_tree *tree = &t->from->matrix->tree;
    base_device_function function;
    base_device_buffer tasks = {0};
    int64_t used = 0, start[H2_MOST_LEVELS + 1];
    h2_gpu_store_task *task = base_alloc(context, tree->nodes, sizeof *task);
    if (task == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t level = 0; level < tree->levels; level++) {
        start[level] = used;
        for (int64_t node = tree->level[level]; node < tree->level[level + 1]; node++)
            if (to->rank[node] > 0)
                task[used++] = make_store_task(t, to, node);
    }
    const int64_t last = tree->levels - 1, inner = start[last];
    const uint64_t from = h2_device_address(t->from, t->basis->leaf),
                   leaf = h2_device_address(result, to->leaf),
                   transfer = h2_device_address(result, to->transfer);
    BASE_TRY(h2_device_send(context, t->from->device, task, used, sizeof *task, &tasks));
    BASE_TRY(h2_device_get_function(context, t->module, t->from->matrix, "h2_gpu_store", &function));
    for (int64_t level = 0; level < last && t->large != NULL; level++)
        BASE_TRY(store(context, &function, &tasks, start[level], start[level + 1], from, transfer,
                       &t->level_vectors[level]));
    if (t->large != NULL) {
        BASE_TRY(h2_device_store_large_leaves(context, t, result, to));
    } else {
        BASE_TRY(store(context, &function, &tasks, 0, inner, from, transfer, &t->vectors));
        BASE_TRY(store(context, &function, &tasks, inner, used, from, leaf, &t->vectors));
    }
    BASE_TRY(base_device_wait(context, t->from->device));
done:
    base_device_free(&tasks);
    free(task);
    return status;
}

static base_status set_norms(base_context *context, base_device_module *module,
                             const h2_device_matrix *on_device, const h2_compress_options *options,
                             h2_compression *compression) {
    base_status status;
    double square;
    BASE_TRY(sum_squares(context, module, on_device, &square));
    compression->norm = sqrt(square);
    if (options->rule == H2_ABSOLUTE)
        BASE_TRY(find_norm(context, on_device, &compression->norm2));
done:
    return status;
}

base_status h2_device_compress(base_context *context, h2_device_matrix *on_device, h2_matrix *matrix,
                               const h2_compress_options *options, h2_compression *compression,
                               h2_device_times *times) {
    base_status status;
    const bool symmetric = h2_is_symmetric(matrix);
    double threshold, resolution;
    const double start = base_clock_seconds();
    h2_device_truncation row = {.from = on_device, .basis = &matrix->row};
    h2_device_truncation col = {.from = on_device, .basis = &matrix->col, .columns = true};
    h2_device_matrix other = {.matrix = NULL};
    h2_matrix result = {.payload = NULL};
    base_device_module *module = NULL;
    memset(compression, 0, sizeof *compression);
    BASE_TRY(h2_compress_check(context, matrix, options));
    BASE_TRY(base_device_load_fatbin(context, on_device->device, &h2_compress_gpu_fatbin, &module));
    BASE_TRY(set_norms(context, module, on_device, options, compression));
    h2_compress_threshold(matrix, options, compression, &threshold, &resolution);
    BASE_TRY(h2_compress_choose_factor(context, sizeof(double), options, resolution, &compression->gram));
    h2_gpu_truncate_how how = {.threshold = threshold,
                               .rounding = compression->gram ? h2_gram_rounding : 0,
                               .rule = (int)options->rule,
                               .method = (int)options->method,
                               .level_ranks = options->level_ranks};
    h2_compress_resolution(options->rule, options->method, threshold, &how.relative, &how.absolute);
    row.module = col.module = module;
    row.gram = col.gram = compression->gram;
    row.large = col.large = h2_device_is_large(matrix) ? &h2_device_large_steps : NULL;
    BASE_TRY(h2_device_truncate(context, &row, &how));
    if (!symmetric)
        BASE_TRY(h2_device_truncate(context, &col, &how));
    const h2_device_truncation *cols = symmetric ? &row : &col;
    const double middle = base_clock_seconds(),
                 weights = row.weights_done - start + (symmetric ? 0 : col.weights_done - col.begun);
    h2_compress_set_error(matrix, row.cut_square, cols->cut_square, compression);
    const h2_shape shape = h2_compress_shape(matrix, row.rank, cols->rank, compression->error);
    BASE_TRY(h2_matrix_alloc(context, &shape, &result));
    BASE_TRY(h2_device_alloc(context, on_device->device, &result, &other));
    BASE_TRY(store_basis(context, &row, &other, &result.row));
    if (!symmetric)
        BASE_TRY(store_basis(context, &col, &other, &result.col));
    BASE_TRY(row.large != NULL
                 ? h2_device_change_large_blocks(context, on_device, &row.change, &cols->change, &other)
                 : h2_device_change_blocks(context, module, on_device, &row.change, &cols->change, &other));
    if (times != NULL)
        *times = (h2_device_times){weights, middle - start - weights, base_clock_seconds() - middle};
    BASE_TRY(h2_device_replace(context, on_device, matrix, &other, &result));
done:
    h2_device_truncation_free(&row);
    h2_device_truncation_free(&col);
    h2_device_free(&other);
    h2_matrix_free(&result);
    base_device_module_close(module);
    return status;
}
