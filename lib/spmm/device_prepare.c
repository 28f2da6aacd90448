#include "base/memory.h"
#include "spmm/device_internal.h"
#include "spmm/format.h"

#include <stdlib.h>

static int bytes_of(spmm_precision precision) {
    return (int)spmm_format_bytes(spmm_format_of(precision));
}

/* ---- entries ---- */

base_status spmm_device_send(base_context *context, base_device *device, const void *from, int64_t bytes,
                             base_device_buffer *buffer) {
    base_status status;
    BASE_TRY(base_device_alloc(context, device, bytes > 0 ? bytes : 1, 1, buffer));
    if (bytes > 0)
        BASE_TRY(base_device_upload(context, buffer, 0, from, bytes, NULL));
done:
    return status;
}

static void pack_entries(const spmm_csr *a, spmm_precision precision, void *to) {
    const bool is_double = precision == SPMM_FP64;
    for (int64_t k = 0; k < a->nnz + SPMM_GPU_ENTRIES_BEHIND; k++) {
        const int column = k < a->nnz ? a->index[k] : 0;
        if (is_double) {
            ((spmm_gpu_double_entry *)to)[k] = (spmm_gpu_double_entry){.column = column};
            if (k < a->nnz)
                ((spmm_gpu_double_entry *)to)[k].value = ((const double *)a->value)[k];
            continue;
        }
        ((spmm_gpu_entry *)to)[k] = (spmm_gpu_entry){.column = column};
        if (k < a->nnz)
            spmm_pack_value(precision, a->value, k, &((spmm_gpu_entry *)to)[k].value, 0);
    }
}

base_status spmm_device_entries_init(base_context *context, base_device *device, const spmm_csr *a,
                                     spmm_precision precision, spmm_device_entries *entries) {
    base_status status;
    const int64_t bytes =
        precision == SPMM_FP64 ? (int64_t)sizeof(spmm_gpu_double_entry) : (int64_t)sizeof(spmm_gpu_entry);
    void *packed = base_alloc(context, a->nnz + SPMM_GPU_ENTRIES_BEHIND, bytes);
    *entries = (spmm_device_entries){.start = {0}};
    if (packed == NULL)
        return BASE_MACHINE;
    pack_entries(a, precision, packed);
    BASE_TRY(spmm_device_send(context, device, a->start, (a->nrow + 1) * (int64_t)sizeof *a->start,
                              &entries->start));
    BASE_TRY(spmm_device_send(context, device, packed, (a->nnz + SPMM_GPU_ENTRIES_BEHIND) * bytes,
                              &entries->entry));
done:
    free(packed);
    if (status != BASE_OK)
        spmm_device_entries_free(entries);
    return status;
}

void spmm_device_entries_free(spmm_device_entries *entries) {
    if (entries == NULL)
        return;
    base_device_free(&entries->start);
    base_device_free(&entries->entry);
}

/* ---- formats ---- */

int64_t spmm_device_panel_bytes(const spmm_device_product *product) {
    const spmm_device_variant *variant = &product->variant;
    return variant->depth * (2 * SPMM_GPU_PANEL_ROWS * bytes_of(product->precision) +
                             3 * (variant->groups * 32 * variant->width + 32));
}

int64_t spmm_device_band_bytes(const spmm_device_product *product) {
    const bool is_short = bytes_of(product->precision) == 2,
               is_split = product->precision == SPMM_FP32 || product->precision == SPMM_3XTF32;
    const int a = is_split ? 4 : 3, b = is_split || is_short ? 4 : 3;
    return SPMM_GPU_BAND_BYTES * (a * SPMM_GPU_BAND_ROWS + b * product->variant.width);
}

static base_status prepare_rows(base_context *context, base_device *device, const spmm_csr *a,
                                spmm_device_product *product) {
    base_status status;
    spmm_segments segments = {0};
    BASE_TRY(spmm_segments_init(context, a, product->variant.most, product->variant.sorted, &segments));
    product->worker_count = segments.count;
    product->part_count = segments.part_count;
    BASE_TRY(spmm_device_send(context, device, segments.segment,
                              segments.count * (int64_t)sizeof *segments.segment, &product->worker));
    BASE_TRY(spmm_device_send(context, device, segments.part,
                              segments.part_count * (int64_t)sizeof *segments.part, &product->part));
done:
    spmm_segments_free(&segments);
    return status;
}

static base_status prepare_runs(base_context *context, base_device *device, const spmm_csr *a,
                                spmm_device_product *product) {
    base_status status;
    spmm_runs runs = {0};
    BASE_TRY(spmm_runs_init(context, a, product->variant.most, &runs));
    product->worker_count = runs.count;
    product->part_count = runs.part_count;
    BASE_TRY(spmm_device_send(context, device, runs.run, runs.count * (int64_t)sizeof *runs.run,
                              &product->worker));
    BASE_TRY(spmm_device_send(context, device, runs.part, runs.part_count * (int64_t)sizeof *runs.part,
                              &product->part));
done:
    spmm_runs_free(&runs);
    return status;
}

