#include "base/progress.h"
#include "spmm/device_internal.h"

static int bytes_of(spmm_precision precision) {
    return (int)spmm_format_bytes(spmm_format_of(precision));
}

/* ---- what all formats do ---- */

#define POINTER(type, address) ((type *)(uintptr_t)(address))

typedef struct packing {
    base_context *context;
    spmm_device_matrix *matrix;
    spmm_device_product *product;
    spmm_pack_matrix a; /* with the bands that are taken */
} packing;

static base_status launch(const packing *it, const char *name, int64_t blocks, int threads,
                          int64_t shared_bytes, void *argument) {
    return spmm_device_pack(it->context, it->matrix->device, name,
                            &(base_device_shape){.grid = {(unsigned)blocks},
                                                 .block = {(unsigned)threads},
                                                 .shared_bytes = shared_bytes},
                            argument);
}

static base_status scan(const packing *it, int64_t length, int arrays, int64_t *total) {
    return spmm_device_scan(it->context, it->matrix, length, arrays, total);
}

static void take_counts(const packing *it, int64_t two_counts) {
    it->product->worker_count = two_counts & 0xffffffff;
    it->product->part_count = two_counts >> 32;
}

static base_status alloc(const packing *it, const spmm_device_slice *slices, int count) {
    return spmm_device_take(it->context, it->matrix, slices, count, &it->product->own);
}

static base_status clear(const packing *it, uint64_t address, int64_t bytes) {
    return spmm_device_clear(it->context, it->matrix, &it->product->own, address, bytes);
}

/* ---- segments and runs ---- */

static base_status prepare_rows(const packing *it, const char *count, const char *fill,
                                int64_t worker_bytes) {
    base_status status;
    spmm_device_product *product = it->product;
    const int64_t rows = it->a.place_count, blocks = spmm_device_blocks(rows);
    int64_t total;
    spmm_pack_rows pack = {
        .a = it->a, .most = (int)product->variant.most, .count = POINTER(long long, it->matrix->count[0])};
    BASE_TRY(launch(it, count, blocks, SPMM_PACK_THREADS, 0, &pack));
    BASE_TRY(scan(it, rows, 1, &total));
    take_counts(it, total);
    const spmm_device_slice slices[] = {
        {&product->worker, product->worker_count * worker_bytes},
        {&product->part, product->part_count * (int64_t)sizeof(spmm_gpu_part)}};
    BASE_TRY(alloc(it, slices, 2));
    pack.worker = POINTER(void, product->worker);
    pack.part = POINTER(spmm_gpu_part, product->part);
    BASE_TRY(launch(it, fill, blocks, SPMM_PACK_THREADS, 0, &pack));
done:
    return status;
}

/* ---- strips ---- */

static base_status prepare_strips(const packing *it) {
    base_status status;
    spmm_device_product *product = it->product;
    const int64_t strips = (it->a.place_count + SPMM_GPU_STRIP_ROWS - 1) / SPMM_GPU_STRIP_ROWS;
    int64_t steps;
    spmm_pack_strips pack = {.a = it->a, .count = POINTER(long long, it->matrix->count[0])};
    BASE_TRY(launch(it, "pack_strips_count", spmm_device_blocks(strips), SPMM_PACK_THREADS, 0, &pack));
    BASE_TRY(scan(it, strips, 1, &steps));
    if (steps > INT32_MAX)
        BASE_TRY(base_fail(it->context, BASE_FAILED, "too many columns for strips"));
    product->worker_count = strips;
    const spmm_device_slice slices[] = {
        {&product->start, (strips + 1) * 4},
        {&product->row, strips * 4},
        {&product->value, steps * (16 + 4 * SPMM_GPU_STRIP_ROWS * bytes_of(product->precision))}};
    BASE_TRY(alloc(it, slices, 3));
    pack.start = POINTER(int, product->start);
    pack.row = POINTER(int, product->row);
    pack.step = POINTER(void, product->value);
    BASE_TRY(launch(it, "pack_strips", spmm_device_blocks(strips), SPMM_PACK_THREADS, 0, &pack));
done:
    return status;
}

