#include "spmm/device/packing.h"

#include <math.h>

/* ---- segments and runs ---- */

/* As many rows of average length as have `most` entries; fewer of those that have next to none. */
static int choose_stretch(const spmm_pack_matrix *a, int64_t most) {
    const double rows = a->nnz > 0 ? (double)a->place_count / (double)a->nnz : 1;
    return (int)((double)most * fmin(1 + rows * SPMM_PACK_RUN_ROW, 3));
}

/* The kernels of pack/pack.h, from whose counts workers and parts follow: of each place, and long ones too.
 */
static base_status prepare_rows(const spmm_device_packing *it, spmm_pack_rows *pack, bool is_runs) {
    base_status status;
    spmm_device_product *product = it->product;
    const int64_t rows = it->a.place_count, blocks = spmm_device_blocks(rows),
                  worker_bytes = is_runs ? sizeof(spmm_gpu_run) : sizeof(spmm_gpu_segment);
    int64_t total[2];
    pack->a = it->a;
    pack->most = (int)product->variant.most;
    pack->stretch = is_runs ? choose_stretch(&it->a, product->variant.most) : 0;
    pack->count = SPMM_DEVICE_POINTER(long long, it->matrix->count[0]);
    pack->long_count = SPMM_DEVICE_POINTER(long long, it->matrix->count[1]);
    BASE_TRY(spmm_device_packing_launch(it, is_runs ? "pack_runs_count" : "pack_segments_count", blocks,
                                        SPMM_PACK_THREADS, 0, pack));
    BASE_TRY(spmm_device_packing_scan(it, rows, is_runs ? 1 : 2, total));
    spmm_device_packing_take_counts(it, total[0]);
    if (!is_runs) {
        product->long_count = pack->long_total = total[1] & 0xffffffff;
        product->part_count = total[1] >> 32;
    }
    const spmm_device_slice slices[] = {
        {&product->worker, (product->long_count + product->worker_count) * worker_bytes},
        {&product->part, product->part_count * (int64_t)sizeof(spmm_gpu_part)}};
    BASE_TRY(spmm_device_packing_alloc(it, slices, 2));
    pack->worker = SPMM_DEVICE_POINTER(void, product->worker);
    pack->part = SPMM_DEVICE_POINTER(spmm_gpu_part, product->part);
    BASE_TRY(spmm_device_packing_launch(it, is_runs ? "pack_runs" : "pack_segments", blocks,
                                        SPMM_PACK_THREADS, 0, pack));
done:
    return status;
}

static base_status prepare_runs(const spmm_device_packing *it) {
    return prepare_rows(it, &(spmm_pack_rows){.long_most = 0}, true);
}

/* Each team of a block has as many entries of a long segment. */
static base_status prepare_segments(const spmm_device_packing *it) {
    enum { OF_TEAM = 64 };
    const int lanes = it->product->variant.lanes;
    return prepare_rows(it, &(spmm_pack_rows){.long_most = OF_TEAM * SPMM_GPU_ROWS_THREADS(lanes) / lanes},
                        false);
}

/* ---- strips ---- */

static base_status prepare_strips(const spmm_device_packing *it) {
    base_status status;
    spmm_device_product *product = it->product;
    const int64_t strips = (it->a.place_count + SPMM_GPU_STRIP_ROWS - 1) / SPMM_GPU_STRIP_ROWS;
    int64_t steps;
    spmm_pack_strips pack = {.a = it->a, .count = SPMM_DEVICE_POINTER(long long, it->matrix->count[0])};
    BASE_TRY(spmm_device_packing_launch(it, "pack_strips_count", spmm_device_blocks(strips),
                                        SPMM_PACK_THREADS, 0, &pack));
    BASE_TRY(spmm_device_packing_scan(it, strips, 1, &steps));
    if (steps > INT32_MAX)
        BASE_TRY(base_fail(it->context, BASE_FAILED, "too many columns for strips"));
    product->worker_count = strips;
    const spmm_device_slice slices[] = {
        {&product->start, (strips + 1) * 4},
        {&product->row, strips * 4},
        {&product->value, steps * (16 + 4 * SPMM_GPU_STRIP_ROWS * spmm_device_product_bytes(product))}};
    BASE_TRY(spmm_device_packing_alloc(it, slices, 3));
    pack.start = SPMM_DEVICE_POINTER(int, product->start);
    pack.row = SPMM_DEVICE_POINTER(int, product->row);
    pack.step = SPMM_DEVICE_POINTER(void, product->value);
    BASE_TRY(spmm_device_packing_launch(it, "pack_strips", spmm_device_blocks(strips), SPMM_PACK_THREADS, 0,
                                        &pack));
done:
    return status;
}

