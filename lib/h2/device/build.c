/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/device/build.h"
#include "base/core/memory.h"
#include "h2/device/change.h"

#include <stdlib.h>
#include <string.h>

extern const base_device_fatbin h2_fill_gpu_fatbin;

enum { MOST_ITEMS = 1 << 22 }; /* of a launch */

/* What the kernels need beside the numbers. */
typedef struct filler {
    const h2_builder *builder;
    const h2_device_matrix *on_device;
    base_device_module *module;
    base_device_function blocks, bases;
    base_device_buffer box, point, begin, end, items;
    h2_gpu_item *list;
    int64_t count, room;
    h2_gpu_how how;
} filler;

void h2_device_describe(const h2_builder *builder, h2_gpu_how *how) {
    const h2_interpolation *at = &builder->interpolation;
    const h2_build_options *options = builder->options;
    *how = (h2_gpu_how){.length = options->function.length,
                        .nugget = options->nugget,
                        .function = (int)options->function.kind,
                        .dim = (int)at->dim,
                        .order = (int)at->order,
                        .rank = (int)at->rank};
    memcpy(how->point, at->point, sizeof how->point);
    memcpy(how->weight, at->weight, sizeof how->weight);
}

static base_status open_filler(base_context *context, filler *f) {
    base_status status;
    const h2_matrix *matrix = f->builder->matrix;
    const h2_tree *tree = &matrix->tree;
    base_device *device = f->on_device->device;
    f->room = matrix->coupling.count > matrix->dense.count ? matrix->coupling.count : matrix->dense.count;
    f->room = f->room > tree->nodes ? f->room : tree->nodes;
    f->list = base_alloc(context, f->room, sizeof *f->list);
    if (f->list == NULL)
        return BASE_MACHINE;
    h2_device_describe(f->builder, &f->how);
    BASE_TRY(base_device_load_fatbin(context, device, &h2_fill_gpu_fatbin, &f->module));
    BASE_TRY(h2_device_get_function(context, f->module, matrix, "h2_gpu_fill_blocks", &f->blocks));
    BASE_TRY(h2_device_get_function(context, f->module, matrix, "h2_gpu_fill_bases", &f->bases));
    BASE_TRY(h2_device_send(context, device, f->builder->box, tree->nodes * 2 * tree->dim, sizeof(double),
                            &f->box));
    BASE_TRY(h2_device_send(context, device, tree->point, tree->n * tree->dim, sizeof(double), &f->point));
    BASE_TRY(h2_device_send(context, device, tree->begin, tree->nodes, sizeof *tree->begin, &f->begin));
    BASE_TRY(h2_device_send(context, device, tree->end, tree->nodes, sizeof *tree->end, &f->end));
    BASE_TRY(base_device_alloc(context, device, f->room, sizeof *f->list, &f->items));
done:
    return status;
}

static void close_filler(filler *f) {
    base_device_free(&f->box);
    base_device_free(&f->point);
    base_device_free(&f->begin);
    base_device_free(&f->end);
    base_device_free(&f->items);
    base_device_module_close(f->module);
    free(f->list);
}

/* Fills the listed items of an array; `own` is the kernels' second argument. */
static base_status launch(base_context *context, filler *f, const base_device_function *function, int own,
                          const void *array) {
    base_status status = BASE_OK;
    h2_gpu_geometry geometry = {(const double *)f->box.address, (const double *)f->point.address,
                                (const long long *)f->begin.address, (const long long *)f->end.address};
    uint64_t values = h2_device_address(f->on_device, array);
    if (f->count == 0)
        goto done;
    BASE_TRY(base_device_upload(context, &f->items, 0, f->list, f->count * (int64_t)sizeof *f->list, NULL));
    for (int64_t first = 0; first < f->count; first += MOST_ITEMS) {
        uint64_t items = f->items.address + (uint64_t)first * sizeof *f->list;
        const int64_t count = f->count - first < MOST_ITEMS ? f->count - first : MOST_ITEMS;
        const base_device_launch_config shape = {.grid = {(unsigned)count}, .block = {H2_GPU_FILL_THREADS}};
        BASE_TRY(base_device_launch(context, function, &shape, NULL,
                                    (void *[]){&f->how, &own, &items, &geometry, &values}));
    }
    f->count = 0;
done:
    return status;
}

static void add_item(filler *f, int64_t value, int64_t row, int64_t col) {
    f->list[f->count++] = (h2_gpu_item){value, (int)row, (int)col};
}

static base_status fill_blocks(base_context *context, filler *f, const h2_block_list *list, bool is_dense) {
    for (int64_t k = 0; k < list->count; k++)
        add_item(f, list->offset[k], list->row[k], list->col[k]);
    return launch(context, f, &f->blocks, is_dense, list->value);
}

static base_status fill_bases(base_context *context, filler *f) {
    base_status status;
    const h2_matrix *matrix = f->builder->matrix;
    const h2_basis *basis = &matrix->row;
    const h2_tree *tree = &matrix->tree;
    for (int64_t node = tree->first_leaf; node < tree->nodes; node++)
        if (basis->rank[node] > 0)
            add_item(f, basis->leaf_offset[node - tree->first_leaf], node, node);
    BASE_TRY(launch(context, f, &f->bases, false, basis->leaf));
    for (int64_t node = 0; node < tree->nodes; node++)
        if (h2_parent_rank(matrix, basis, node) > 0)
            add_item(f, basis->transfer_offset[node], node, tree->parent[node]);
    BASE_TRY(launch(context, f, &f->bases, true, basis->transfer));
done:
    return status;
}

base_status h2_device_fill(base_context *context, const h2_builder *builder,
                           const h2_device_matrix *on_device) {
    base_status status;
    const h2_matrix *matrix = builder->matrix;
    filler f = {.builder = builder, .on_device = on_device};
    BASE_TRY(open_filler(context, &f));
    BASE_TRY(fill_bases(context, &f));
    BASE_TRY(fill_blocks(context, &f, &matrix->coupling, false));
    BASE_TRY(fill_blocks(context, &f, &matrix->dense, true));
    BASE_TRY(base_device_wait(context, on_device->device));
done:
    close_filler(&f);
    return status;
}

base_status h2_device_build(base_context *context, base_device *device, const double *point, int64_t n,
                            int64_t dim, const h2_build_options *options, h2_matrix *matrix,
                            h2_device_matrix *on_device) {
    base_status status;
    h2_builder builder;
    memset(on_device, 0, sizeof *on_device);
    BASE_TRY(h2_builder_open(context, point, n, dim, options, matrix, &builder));
    BASE_TRY(h2_device_alloc(context, device, matrix, on_device));
    BASE_TRY(h2_device_fill(context, &builder, on_device));
done:
    h2_builder_close(&builder);
    return status;
}
