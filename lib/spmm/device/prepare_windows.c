#include "spmm/device/packing.h"

/* For so many chunks, and for as many pieces and parts as they can have. */
static base_status alloc_windows(const spmm_device_packing *it, int64_t windows, spmm_pack_windows *pack) {
    base_status status;
    spmm_device_product *product = it->product;
    const int64_t bytes = spmm_device_product_bytes(product), chunks = pack->room, height = pack->height,
                  value_bytes =
                      pack->dense ? chunks * height * SPMM_GPU_CHUNK * bytes : it->a.nnz * 2 * bytes;
    uint64_t cursor;
    const spmm_device_slice slices[] = {
        {&product->worker, (windows + chunks / pack->most) * (int64_t)sizeof(spmm_gpu_piece)},
        {&product->part, 2 * chunks / pack->most * (int64_t)sizeof(spmm_gpu_part)},
        {&product->row, windows * height * 4},
        {&product->column, chunks * SPMM_GPU_CHUNK * 4},
        {&product->start, (chunks + 1) * 8},
        {&product->value, value_bytes},
        {&cursor, chunks * 4}};
    BASE_TRY(spmm_device_packing_alloc(it, slices, sizeof slices / sizeof *slices));
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

/* Chunks for which there is room with the matrix; products of some of its rows leave the others theirs. */
static int64_t find_room(const spmm_device_packing *it, int64_t windows, const spmm_pack_windows *pack) {
    const spmm_device_matrix *matrix = it->matrix;
    const int64_t bytes = spmm_device_product_bytes(it->product), height = pack->height,
                  values = pack->dense ? 0 : it->a.nnz * 2 * bytes, slices = 8 * 256,
                  of_chunk = SPMM_GPU_CHUNK * 4 + 8 + 4 + 48 / pack->most + 1 +
                             (pack->dense ? height * SPMM_GPU_CHUNK * bytes : 0);
    double left = (double)(matrix->buffer.address + (uint64_t)matrix->buffer.bytes - matrix->room);
    if (it->a.nnz < matrix->waiting)
        left *= (double)it->a.nnz / (double)matrix->waiting;
    left -= (double)(values + slices + windows * (height * 4 + (int64_t)sizeof(spmm_gpu_piece)));
    return left > 0 ? (int64_t)(left / (double)of_chunk) : 0;
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

/* Long windows have work for more threads. */
static int choose_threads(const spmm_device_packing *it, int64_t windows) {
    return it->a.nnz > 1536 * windows ? SPMM_PACK_WINDOW_THREADS : SPMM_PACK_WINDOW_THREADS / 2;
}

/* Into the room there is, most often; else again, with memory for the chunks that were counted. */
base_status spmm_device_prepare_windows(const spmm_device_packing *it) {
    base_status status = BASE_OK;
    const spmm_device_variant *variant = &it->product->variant;
    spmm_device_matrix *matrix = it->matrix;
    const int64_t height = spmm_device_window_rows(variant),
                  windows = (it->a.place_count + height - 1) / height, words = spmm_device_words(it->a.ncol),
                  shared_bytes = words * 4 + words / SPMM_PACK_GROUP * 4;
    const uint64_t room = matrix->room;
    int64_t total[2] = {0, 0};
    spmm_pack_windows pack = {.a = it->a,
                              .height = (int)height,
                              .dense = variant->dense,
                              .words = (int)words,
                              .most = (int)variant->most,
                              .sum = SPMM_DEVICE_POINTER(unsigned long long, matrix->before),
                              .total = (long long *)matrix->total};
    if (variant->kind == SPMM_DEVICE_RINGS || variant->warps > 0)
        BASE_TRY(prepare_ring(it));
    for (pack.room = find_room(it, windows, &pack); windows > 0; pack.room = total[0]) {
        BASE_TRY(alloc_windows(it, windows, &pack));
        if (!matrix->is_before_clear)
            BASE_TRY(spmm_device_clear(it->context, matrix, &(base_device_buffer){.address = 0},
                                       matrix->before, windows * 16));
        matrix->is_before_clear = false;
        BASE_TRY(spmm_device_packing_launch(it, "pack_windows", windows, choose_threads(it, windows),
                                            shared_bytes, &pack));
        BASE_TRY(spmm_device_totals(it->context, matrix, 2, total));
        if (total[0] > INT32_MAX)
            BASE_TRY(base_fail(it->context, BASE_FAILED, "more than 2^31 chunks of columns"));
        if (total[0] <= pack.room)
            break;
        base_device_free(&it->product->own);
        matrix->room = room;
    }
    spmm_device_packing_take_counts(it, total[1]);
done:
    return status;
}
