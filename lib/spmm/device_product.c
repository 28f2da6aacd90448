#include "base/progress.h"
#include "spmm/device_internal.h"

#include <stdio.h>

extern const base_device_fatbin spmm_rows_gpu_fatbin, spmm_runs_gpu_fatbin, spmm_slabs_gpu_fatbin,
    spmm_rings_gpu_fatbin, spmm_windows_short_gpu_fatbin, spmm_windows_wide_gpu_fatbin,
    spmm_panels_gpu_fatbin, spmm_bands_gpu_fatbin, spmm_blocks_gpu_fatbin, spmm_strips_gpu_fatbin,
    spmm_splits_gpu_fatbin;

static int bytes_of(spmm_precision precision) {
    return (int)spmm_format_bytes(spmm_format_of(precision));
}

/* ---- code ---- */

static const base_device_fatbin *find_code(spmm_precision precision, const spmm_device_variant *variant) {
    switch (variant->kind) {
    case SPMM_DEVICE_ROWS: return &spmm_rows_gpu_fatbin;
    case SPMM_DEVICE_RUNS: return &spmm_runs_gpu_fatbin;
    case SPMM_DEVICE_PANELS: return &spmm_panels_gpu_fatbin;
    case SPMM_DEVICE_STRIPS: return &spmm_strips_gpu_fatbin;
    case SPMM_DEVICE_SLABS: return &spmm_slabs_gpu_fatbin;
    case SPMM_DEVICE_SPLITS: return &spmm_splits_gpu_fatbin;
    case SPMM_DEVICE_BANDS: return &spmm_bands_gpu_fatbin;
    case SPMM_DEVICE_RINGS: return &spmm_rings_gpu_fatbin;
    default: break;
    }
    if (variant->warps > 0)
        return &spmm_blocks_gpu_fatbin;
    return bytes_of(precision) > 2 ? &spmm_windows_wide_gpu_fatbin : &spmm_windows_short_gpu_fatbin;
}

void spmm_device_variant_name(spmm_precision precision, const spmm_device_variant *variant, char name[48]) {
    static const char *const rows[] = {"half", "bfloat", "float", "float", "float", "double"},
                             *const windows[] = {"half", "bfloat", "tf32", "float", "float", "double"};
    if (variant->kind == SPMM_DEVICE_ROWS)
        snprintf(name, 48, "rows_%s_%d_%d_%d", rows[precision], variant->lanes, variant->teams,
                 variant->depth);
    else if (variant->kind == SPMM_DEVICE_RUNS)
        snprintf(name, 48, "runs_%s_%d_%d", rows[precision], variant->lanes, variant->depth);
    else if (variant->kind == SPMM_DEVICE_STRIPS)
        snprintf(name, 48, "strips_%s_%d", rows[precision], variant->lanes);
    else if (variant->kind == SPMM_DEVICE_SLABS)
        snprintf(name, 48, "slabs_%s", rows[precision]);
    else if (variant->kind == SPMM_DEVICE_SPLITS)
        snprintf(name, 48, "splits_float_64");
    else if (variant->kind == SPMM_DEVICE_BANDS)
        snprintf(name, 48, "bands_%s_%d", windows[precision], variant->width);
    else if (variant->kind == SPMM_DEVICE_RINGS)
        snprintf(name, 48, "rings_%s_%d_%d_%d", windows[precision], variant->tall, variant->groups,
                 variant->dense);
    else if (variant->kind == SPMM_DEVICE_PANELS)
        snprintf(name, 48, "panels_%s_%d_%d_%d", windows[precision], variant->depth, variant->width,
                 variant->groups);
    else if (variant->warps > 0)
        snprintf(name, 48, "blocks_%s_%d", windows[precision], variant->warps);
    else
        snprintf(name, 48, "windows_%s_%d_%d_%d_%d", windows[precision], variant->tall, variant->width,
                 variant->groups, variant->dense);
}

