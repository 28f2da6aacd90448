#include "spmm/device_packing.h"

static base_status alloc_windows(const spmm_device_packing *it, int64_t windows, int64_t chunks,
                                 spmm_pack_windows *pack) {
    base_status status;
    spmm_device_product *product = it->product;
    const int64_t bytes = spmm_device_product_bytes(product), height = pack->height;
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
    BASE_TRY(spmm_device_packing_alloc(it, slices, 7));
    BASE_TRY(pack->dense ? spmm_device_packing_clear(it, product->value, value_bytes)
                         : spmm_device_packing_clear(it, cursor, chunks * 4));
    pack->row = SPMM_DEVICE_POINTER(int, product->row);
    pack->column = SPMM_DEVICE_POINTER(int, product->column);
    pack->start = SPMM_DEVICE_POINTER(long long, product->start);
    pack->cursor = SPMM_DEVICE_POINTER(int, cursor);
    pack->value = SPMM_DEVICE_POINTER(void, product->value);
    pack->piece = SPMM_DEVICE_POINTER(spmm_gpu_piece, product->worker);
    pack->part = SPMM_DEVICE_POINTER(spmm_gpu_part, product->part);
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

int64_t spmm_device_block_bytes(const spmm_device_product *product) {
    const spmm_device_variant *variant = &product->variant;
    const int64_t row = 128 * variant->groups * variant->warps + 32;
    return SPMM_GPU_BLOCK_STAGES * SPMM_GPU_CHUNK *
           (16 * variant->tall * (int64_t)spmm_device_product_bytes(product) + row);
}

/* How many blocks are resident of rings_… or blocks_…. */
static base_status prepare_ring(const spmm_device_packing *it) {
    base_status status;
    spmm_device_product *product = it->product;
    const bool is_ring = product->variant.kind == SPMM_DEVICE_RINGS;
    const int64_t shared_bytes = is_ring ? spmm_device_ring_bytes(product) : spmm_device_block_bytes(product);
    const int threads =
        32 * (is_ring ? spmm_device_ring_workers(&product->variant) + 2 - product->variant.dense
                      : product->variant.warps + 1);
    BASE_TRY(base_device_allow_shared(it->context, &product->function, shared_bytes));
    BASE_TRY(base_device_get_occupancy(it->context, &product->function, threads, shared_bytes,
                                       &product->resident));
done:
    return status;
}

base_status spmm_device_prepare_windows(const spmm_device_packing *it) {
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
                              .chunk = SPMM_DEVICE_POINTER(long long, it->matrix->count[0]),
                              .count = SPMM_DEVICE_POINTER(long long, it->matrix->count[1])};
    const int64_t mark_bytes = words * 4, rank_bytes = words / SPMM_PACK_GROUP * 4;
    if (variant->kind == SPMM_DEVICE_RINGS || variant->warps > 0)
        BASE_TRY(prepare_ring(it));
    BASE_TRY(spmm_device_packing_launch(it, "pack_windows_count", windows, SPMM_PACK_WINDOW_THREADS,
                                        mark_bytes, &pack));
    BASE_TRY(spmm_device_packing_scan(it, windows, 2, total));
    if (total[0] > INT32_MAX)
        BASE_TRY(base_fail(it->context, BASE_FAILED, "more than 2^31 chunks of columns"));
    spmm_device_packing_take_counts(it, total[1]);
    BASE_TRY(alloc_windows(it, windows, total[0], &pack));
    BASE_TRY(spmm_device_packing_launch(it, "pack_windows", windows, SPMM_PACK_WINDOW_THREADS,
                                        mark_bytes + rank_bytes, &pack));
done:
    return status;
}