static base_status prepare_slabs(base_context *context, base_device *device, const spmm_csr *a,
                                 spmm_device_product *product) {
    base_status status;
    spmm_slabs slabs = {0};
    const int64_t slots = SPMM_GPU_SLAB_GROUP, shared_bytes = a->ncol * SPMM_GPU_SLAB_BYTES;
    BASE_TRY(base_device_allow_shared(context, &product->function, shared_bytes));
    BASE_TRY(base_device_get_occupancy(context, &product->function, SPMM_GPU_SLAB_THREADS, shared_bytes,
                                       &product->resident));
    BASE_TRY(spmm_slabs_init(context, a, product->precision, &slabs));
    product->worker_count = a->nrow;
    BASE_TRY(spmm_device_send(context, device, slabs.start, (a->nrow + 1) * (int64_t)sizeof *slabs.start,
                              &product->start));
    BASE_TRY(
        spmm_device_send(context, device, slabs.column, slabs.group_count * slots * 2, &product->column));
    BASE_TRY(spmm_device_send(context, device, slabs.value,
                              slabs.group_count * slots * bytes_of(product->precision), &product->value));
done:
    spmm_slabs_free(&slabs);
    return status;
}

static base_status send_pieces(base_context *context, base_device *device, const spmm_pieces *pieces,
                               spmm_device_product *product) {
    base_status status;
    product->worker_count = pieces->count;
    product->part_count = pieces->part_count;
    BASE_TRY(spmm_device_send(context, device, pieces->piece, pieces->count * (int64_t)sizeof *pieces->piece,
                              &product->worker));
    BASE_TRY(spmm_device_send(context, device, pieces->part,
                              pieces->part_count * (int64_t)sizeof *pieces->part, &product->part));
done:
    return status;
}

static base_status prepare_windows(base_context *context, base_device *device, const spmm_csr *a,
                                   const int32_t *order, spmm_device_product *product) {
    base_status status;
    const spmm_device_variant *variant = &product->variant;
    const spmm_windows_shape shape = {.precision = product->precision,
                                      .height = 16 * variant->tall,
                                      .dense = variant->dense,
                                      .most = variant->most,
                                      .order = order};
    spmm_windows windows = {.row = NULL};
    BASE_TRY(spmm_windows_init(context, a, &shape, &windows));
    BASE_TRY(send_pieces(context, device, &windows.pieces, product));
    BASE_TRY(spmm_device_send(context, device, windows.row, windows.window_count * shape.height * 4,
                              &product->row));
    BASE_TRY(spmm_device_send(context, device, windows.column, windows.chunk_count * SPMM_GPU_CHUNK * 4,
                              &product->column));
    if (!shape.dense)
        BASE_TRY(
            spmm_device_send(context, device, windows.start, (windows.chunk_count + 1) * 8, &product->start));
    BASE_TRY(spmm_device_send(context, device, windows.value, windows.bytes, &product->value));
done:
    spmm_windows_free(&windows);
    return status;
}

static base_status prepare_panels(base_context *context, base_device *device, const spmm_csr *a,
                                  spmm_device_product *product) {
    base_status status;
    const spmm_device_variant *variant = &product->variant;
    const spmm_panels_shape shape = {
        .precision = product->precision, .depth = variant->depth, .most = variant->most};
    spmm_panels panels = {.start = NULL};
    BASE_TRY(base_device_allow_shared(context, &product->function, spmm_device_panel_bytes(product)));
    BASE_TRY(spmm_panels_init(context, a, &shape, &panels));
    product->steps = panels.steps;
    BASE_TRY(send_pieces(context, device, &panels.pieces, product));
    BASE_TRY(spmm_device_send(context, device, panels.start, (panels.band_count * panels.steps + 1) * 8,
                              &product->start));
    BASE_TRY(spmm_device_send(context, device, panels.position, a->nnz * 2, &product->position));
    BASE_TRY(spmm_device_send(context, device, panels.value, a->nnz * bytes_of(product->precision),
                              &product->value));
done:
    spmm_panels_free(&panels);
    return status;
}

static base_status prepare_bands(base_context *context, base_device *device, const spmm_csr *a,
                                 spmm_device_product *product) {
    base_status status;
    spmm_bands bands = {.start = NULL};
    BASE_TRY(base_device_allow_shared(context, &product->function, spmm_device_band_bytes(product)));
    BASE_TRY(spmm_bands_init(context, a, product->precision, product->variant.most, &bands));
    product->steps = bands.steps;
    BASE_TRY(send_pieces(context, device, &bands.pieces, product));
    const int64_t slabs = bands.band_count * (SPMM_GPU_BAND_ROWS / 16) * bands.steps;
    BASE_TRY(spmm_device_send(context, device, bands.start, (slabs + 1) * (int64_t)sizeof *bands.start,
                              &product->start));
    BASE_TRY(spmm_device_send(context, device, bands.entry,
                              bands.vector_count * 4 * (int64_t)sizeof *bands.entry, &product->value));
done:
    spmm_bands_free(&bands);
    return status;
}

base_status spmm_device_prepare(base_context *context, base_device *device, const spmm_csr *a,
                                const int32_t *order, spmm_device_product *product) {
    switch (product->variant.kind) {
    case SPMM_DEVICE_ROWS: return prepare_rows(context, device, a, product);
    case SPMM_DEVICE_RUNS: return prepare_runs(context, device, a, product);
    case SPMM_DEVICE_WINDOWS: return prepare_windows(context, device, a, order, product);
    case SPMM_DEVICE_PANELS: return prepare_panels(context, device, a, product);
    case SPMM_DEVICE_BANDS: return prepare_bands(context, device, a, product);
    case SPMM_DEVICE_SLABS: return prepare_slabs(context, device, a, product);
    }
    return BASE_OK;
}