int spmm_device_variant_columns(spmm_precision precision, const spmm_device_variant *variant) {
    if (variant->kind == SPMM_DEVICE_ROWS || variant->kind == SPMM_DEVICE_RUNS ||
        variant->kind == SPMM_DEVICE_STRIPS)
        return variant->lanes * 16 / bytes_of(precision);
    if (variant->kind == SPMM_DEVICE_SLABS)
        return SPMM_GPU_SLAB_BYTES / bytes_of(precision);
    if (variant->kind == SPMM_DEVICE_SPLITS)
        return SPMM_GPU_SPLIT_COLUMNS;
    if (variant->kind == SPMM_DEVICE_BANDS)
        return variant->width;
    if (variant->kind == SPMM_DEVICE_RINGS)
        return 64 * variant->groups;
    return 8 * variant->width * 4 / bytes_of(precision) * variant->groups;
}

static base_status load(base_context *context, base_device *device, const base_device_fatbin *code,
                        const char *name, base_device_function *function) {
    base_status status;
    base_device_module *module;
    BASE_TRY(base_device_get_module(context, device, code, &module));
    BASE_TRY(base_device_get_function(context, module, name, function));
done:
    return status;
}

base_status spmm_device_product_load(base_context *context, base_device *device, spmm_precision precision,
                                     const spmm_device_variant *variant, base_device_function *function) {
    char name[48];
    spmm_device_variant_name(precision, variant, name);
    return load(context, device, find_code(precision, variant), name, function);
}

/* ---- A ---- */

base_status spmm_device_product_init(base_context *context, spmm_device_matrix *matrix,
                                     const spmm_row_set *taken, spmm_precision precision,
                                     const spmm_device_variant *variant, const spmm_device_entries *entries,
                                     spmm_device_product *product) {
    base_status status;
    *product = (spmm_device_product){
        .variant = *variant, .precision = precision, .nrow = matrix->a.nrow, .ncol = matrix->a.ncol};
    BASE_TRY(spmm_device_product_load(context, matrix->device, precision, variant, &product->function));
    if (variant->kind == SPMM_DEVICE_SPLITS)
        BASE_TRY(load(context, matrix->device, &spmm_splits_gpu_fatbin, "halves_float_64", &product->halve));
    if (entries != NULL)
        product->entries = *entries;
    const double start = base_clock_seconds();
    BASE_TRY(spmm_device_prepare(context, matrix, taken, product));
    BASE_TRY(base_device_wait(context, matrix->device));
    product->prepare_seconds = base_clock_seconds() - start;
done:
    if (status != BASE_OK)
        spmm_device_product_free(product);
    return status;
}

void spmm_device_product_free(spmm_device_product *product) {
    if (product == NULL)
        return;
    base_device_free(&product->own);
    base_device_free(&product->taken);
    base_device_free(&product->partial);
    base_device_free(&product->arrived);
    base_device_free(&product->halves);
    *product = (spmm_device_product){.worker_count = 0};
}

/* ---- products ---- */

/* Room for the sums of parts, in bytes a part. */
static base_status make_room(base_context *context, spmm_device_product *product, int64_t part_bytes,
                             int64_t tiles) {
    base_status status = BASE_OK;
    base_device *device = product->function.device;
    if (product->partial.bytes < product->part_count * part_bytes || product->partial.address == 0) {
        base_device_free(&product->partial);
        BASE_TRY(base_device_alloc(context, device, product->part_count + 1, part_bytes, &product->partial));
    }
    if (product->arrived.bytes < product->part_count * tiles * 4 || product->arrived.address == 0) {
        base_device_free(&product->arrived);
        BASE_TRY(base_device_alloc(context, device, product->part_count + 1, tiles * 4, &product->arrived));
        BASE_TRY(base_device_fill(context, &product->arrived, 0, 0, product->arrived.bytes, NULL));
    }
done:
    return status;
}

