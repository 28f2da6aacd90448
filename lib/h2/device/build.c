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

/* An item of an array, if it is in the part that is on the device. */
static void add_item(filler *f, const void *array, int64_t value, int64_t row, int64_t col) {
    const h2_matrix *matrix = f->builder->matrix;
    const int64_t place = (char *)h2_at(matrix, array, value) - matrix->payload - f->on_device->first;
    if (place >= 0 && place < f->on_device->bytes)
        f->list[f->count++] = (h2_gpu_item){value, (int)row, (int)col};
}

static base_status fill_blocks(base_context *context, filler *f, const h2_block_list *list, bool is_dense) {
    for (int64_t k = 0; k < list->count; k++)
        add_item(f, list->value, list->offset[k], list->row[k], list->col[k]);
    return launch(context, f, &f->blocks, is_dense, list->value);
}

static base_status fill_bases(base_context *context, filler *f) {
    base_status status;
    const h2_matrix *matrix = f->builder->matrix;
    const h2_basis *basis = &matrix->row;
    const h2_tree *tree = &matrix->tree;
    for (int64_t node = tree->first_leaf; node < tree->nodes; node++)
        if (basis->rank[node] > 0)
            add_item(f, basis->leaf, basis->leaf_offset[node - tree->first_leaf], node, node);
    BASE_TRY(launch(context, f, &f->bases, false, basis->leaf));
    for (int64_t node = 0; node < tree->nodes; node++)
        if (h2_parent_rank(matrix, basis, node) > 0)
            add_item(f, basis->transfer, basis->transfer_offset[node], node, tree->parent[node]);
    BASE_TRY(launch(context, f, &f->bases, true, basis->transfer));
done:
    return status;
}

static base_status fill(base_context *context, filler *f) {
    base_status status;
    const h2_matrix *matrix = f->builder->matrix;
    BASE_TRY(fill_bases(context, f));
    BASE_TRY(fill_blocks(context, f, &matrix->coupling, false));
    BASE_TRY(fill_blocks(context, f, &matrix->dense, true));
    BASE_TRY(base_device_wait(context, f->on_device->device));
done:
    return status;
}

base_status h2_device_fill(base_context *context, const h2_builder *builder,
                           const h2_device_matrix *on_device) {
    base_status status;
    filler f = {.builder = builder, .on_device = on_device};
    BASE_TRY(open_filler(context, &f));
    BASE_TRY(fill(context, &f));
done:
    close_filler(&f);
    return status;
}

/* ---- in parts ---- */

/* The last of an array's items' ends that is at most `most`, in bytes of the payload, but not before `end`.
 */
static int64_t find_end(const h2_matrix *matrix, const void *array, const int64_t *offset, int64_t count,
                        int64_t most, int64_t end) {
    for (int64_t i = 0; i <= count; i++) {
        const int64_t place = (char *)h2_at(matrix, array, offset[i]) - matrix->payload;
        end = place <= most && place > end ? place : end;
    }
    return end;
}

/* The end of the part from `first` on, of at most so many bytes. */
static int64_t find_part(const h2_matrix *matrix, int64_t first, int64_t bytes) {
    const h2_basis *basis = &matrix->row;
    const int64_t most = first + bytes;
    int64_t end = first;
    if (matrix->payload_bytes <= most)
        return matrix->payload_bytes;
    end = find_end(matrix, basis->leaf, basis->leaf_offset, matrix->tree.nodes - matrix->tree.first_leaf,
                   most, end);
    end = find_end(matrix, basis->transfer, basis->transfer_offset, matrix->tree.nodes, most, end);
    end =
        find_end(matrix, matrix->coupling.value, matrix->coupling.offset, matrix->coupling.count, most, end);
    return find_end(matrix, matrix->dense.value, matrix->dense.offset, matrix->dense.count, most, end);
}

/* Bytes of an item, at most. */
static int64_t item_bytes(const h2_matrix *matrix) {
    const int64_t rank = h2_most_rank(matrix), points = h2_most_points(matrix);
    const int64_t edge = rank > points ? rank : points;
    return edge * edge * matrix->head.value_bytes;
}

int64_t h2_device_fill_bytes(const h2_matrix *matrix) {
    const h2_tree *tree = &matrix->tree;
    return (int64_t)sizeof(double) * (tree->n * tree->dim + tree->nodes * 2 * (tree->dim + 1)) +
           (int64_t)sizeof(h2_gpu_item) * (matrix->coupling.count + matrix->dense.count + tree->nodes) +
           2 * item_bytes(matrix) + 4096;
}

/* Seven eighths of what is free, but no more than a part needs. */
static base_status alloc_part(base_context *context, base_device *device, const h2_matrix *matrix,
                              h2_device_matrix *part) {
    base_status status;
    const int64_t item = item_bytes(matrix), most = item > H2_DEVICE_PART_BYTES ? item : H2_DEVICE_PART_BYTES;
    int64_t free_bytes = 0;
    BASE_TRY(base_device_get_memory(context, device, &free_bytes, NULL, NULL));
    const int64_t bytes = free_bytes / 8 * 7 < most ? free_bytes / 8 * 7 : most;
    BASE_TRY(h2_device_alloc_part(context, device, matrix, bytes, part));
done:
    return status;
}

base_status h2_device_fill_in_parts(base_context *context, const h2_builder *builder, base_device *device) {
    base_status status;
    const h2_matrix *matrix = builder->matrix;
    h2_device_matrix part = {.device = device};
    filler f = {.builder = builder, .on_device = &part};
    BASE_TRY(open_filler(context, &f));
    BASE_TRY(alloc_part(context, device, matrix, &part));
    for (int64_t first = (char *)matrix->row.leaf - matrix->payload; first < matrix->payload_bytes;
         first += part.bytes) {
        part.first = first;
        part.bytes = find_part(matrix, first, part.values.bytes) - first;
        BASE_TRY(h2_device_clear(context, &part));
        BASE_TRY(fill(context, &f));
        BASE_TRY(h2_device_download(context, &part));
    }
done:
    close_filler(&f);
    h2_device_free(&part);
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
