/* The grids and arguments of the device kernels. */
#include "spmm/device/internal.h"

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

/* Adds the parts of rows, as soon as the kernel before has left them. */
static base_status run_meet(base_context *context, const spmm_device_product *product,
                            const spmm_gpu_operands *operands, base_device_stream *stream) {
    const int each = operands->vectors > 16  ? 1
                     : operands->vectors > 8 ? 2
                                             : 4,
              parts = SPMM_GPU_THREADS / 32 * each; /* of a block */
    const base_device_shape shape = {.grid = {(unsigned)((product->part_count + parts - 1) / parts)},
                                     .block = {SPMM_GPU_THREADS},
                                     .follows = true};
    spmm_gpu_meet meet = {.parts = PLACE(product->part),
                          .part_count = product->part_count,
                          .each = each,
                          .operands = *operands};
    if (product->part_count == 0)
        return BASE_OK;
    return base_device_launch(context, &product->second, &shape, stream, (void *[]){&meet});
}

static base_status run_rows(base_context *context, const spmm_device_product *product,
                            const spmm_gpu_operands *operands, base_device_stream *stream) {
    const spmm_device_variant *variant = &product->variant;
    const int64_t threads = SPMM_GPU_ROWS_THREADS(variant->lanes),
                  workers = threads / (variant->lanes * variant->teams),
                  bytes = spmm_device_product_bytes(product),
                  shared_bytes = threads / 32 * variant->lanes * (bytes == 2 ? 32 : 16) + 16;
    const base_device_shape shape = {
        .grid = {(unsigned)((product->long_count + (product->worker_count + workers - 1) / workers) *
                            operands->tiles)},
        .block = {(unsigned)threads},
        .shared_bytes = product->long_count > 0 ? shared_bytes : 0};
    spmm_gpu_rows rows = {.segments = PLACE(product->worker),
                          .parts = PLACE(product->part),
                          .entry = PLACE(product->entries.entry),
                          .column = PLACE(product->entries.column),
                          .long_count = product->long_count,
                          .segment_count = product->worker_count,
                          .operands = *operands};
    return base_device_launch(context, &product->function, &shape, stream, (void *[]){&rows});
}

static base_status run_stages(base_context *context, const spmm_device_product *product,
                              const spmm_gpu_operands *operands, base_device_stream *stream) {
    const int threads = SPMM_GPU_STAGE_THREADS(product->variant.lanes);
    const int64_t workers = threads / product->variant.lanes;
    const base_device_shape shape = {
        .grid = {(unsigned)((product->worker_count + workers - 1) / workers * operands->tiles)},
        .block = {(unsigned)threads}};
    spmm_gpu_rows rows = {.segments = PLACE(product->worker),
                          .entry = PLACE(product->entries.entry),
                          .column = PLACE(product->entries.column),
                          .segment_count = product->worker_count,
                          .operands = *operands};
    return base_device_launch(context, &product->function, &shape, stream, (void *[]){&rows});
}