/* ---- slabs ---- */

static base_status prepare_slabs(const spmm_device_packing *it) {
    base_status status;
    base_context *context = it->context;
    spmm_device_product *product = it->product;
    const int64_t rows = it->a.nrow, bundles = (rows + SPMM_GPU_SLAB_ROWS - 1) / SPMM_GPU_SLAB_ROWS,
                  shared_bytes = spmm_device_slab_bytes(product);
    int64_t batches;
    spmm_pack_slabs pack = {.a = it->a,
                            .count = SPMM_DEVICE_POINTER(long long, it->matrix->count[0]),
                            .order = SPMM_DEVICE_POINTER(int, it->matrix->count[1])};
    BASE_TRY(base_device_allow_shared(context, &product->function, shared_bytes));
    BASE_TRY(base_device_get_occupancy(context, &product->function, SPMM_GPU_SLAB_THREADS, shared_bytes,
                                       &product->resident));
    BASE_TRY(spmm_device_packing_launch(it, "pack_slabs_sort", spmm_device_blocks(rows), SPMM_PACK_THREADS, 0,
                                        &pack));
    BASE_TRY(spmm_device_packing_scan(it, bundles, 1, &batches));
    if (batches > INT32_MAX)
        BASE_TRY(base_fail(context, BASE_FAILED, "too many entries for slabs"));
    const int64_t places = (batches + SPMM_GPU_SLAB_BEHIND) * SPMM_GPU_SLAB_ROWS * 4;
    product->worker_count = bundles;
    const spmm_device_slice slices[] = {{&product->start, (bundles + 1) * 4},
                                        {&product->row, rows * 4},
                                        {&product->column, places * 2},
                                        {&product->value, places * spmm_device_product_bytes(product)}};
    BASE_TRY(spmm_device_packing_alloc(it, slices, 4));
    pack.start = SPMM_DEVICE_POINTER(int, product->start);
    pack.row = SPMM_DEVICE_POINTER(int, product->row);
    pack.column = SPMM_DEVICE_POINTER(unsigned short, product->column);
    pack.value = SPMM_DEVICE_POINTER(void, product->value);
    BASE_TRY(spmm_device_packing_launch(it, "pack_slabs",
                                        spmm_device_blocks(32 * SPMM_GPU_SLAB_ROWS * bundles),
                                        SPMM_PACK_THREADS, 0, &pack));
done:
    return status;
}

/* ---- all of them ---- */

/* The bands that are taken, on the device. */
static base_status send_taken(spmm_device_packing *it, const spmm_row_set *taken) {
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
    it->a.band = SPMM_DEVICE_POINTER(const int, band);
    it->a.before = SPMM_DEVICE_POINTER(const long long, before);
    it->a.place_count = taken->rows;
    it->a.nnz = taken->nnz;
done:
    return status;
}

base_status spmm_device_prepare(base_context *context, spmm_device_matrix *matrix, const spmm_row_set *taken,
                                spmm_device_product *product) {
    base_status status = BASE_OK;
    spmm_device_packing it = {context, matrix, product, matrix->a};
    if (taken != NULL)
        BASE_TRY(send_taken(&it, taken));
    switch (product->variant.kind) {
    case SPMM_DEVICE_ROWS: status = prepare_segments(&it); break;
    case SPMM_DEVICE_RUNS: status = prepare_runs(&it); break;
    case SPMM_DEVICE_STAGES:
        status = prepare_rows(&it, &(spmm_pack_rows){.long_most = INT32_MAX}, false);
        break;
    case SPMM_DEVICE_WINDOWS:
    case SPMM_DEVICE_RINGS: status = spmm_device_prepare_windows(&it); break;
    case SPMM_DEVICE_PANELS: status = spmm_device_prepare_panels(&it); break;
    case SPMM_DEVICE_BANDS: status = spmm_device_prepare_bands(&it); break;
    case SPMM_DEVICE_STRIPS: status = prepare_strips(&it); break;
    case SPMM_DEVICE_SPLITS: status = spmm_device_prepare_splits(&it); break;
    case SPMM_DEVICE_SLABS: status = prepare_slabs(&it); break;
    }
    matrix->waiting -= it.a.nnz;
done:
    return status;
}