#define PLACE(address) ((void *)(uintptr_t)(address))
#define ADDRESS(buffer) PLACE((buffer).address)

/* What the kernels of all families are told of B and C. */
static spmm_gpu_operands tell(const spmm_device_product *product, const spmm_device_operands *operands,
                              int64_t tiles, int64_t vectors) {
    return (spmm_gpu_operands){.b = PLACE(operands->b),
                               .c = PLACE(operands->c),
                               .partial = ADDRESS(product->partial),
                               .arrived = ADDRESS(product->arrived),
                               .b_stride = (int)operands->b_stride,
                               .c_stride = (int)operands->c_stride,
                               .vectors = (int)vectors,
                               .tiles = (int)tiles,
                               .tiles_first = product->variant.tiles_first,
                               .wide = operands->wide,
                               .alpha = operands->alpha,
                               .beta = operands->beta};
}

static base_status run_rows(base_context *context, const spmm_device_product *product,
                            const spmm_gpu_operands *operands, base_device_stream *stream) {
    const spmm_device_variant *variant = &product->variant;
    const int64_t workers = SPMM_GPU_THREADS / (variant->lanes * variant->teams);
    const base_device_shape shape = {
        .grid = {(unsigned)((product->worker_count * operands->tiles + workers - 1) / workers)},
        .block = {SPMM_GPU_THREADS}};
    spmm_gpu_rows rows = {.segments = PLACE(product->worker),
                          .parts = PLACE(product->part),
                          .entry = PLACE(product->entries.entry),
                          .segment_count = product->worker_count,
                          .operands = *operands};
    return base_device_launch(context, &product->function, &shape, stream, (void *[]){&rows});
}

static base_status run_windows(base_context *context, const spmm_device_product *product,
                               const spmm_gpu_operands *operands, base_device_stream *stream) {
    const spmm_device_variant *variant = &product->variant;
    const int64_t warps = variant->warps > 0 ? variant->warps : 1;
    base_device_shape shape = {.grid = {(unsigned)(product->worker_count * operands->tiles / warps)},
                               .block = {(unsigned)(warps * SPMM_GPU_WINDOW_THREADS)},
                               .shared_bytes = spmm_device_block_bytes(product)};
    if (variant->kind == SPMM_DEVICE_RINGS) { /* one or two warps beside them */
        const int64_t places = base_device_get_properties(product->function.device)->multiprocessors *
                               (int64_t)product->resident;
        if (shape.grid[0] > places) /* as many as are resident at a time */
            shape.grid[0] = (unsigned)places;
        shape.block[0] = (unsigned)(32 * (spmm_device_ring_workers(variant) + 2 - variant->dense));
        shape.shared_bytes = spmm_device_ring_bytes(product);
    }
    spmm_gpu_windows windows = {.pieces = PLACE(product->worker),
                                .parts = PLACE(product->part),
                                .rows = PLACE(product->row),
                                .column = PLACE(product->column),
                                .start = PLACE(product->start),
                                .value = PLACE(product->value),
                                .piece_count = product->worker_count,
                                .operands = *operands};
    return base_device_launch(context, &product->function, &shape, stream, (void *[]){&windows});
}

static base_status run_runs(base_context *context, const spmm_device_product *product,
                            const spmm_gpu_operands *operands, base_device_stream *stream) {
    const spmm_device_variant *variant = &product->variant;
    const int64_t workers = variant->threads / variant->lanes;
    const base_device_shape shape = {
        .grid = {(unsigned)((product->worker_count * operands->tiles + workers - 1) / workers)},
        .block = {(unsigned)variant->threads}};
    spmm_gpu_runs runs = {.runs = PLACE(product->worker),
                          .parts = PLACE(product->part),
                          .start = PLACE(product->entries.start),
                          .entry = PLACE(product->entries.entry),
                          .run_count = product->worker_count,
                          .operands = *operands};
    return base_device_launch(context, &product->function, &shape, stream, (void *[]){&runs});
}

