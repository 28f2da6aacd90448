/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/device/compressor.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "h2/device/large.h"

#include <stdlib.h>
#include <string.h>

extern const base_device_fatbin h2_compress_gpu_fatbin;

base_status h2_device_compressor_open(base_context *context, const h2_device_matrix *from,
                                      const h2_compress_options *options, h2_compression *compression,
                                      h2_device_compressor *c) {
    base_status status;
    const h2_matrix *matrix = from->matrix;
    *c = (h2_device_compressor){.from = from,
                                .options = options,
                                .compression = compression,
                                .row = {.from = from, .basis = &matrix->row},
                                .col = {.from = from, .basis = &matrix->col, .columns = true},
                                .cols = h2_is_symmetric(matrix) ? &c->row : &c->col,
                                .begun = base_clock_seconds()};
    memset(compression, 0, sizeof *compression);
    BASE_TRY(h2_compress_check(context, matrix, options));
    BASE_TRY(base_device_get_module(context, from->device, &h2_compress_gpu_fatbin, &c->module));
done:
    return status;
}

void h2_device_compressor_close(h2_device_compressor *c) {
    h2_device_truncation_free(&c->row);
    h2_device_truncation_free(&c->col);
}

static base_status truncate_basis(base_context *context, h2_device_compressor *c, h2_device_truncation *t,
                                  const h2_device_truncation_steps *steps, const h2_gpu_truncate_how *how) {
    base_status status;
    t->module = c->module;
    t->gram = c->compression->gram;
    t->large = steps;
    BASE_TRY(h2_device_truncate(context, t, how));
    c->weights += t->weights_done - t->begun;
done:
    return status;
}

base_status h2_device_compressor_truncate(base_context *context, h2_device_compressor *c,
                                          const h2_device_truncation_steps *steps) {
    base_status status;
    const h2_matrix *matrix = c->from->matrix;
    const h2_compress_options *options = c->options;
    double threshold, resolution;
    c->weights = base_clock_seconds() - c->begun; /* of the norms */
    h2_compress_threshold(matrix, options, c->compression, &threshold, &resolution);
    BASE_TRY(h2_compress_choose_factor(context, sizeof(double), options, resolution, &c->compression->gram));
    h2_gpu_truncate_how how = {.threshold = threshold,
                               .rounding = c->compression->gram ? h2_gram_rounding : 0,
                               .rule = (int)options->rule,
                               .method = (int)options->method,
                               .level_ranks = options->level_ranks};
    h2_compress_resolution(options->rule, options->method, threshold, &how.relative, &how.absolute);
    BASE_TRY(truncate_basis(context, c, &c->row, steps, &how));
    if (c->cols == &c->col)
        BASE_TRY(truncate_basis(context, c, &c->col, steps, &how));
    h2_compress_set_error(matrix, c->row.cut_square, c->cols->cut_square, c->compression);
    c->middle = base_clock_seconds();
done:
    return status;
}

h2_shape h2_device_compressor_shape(const h2_device_compressor *c) {
    return h2_compress_shape(c->from->matrix, c->row.rank, c->cols->rank, c->compression->error);
}

h2_device_times h2_device_compressor_times(const h2_device_compressor *c) {
    return (h2_device_times){c->weights, c->middle - c->begun - c->weights, base_clock_seconds() - c->middle};
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

base_status h2_device_compressor_store(base_context *context, const h2_device_compressor *c,
                                       const h2_device_matrix *result) {
    base_status status;
    BASE_TRY(store_basis(context, &c->row, result, &result->matrix->row));
    if (c->cols == &c->col)
        BASE_TRY(store_basis(context, &c->col, result, &result->matrix->col));
done:
    return status;
}