/* ---- slabs ---- */

static base_status prepare_slabs(const packing *it) {
    base_status status;
    base_context *context = it->context;
    spmm_device_product *product = it->product;
    const int64_t rows = it->a.nrow, shared_bytes = it->a.ncol * SPMM_GPU_SLAB_BYTES;
    int64_t groups;
    spmm_pack_slabs pack = {.a = it->a, .count = POINTER(long long, it->matrix->count[0])};
    BASE_TRY(base_device_allow_shared(context, &product->function, shared_bytes));
    BASE_TRY(base_device_get_occupancy(context, &product->function, SPMM_GPU_SLAB_THREADS, shared_bytes,
                                       &product->resident));
    BASE_TRY(launch(it, "pack_slabs_count", spmm_device_blocks(rows), SPMM_PACK_THREADS, 0, &pack));
    BASE_TRY(scan(it, rows, 1, &groups));
    if (groups > INT32_MAX)
        BASE_TRY(base_fail(context, BASE_FAILED, "too many entries for slabs"));
    const int64_t places = groups * SPMM_GPU_SLAB_GROUP;
    product->worker_count = rows;
    const spmm_device_slice slices[] = {{&product->start, (rows + 1) * 4},
                                        {&product->column, places * 2},
                                        {&product->value, places * bytes_of(product->precision)}};
    BASE_TRY(alloc(it, slices, 3));
    pack.start = POINTER(int, product->start);
    pack.column = POINTER(unsigned short, product->column);
    pack.value = POINTER(void, product->value);
    BASE_TRY(launch(it, "pack_slabs", spmm_device_blocks(32 * rows), SPMM_PACK_THREADS, 0, &pack));
done:
    return status;
}

/* ---- windows ---- */

static base_status alloc_windows(const packing *it, int64_t windows, int64_t chunks,
                                 spmm_pack_windows *pack) {
    base_status status;
    spmm_device_product *product = it->product;
    const int64_t bytes = bytes_of(product->precision), height = pack->height;
    const int64_t value_bytes =
        pack->dense ? chunks * height * SPMM_GPU_CHUNK * bytes : it->a.nnz * 2 * bytes;
    uint64_t cursor;
    const spmm_device_slice slices[] = {
        {&product->worker, product->worker_count * (int64_t)sizeof(spmm_gpu_piece)},
        {&product->part, product->part_count * (int64_t)sizeof(spmm_gpu_part)},
        {&product->row, windows * height * 4},
        {&product->column, chunks * SPMM_GPU_CHUNK * 4},
        {&product->start, (chunks + 1) * 8},
        {&product->value, value_bytes},
        {&cursor, chunks * 4}};
    BASE_TRY(alloc(it, slices, 7));
    BASE_TRY(pack->dense ? clear(it, product->value, value_bytes) : clear(it, cursor, chunks * 4));
    pack->row = POINTER(int, product->row);
    pack->column = POINTER(int, product->column);
    pack->start = POINTER(long long, product->start);
    pack->cursor = POINTER(int, cursor);
    pack->value = POINTER(void, product->value);
    pack->piece = POINTER(spmm_gpu_piece, product->worker);
    pack->part = POINTER(spmm_gpu_part, product->part);
done:
    return status;
}

int64_t spmm_device_ring_bytes(const spmm_device_product *product) {
    const spmm_device_variant *variant = &product->variant;
    const int64_t b = SPMM_GPU_CHUNK * (variant->groups * 128 + 32),
                  a = variant->tall * 512 * (variant->dense ? 1 : 3) + (variant->dense ? 0 : 16);
    return SPMM_GPU_RING_STAGES * (a + b + SPMM_GPU_RING_BYTES);
}