static base_status run_strips(base_context *context, const spmm_device_product *product,
                              const spmm_gpu_operands *operands, base_device_stream *stream) {
    const int64_t workers = SPMM_GPU_THREADS / product->variant.lanes;
    const base_device_shape shape = {
        .grid = {(unsigned)((product->worker_count * operands->tiles + workers - 1) / workers)},
        .block = {SPMM_GPU_THREADS}};
    spmm_gpu_strips strips = {.start = PLACE(product->start),
                              .row = PLACE(product->row),
                              .step = PLACE(product->value),
                              .strip_count = product->worker_count,
                              .nrow = (int)product->nrow,
                              .operands = *operands};
    return base_device_launch(context, &product->function, &shape, stream, (void *[]){&strips});
}

/* B in halves, then the product. */
static base_status run_splits(base_context *context, spmm_device_product *product,
                              const spmm_gpu_operands *operands, base_device_stream *stream) {
    base_status status;
    const int64_t tile_bytes = 2 * SPMM_GPU_SPLIT_COLUMNS * SPMM_GPU_BAND_BYTES,
                  tiles = product->steps * operands->tiles;
    if (product->halves.bytes < tiles * tile_bytes) {
        base_device_free(&product->halves);
        BASE_TRY(base_device_alloc(context, product->function.device, tiles, tile_bytes, &product->halves));
    }
    spmm_gpu_splits splits = {.a = PLACE(product->value),
                              .halves = ADDRESS(product->halves),
                              .nrow = product->nrow,
                              .ncol = product->ncol,
                              .steps = (int)product->steps,
                              .parts = (int)product->variant.most,
                              .operands = *operands};
    const base_device_shape halve = {.grid = {(unsigned)tiles}, .block = {SPMM_GPU_SPLIT_WORKERS}},
                            shape = {.grid = {(unsigned)(product->worker_count * operands->tiles)},
                                     .block = {SPMM_GPU_SPLIT_WORKERS + 32},
                                     .shared_bytes = spmm_device_split_bytes()};
    if (tiles > 0)
        BASE_TRY(base_device_launch(context, &product->halve, &halve, stream, (void *[]){&splits}));
    BASE_TRY(base_device_launch(context, &product->function, &shape, stream, (void *[]){&splits}));
done:
    return status;
}

/* As many blocks as are resident at a time, each with the same number of rows. */
static base_status run_slabs(base_context *context, const spmm_device_product *product,
                             const spmm_gpu_operands *operands, int64_t columns, base_device_stream *stream) {
    const int64_t places =
        base_device_get_properties(product->function.device)->multiprocessors * (int64_t)product->resident;
    const int64_t wanted = places / operands->tiles > 0 ? places / operands->tiles : 1,
                  share = (product->nrow + wanted - 1) / wanted;
    const base_device_shape shape = {
        .grid = {(unsigned)operands->tiles, (unsigned)((product->nrow + share - 1) / share)},
        .block = {SPMM_GPU_SLAB_THREADS},
        .shared_bytes = product->ncol * SPMM_GPU_SLAB_BYTES};
    spmm_gpu_slabs slabs = {.start = PLACE(product->start),
                            .column = PLACE(product->column),
                            .value = PLACE(product->value),
                            .nrow = (int)product->nrow,
                            .ncol = (int)product->ncol,
                            .share = (int)share,
                            .columns = (int)columns,
                            .operands = *operands};
    return base_device_launch(context, &product->function, &shape, stream, (void *[]){&slabs});
}