static base_status run_windows(base_context *context, const spmm_device_product *product,
                               const spmm_gpu_operands *operands, base_device_stream *stream) {
    const spmm_device_variant *variant = &product->variant;
    const bool is_ring = variant->kind == SPMM_DEVICE_RINGS;
    base_device_shape shape = {.grid = {(unsigned)(product->worker_count * operands->tiles /
                                                   (variant->warps > 0 ? variant->warps : 1))},
                               .block = {SPMM_GPU_WINDOW_THREADS}};
    if (is_ring || variant->warps > 0) { /* as many as are resident at a time, with one or two more warps */
        const int64_t places = base_device_get_properties(product->function.device)->multiprocessors *
                               (int64_t)product->resident;
        if (shape.grid[0] > places)
            shape.grid[0] = (unsigned)places;
        shape.block[0] = (unsigned)(32 * (is_ring ? spmm_device_ring_workers(variant) + 2 - variant->dense
                                                  : variant->warps + 1));
        shape.shared_bytes = is_ring ? spmm_device_ring_bytes(product) : spmm_device_block_bytes(product);
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
    base_status status;
    const spmm_device_variant *variant = &product->variant;
    const int64_t workers = variant->threads / variant->lanes;
    const base_device_shape shape = {
        .grid = {(unsigned)((product->worker_count + workers - 1) / workers * operands->tiles)},
        .block = {(unsigned)variant->threads}};
    spmm_gpu_runs runs = {.runs = PLACE(product->worker),
                          .start = PLACE(product->entries.start),
                          .entry = PLACE(product->entries.entry),
                          .column = PLACE(product->entries.column),
                          .run_count = product->worker_count,
                          .operands = *operands};
    BASE_TRY(base_device_launch(context, &product->function, &shape, stream, (void *[]){&runs}));
    BASE_TRY(run_meet(context, product, operands, stream));
done:
    return status;
}

static base_status run_strips(base_context *context, const spmm_device_product *product,
                              const spmm_gpu_operands *operands, base_device_stream *stream) {
    const int64_t workers = SPMM_GPU_THREADS / product->variant.lanes;
    const base_device_shape shape = {
        .grid = {(unsigned)((product->worker_count + workers - 1) / workers * operands->tiles)},
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
        BASE_TRY(base_device_launch(context, &product->second, &halve, stream, (void *[]){&splits}));
    BASE_TRY(base_device_launch(context, &product->function, &shape, stream, (void *[]){&splits}));
done:
    return status;
}

/* As many blocks as are resident at a time. */
static base_status run_slabs(base_context *context, const spmm_device_product *product,
                             const spmm_gpu_operands *operands, base_device_stream *stream) {
    const int64_t places =
        base_device_get_properties(product->function.device)->multiprocessors * (int64_t)product->resident;
    int64_t shares = places / operands->tiles > 0 ? places / operands->tiles : 1;
    if (shares > product->worker_count)
        shares = product->worker_count;
    const base_device_shape shape = {.grid = {(unsigned)operands->tiles, (unsigned)shares},
                                     .block = {SPMM_GPU_SLAB_THREADS},
                                     .shared_bytes = spmm_device_slab_bytes(product)};
    spmm_gpu_slabs slabs = {.start = PLACE(product->start),
                            .row = PLACE(product->row),
                            .column = PLACE(product->column),
                            .value = PLACE(product->value),
                            .bundles = (int)product->worker_count,
                            .shares = (int)shares,
                            .nrow = (int)product->nrow,
                            .ncol = (int)product->ncol,
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

base_status spmm_device_submit(base_context *context, spmm_device_product *product,
                               const spmm_device_operands *operands, int64_t tiles,
                               base_device_stream *stream) {
    const int64_t vectors = (operands->n * spmm_device_product_bytes(product) + 15) / 16;
    const spmm_gpu_operands told = tell(product, operands, tiles, vectors);
    switch (product->variant.kind) {
    case SPMM_DEVICE_ROWS: return run_rows(context, product, &told, stream);
    case SPMM_DEVICE_RUNS: return run_runs(context, product, &told, stream);
    case SPMM_DEVICE_WINDOWS:
    case SPMM_DEVICE_RINGS: return run_windows(context, product, &told, stream);
    case SPMM_DEVICE_PANELS: return run_panels(context, product, &told, stream);
    case SPMM_DEVICE_SPLITS: return run_splits(context, product, &told, stream);
    case SPMM_DEVICE_BANDS: return run_bands(context, product, &told, stream);
    case SPMM_DEVICE_STAGES: return run_stages(context, product, &told, stream);
    case SPMM_DEVICE_STRIPS: return run_strips(context, product, &told, stream);
    case SPMM_DEVICE_SLABS: return run_slabs(context, product, &told, stream);
    }
    return BASE_OK;
}