int spmm_device_ring_workers(const spmm_device_variant *variant) {
    return variant->groups * ((variant->tall + 1) / 2);
}

/* How many blocks are resident. */
static base_status prepare_ring(const packing *it) {
    base_status status;
    spmm_device_product *product = it->product;
    const int64_t shared_bytes = spmm_device_ring_bytes(product);
    const int threads = 32 * (spmm_device_ring_workers(&product->variant) + 2 - product->variant.dense);
    BASE_TRY(base_device_allow_shared(it->context, &product->function, shared_bytes));
    BASE_TRY(base_device_get_occupancy(it->context, &product->function, threads, shared_bytes,
                                       &product->resident));
done:
    return status;
}

int64_t spmm_device_block_bytes(const spmm_device_product *product) {
    const spmm_device_variant *variant = &product->variant;
    const int64_t row = 128 * variant->groups * variant->warps + 32;
    return variant->warps == 0
               ? 0
               : 3 * SPMM_GPU_CHUNK * (16 * variant->tall * (int64_t)bytes_of(product->precision) + row);
}

static base_status prepare_windows(const packing *it) {
    base_status status;
    const spmm_device_variant *variant = &it->product->variant;
    const int64_t height = spmm_device_window_rows(variant),
                  windows = (it->a.place_count + height - 1) / height;
    const int64_t words = spmm_device_words(it->a.ncol);
    int64_t total[2];
    spmm_pack_windows pack = {.a = it->a,
                              .height = (int)height,
                              .dense = variant->dense,
                              .words = (int)words,
                              .most = (int)variant->most,
                              .chunk = POINTER(long long, it->matrix->count[0]),
                              .count = POINTER(long long, it->matrix->count[1])};
    const int64_t mark_bytes = words * 4, rank_bytes = words / SPMM_PACK_GROUP * 4;
    if (variant->kind == SPMM_DEVICE_RINGS)
        BASE_TRY(prepare_ring(it));
    if (variant->warps > 0)
        BASE_TRY(base_device_allow_shared(it->context, &it->product->function,
                                          spmm_device_block_bytes(it->product)));
    BASE_TRY(launch(it, "pack_windows_count", windows, SPMM_PACK_THREADS, mark_bytes, &pack));
    BASE_TRY(scan(it, windows, 2, total));
    if (total[0] > INT32_MAX)
        BASE_TRY(base_fail(it->context, BASE_FAILED, "more than 2^31 chunks of columns"));
    take_counts(it, total[1]);
    BASE_TRY(alloc_windows(it, windows, total[0], &pack));
    BASE_TRY(launch(it, "pack_windows", windows, SPMM_PACK_THREADS, mark_bytes + rank_bytes, &pack));
done:
    return status;
}

/* ---- panels and bands ---- */

int64_t spmm_device_panel_bytes(const spmm_device_product *product) {
    const spmm_device_variant *variant = &product->variant;
    return variant->depth * (2 * SPMM_GPU_PANEL_ROWS * bytes_of(product->precision) +
                             3 * (variant->groups * 32 * variant->width + 32));
}

int64_t spmm_device_band_bytes(const spmm_device_product *product) {
    const bool is_split = product->precision == SPMM_FP32 || product->precision == SPMM_3XTF32;
    const int width = product->variant.width, ahead = SPMM_GPU_BAND_AHEAD(width), a = is_split ? 4 : 3;
    if (bytes_of(product->precision) == 2)
        return SPMM_GPU_BAND_BYTES * (2 * SPMM_GPU_BAND_ROWS + (ahead + 2) * width) +
               (ahead + 1) * 3 * 16 * SPMM_GPU_BAND_THREADS;
    return SPMM_GPU_BAND_BYTES * a * (SPMM_GPU_BAND_ROWS + width);
}