static base_status run_panels(base_context *context, const spmm_device_product *product,
                              const spmm_gpu_operands *operands, base_device_stream *stream) {
    const base_device_shape shape = {.grid = {(unsigned)(product->worker_count * operands->tiles)},
                                     .block = {SPMM_GPU_PANEL_THREADS},
                                     .shared_bytes = spmm_device_panel_bytes(product)};
    spmm_gpu_panels panels = {.pieces = PLACE(product->worker),
                              .parts = PLACE(product->part),
                              .start = PLACE(product->start),
                              .position = PLACE(product->position),
                              .value = PLACE(product->value),
                              .piece_count = product->worker_count,
                              .nrow = product->nrow,
                              .ncol = product->ncol,
                              .steps = (int)product->steps,
                              .operands = *operands};
    return base_device_launch(context, &product->function, &shape, stream, (void *[]){&panels});
}

static base_status run_bands(base_context *context, const spmm_device_product *product,
                             const spmm_gpu_operands *operands, base_device_stream *stream) {
    const base_device_shape shape = {.grid = {(unsigned)(product->worker_count * operands->tiles)},
                                     .block = {SPMM_GPU_BAND_THREADS},
                                     .shared_bytes = spmm_device_band_bytes(product)};
    spmm_gpu_bands bands = {.pieces = PLACE(product->worker),
                            .parts = PLACE(product->part),
                            .start = PLACE(product->start),
                            .entry = PLACE(product->value),
                            .nrow = product->nrow,
                            .ncol = product->ncol,
                            .steps = (int)product->steps,
                            .operands = *operands};
    return base_device_launch(context, &product->function, &shape, stream, (void *[]){&bands});
}

/* Numbers of a part's sums. */
static int64_t count_sums(const spmm_device_product *product, int64_t columns, int64_t tiles,
                          int64_t vectors) {
    const spmm_device_variant *variant = &product->variant;
    switch (variant->kind) {
    case SPMM_DEVICE_WINDOWS:
    case SPMM_DEVICE_RINGS: return tiles * columns * spmm_device_window_rows(variant);
    case SPMM_DEVICE_PANELS: return tiles * columns * SPMM_GPU_PANEL_ROWS;
    case SPMM_DEVICE_SPLITS:
    case SPMM_DEVICE_BANDS: return tiles * columns * SPMM_GPU_BAND_ROWS;
    default: return vectors * 16 / bytes_of(product->precision);
    }
}

base_status spmm_device_product_run(base_context *context, spmm_device_product *product,
                                    const spmm_device_operands *operands, base_device_stream *stream) {
    base_status status = BASE_OK;
    const int64_t bytes = bytes_of(product->precision),
                  columns = spmm_device_variant_columns(product->precision, &product->variant);
    const int64_t vectors = (operands->n * bytes + 15) / 16,
                  together = product->variant.warps > 0 ? product->variant.warps : 1,
                  tiles = (operands->n + columns * together - 1) / (columns * together) * together;
    if (operands->n == 0 || product->worker_count == 0)
        goto done;
    if (product->variant.kind != SPMM_DEVICE_SLABS)
        BASE_TRY(make_room(
            context, product, count_sums(product, columns, tiles, vectors) * (bytes == 8 ? 8 : 4),
            product->variant.kind == SPMM_DEVICE_RINGS ? tiles * spmm_device_ring_workers(&product->variant)
                                                       : tiles));
    const spmm_gpu_operands told = tell(product, operands, tiles, vectors);
    switch (product->variant.kind) {
    case SPMM_DEVICE_ROWS: return run_rows(context, product, &told, stream);
    case SPMM_DEVICE_RUNS: return run_runs(context, product, &told, stream);
    case SPMM_DEVICE_WINDOWS:
    case SPMM_DEVICE_RINGS: return run_windows(context, product, &told, stream);
    case SPMM_DEVICE_PANELS: return run_panels(context, product, &told, stream);
    case SPMM_DEVICE_SPLITS: return run_splits(context, product, &told, stream);
    case SPMM_DEVICE_BANDS: return run_bands(context, product, &told, stream);
    case SPMM_DEVICE_STRIPS: return run_strips(context, product, &told, stream);
    case SPMM_DEVICE_SLABS: return run_slabs(context, product, &told, operands->n, stream);
    }
done:
    return status;
}
