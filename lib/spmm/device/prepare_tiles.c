#include "spmm/device/packing.h"

/* ---- panels and bands ---- */

int64_t spmm_device_panel_bytes(const spmm_device_product *product) {
    const spmm_device_variant *variant = &product->variant;
    return variant->depth * (2 * SPMM_GPU_PANEL_ROWS * spmm_device_product_bytes(product) +
                             3 * (variant->groups * 32 * variant->width + 32));
}

int64_t spmm_device_band_bytes(const spmm_device_product *product) {
    const bool is_split = product->precision == SPMM_FP32 || product->precision == SPMM_3XTF32;
    const int width = product->variant.width, ahead = SPMM_GPU_BAND_AHEAD(width), a = is_split ? 4 : 3;
    if (spmm_device_product_bytes(product) == 2)
        return SPMM_GPU_BAND_BYTES * (2 * SPMM_GPU_BAND_ROWS + (ahead + 2) * width) +
               (ahead + 1) * 3 * 16 * SPMM_GPU_BAND_THREADS;
    return SPMM_GPU_BAND_BYTES * a * (SPMM_GPU_BAND_ROWS + width);
}

/* The tiles of all bands, and as many pieces for each. */
static base_status begin_tiles(const spmm_device_packing *it, int64_t depth, int64_t shared_bytes,
                               int64_t *bands, spmm_pack_tiles *pack) {
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

base_status spmm_device_prepare_panels(const spmm_device_packing *it) {
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
        {&product->value, it->a.nnz * spmm_device_product_bytes(product)}};
    BASE_TRY(spmm_device_packing_alloc(it, slices, 5));
    pack.start = SPMM_DEVICE_POINTER(long long, product->start);
    pack.position = SPMM_DEVICE_POINTER(unsigned short, product->position);
    pack.value = SPMM_DEVICE_POINTER(void, product->value);
    pack.piece = SPMM_DEVICE_POINTER(spmm_gpu_piece, product->worker);
    pack.part = SPMM_DEVICE_POINTER(spmm_gpu_part, product->part);
    BASE_TRY(
        spmm_device_packing_launch(it, "pack_panels", bands, SPMM_PACK_PANEL_THREADS, pack.steps * 4, &pack));
done:
    return status;
}

base_status spmm_device_prepare_bands(const spmm_device_packing *it) {
    base_status status;
    spmm_device_product *product = it->product;
    spmm_pack_tiles pack;
    int64_t bands, vectors;
    BASE_TRY(begin_tiles(it, SPMM_GPU_BAND_BYTES / spmm_device_product_bytes(product),
                         spmm_device_band_bytes(product), &bands, &pack));
    const int64_t slabs = bands * SPMM_PACK_SLABS;
    pack.count = SPMM_DEVICE_POINTER(long long, it->matrix->count[0]);
    BASE_TRY(
        spmm_device_packing_launch(it, "pack_bands_count", slabs, SPMM_PACK_THREADS, pack.steps * 4, &pack));
    BASE_TRY(spmm_device_packing_scan(it, slabs, 1, &vectors));
    if (vectors > INT32_MAX)
        BASE_TRY(base_fail(it->context, BASE_FAILED, "more than 2^31 vectors of entries"));
    const spmm_device_slice slices[] = {
        {&product->worker, product->worker_count * (int64_t)sizeof(spmm_gpu_piece)},
        {&product->part, product->part_count * (int64_t)sizeof(spmm_gpu_part)},
        {&product->start, (slabs * pack.steps + 1) * 4},
        {&product->value, vectors * 16}};
    BASE_TRY(spmm_device_packing_alloc(it, slices, 4));
    pack.slab_start = SPMM_DEVICE_POINTER(int, product->start);
    pack.value = SPMM_DEVICE_POINTER(void, product->value);
    pack.piece = SPMM_DEVICE_POINTER(spmm_gpu_piece, product->worker);
    pack.part = SPMM_DEVICE_POINTER(spmm_gpu_part, product->part);
    BASE_TRY(spmm_device_packing_launch(it, "pack_bands", slabs, SPMM_PACK_THREADS, pack.steps * 4, &pack));
done:
    return status;
}

/* ---- splits ---- */

int64_t spmm_device_split_bytes(void) {
    return SPMM_GPU_SPLIT_STAGES * 2 * SPMM_GPU_BAND_BYTES *
           (int64_t)(SPMM_GPU_BAND_ROWS + SPMM_GPU_SPLIT_COLUMNS);
}

base_status spmm_device_prepare_splits(const spmm_device_packing *it) {
    base_status status;
    spmm_device_product *product = it->product;
    const int64_t depth = SPMM_GPU_BAND_BYTES / 4, steps = (it->a.ncol + depth - 1) / depth,
                  bands = (it->a.nrow + SPMM_GPU_BAND_ROWS - 1) / SPMM_GPU_BAND_ROWS,
                  bytes = bands * steps * 2 * SPMM_GPU_BAND_ROWS * SPMM_GPU_BAND_BYTES;
    spmm_pack_splits pack = {.a = it->a, .steps = steps};
    BASE_TRY(base_device_allow_shared(it->context, &product->function, spmm_device_split_bytes()));
    BASE_TRY(spmm_device_packing_alloc(it, &(spmm_device_slice){&product->value, bytes}, 1));
    BASE_TRY(spmm_device_packing_clear(it, product->value, bytes));
    product->steps = steps;
    product->worker_count = bands * product->variant.most;
    product->part_count = product->variant.most > 1 ? product->worker_count : 0;
    pack.value = SPMM_DEVICE_POINTER(void, product->value);
    BASE_TRY(spmm_device_packing_launch(it, "pack_splits", spmm_device_blocks(32 * it->a.nrow),
                                        SPMM_PACK_THREADS, 0, &pack));
done:
    return status;
}