/* The tiles of all bands, and as many pieces for each. */
static base_status begin_tiles(const packing *it, int64_t depth, int64_t shared_bytes, int64_t *bands,
                               spmm_pack_tiles *pack) {
    base_status status;
    spmm_device_product *product = it->product;
    const int64_t steps = (it->a.ncol + depth - 1) / depth,
                  parts = steps == 0 ? 1 : (steps + product->variant.most - 1) / product->variant.most;
    *bands = (it->a.place_count + SPMM_PACK_BAND - 1) / SPMM_PACK_BAND;
    if (*bands * steps > INT32_MAX)
        BASE_TRY(base_fail(it->context, BASE_FAILED, "more than 2^31 tiles"));
    BASE_TRY(base_device_allow_shared(it->context, &product->function, shared_bytes));
    product->steps = steps;
    product->worker_count = *bands * parts;
    product->part_count = parts > 1 ? *bands * parts : 0;
    *pack = (spmm_pack_tiles){.a = it->a, .depth = (int)depth, .steps = (int)steps, .parts = (int)parts};
done:
    return status;
}

static base_status prepare_panels(const packing *it) {
    base_status status;
    spmm_device_product *product = it->product;
    spmm_pack_tiles pack;
    int64_t bands;
    BASE_TRY(begin_tiles(it, product->variant.depth, spmm_device_panel_bytes(product), &bands, &pack));
    const spmm_device_slice slices[] = {
        {&product->worker, product->worker_count * (int64_t)sizeof(spmm_gpu_piece)},
        {&product->part, product->part_count * (int64_t)sizeof(spmm_gpu_part)},
        {&product->start, (bands * pack.steps + 1) * 8},
        {&product->position, it->a.nnz * 2},
        {&product->value, it->a.nnz * bytes_of(product->precision)}};
    BASE_TRY(alloc(it, slices, 5));
    pack.start = POINTER(long long, product->start);
    pack.position = POINTER(unsigned short, product->position);
    pack.value = POINTER(void, product->value);
    pack.piece = POINTER(spmm_gpu_piece, product->worker);
    pack.part = POINTER(spmm_gpu_part, product->part);
    BASE_TRY(launch(it, "pack_panels", bands, SPMM_PACK_PANEL_THREADS, pack.steps * 4, &pack));
done:
    return status;
}

static base_status prepare_bands(const packing *it) {
    base_status status;
    spmm_device_product *product = it->product;
    spmm_pack_tiles pack;
    int64_t bands, vectors;
    BASE_TRY(begin_tiles(it, SPMM_GPU_BAND_BYTES / bytes_of(product->precision),
                         spmm_device_band_bytes(product), &bands, &pack));
    const int64_t slabs = bands * SPMM_PACK_SLABS;
    pack.count = POINTER(long long, it->matrix->count[0]);
    BASE_TRY(launch(it, "pack_bands_count", slabs, SPMM_PACK_THREADS, pack.steps * 4, &pack));
    BASE_TRY(scan(it, slabs, 1, &vectors));
    if (vectors > INT32_MAX)
        BASE_TRY(base_fail(it->context, BASE_FAILED, "more than 2^31 vectors of entries"));
    const spmm_device_slice slices[] = {
        {&product->worker, product->worker_count * (int64_t)sizeof(spmm_gpu_piece)},
        {&product->part, product->part_count * (int64_t)sizeof(spmm_gpu_part)},
        {&product->start, (slabs * pack.steps + 1) * 4},
        {&product->value, vectors * 16}};
    BASE_TRY(alloc(it, slices, 4));
    pack.slab_start = POINTER(int, product->start);
    pack.value = POINTER(void, product->value);
    pack.piece = POINTER(spmm_gpu_piece, product->worker);
    pack.part = POINTER(spmm_gpu_part, product->part);
    BASE_TRY(launch(it, "pack_bands", slabs, SPMM_PACK_THREADS, pack.steps * 4, &pack));
done:
    return status;
}

/* ---- splits ---- */

int64_t spmm_device_split_bytes(void) {
    return SPMM_GPU_SPLIT_STAGES * 2 * SPMM_GPU_BAND_BYTES *
           (int64_t)(SPMM_GPU_BAND_ROWS + SPMM_GPU_SPLIT_COLUMNS);
}

static base_status prepare_splits(const packing *it) {
    base_status status;
    spmm_device_product *product = it->product;
    const int64_t depth = SPMM_GPU_BAND_BYTES / 4, steps = (it->a.ncol + depth - 1) / depth,
                  bands = (it->a.nrow + SPMM_GPU_BAND_ROWS - 1) / SPMM_GPU_BAND_ROWS,
                  bytes = bands * steps * 2 * SPMM_GPU_BAND_ROWS * SPMM_GPU_BAND_BYTES;
    spmm_pack_splits pack = {.a = it->a, .steps = steps};
    BASE_TRY(base_device_allow_shared(it->context, &product->function, spmm_device_split_bytes()));
    BASE_TRY(alloc(it, &(spmm_device_slice){&product->value, bytes}, 1));
    BASE_TRY(clear(it, product->value, bytes));
    product->steps = steps;
    product->worker_count = bands * product->variant.most;
    product->part_count = product->variant.most > 1 ? product->worker_count : 0;
    pack.value = POINTER(void, product->value);
    BASE_TRY(launch(it, "pack_splits", spmm_device_blocks(32 * it->a.nrow), SPMM_PACK_THREADS, 0, &pack));
done:
    return status;
}

/* ---- all of them ---- */

/* The bands that are taken, on the device. */
static base_status send_taken(packing *it, const spmm_row_set *taken) {
    base_status status;
    spmm_device_product *product = it->product;
    uint64_t band, before;
    const spmm_device_slice slices[] = {{&band, taken->count * 4}, {&before, taken->count * 8}};
    BASE_TRY(spmm_device_take(it->context, it->matrix, slices, 2, &product->taken));
    const base_device_buffer *buffer = product->taken.address != 0 ? &product->taken : &it->matrix->buffer;
    const uint64_t base = buffer->address;
    BASE_TRY(
        base_device_upload(it->context, buffer, (int64_t)(band - base), taken->band, slices[0].bytes, NULL));
    BASE_TRY(base_device_upload(it->context, buffer, (int64_t)(before - base), taken->before, slices[1].bytes,
                                NULL));
    it->a.band = POINTER(const int, band);
    it->a.before = POINTER(const long long, before);
    it->a.place_count = taken->rows;
    it->a.nnz = taken->nnz;
done:
    return status;
}

base_status spmm_device_prepare(base_context *context, spmm_device_matrix *matrix, const spmm_row_set *taken,
                                spmm_device_product *product) {
    base_status status = BASE_OK;
    packing it = {context, matrix, product, matrix->a};
    if (taken != NULL)
        BASE_TRY(send_taken(&it, taken));
    switch (product->variant.kind) {
    case SPMM_DEVICE_ROWS:
        status = prepare_rows(&it, "pack_segments_count", "pack_segments", sizeof(spmm_gpu_segment));
        break;
    case SPMM_DEVICE_RUNS:
        status = prepare_rows(&it, "pack_runs_count", "pack_runs", sizeof(spmm_gpu_run));
        break;
    case SPMM_DEVICE_WINDOWS:
    case SPMM_DEVICE_RINGS: status = prepare_windows(&it); break;
    case SPMM_DEVICE_PANELS: status = prepare_panels(&it); break;
    case SPMM_DEVICE_BANDS: status = prepare_bands(&it); break;
    case SPMM_DEVICE_STRIPS: status = prepare_strips(&it); break;
    case SPMM_DEVICE_SPLITS: status = prepare_splits(&it); break;
    case SPMM_DEVICE_SLABS: status = prepare_slabs(&it); break;
    }
done:
    return status;
}
