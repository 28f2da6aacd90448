#include "base/run/progress.h"
#include "spmm/device/internal.h"

/* ---- A ---- */

base_status spmm_device_product_init(base_context *context, spmm_device_matrix *matrix,
                                     const spmm_row_set *taken, spmm_precision precision,
                                     const spmm_device_variant *variant, const spmm_device_entries *entries,
                                     spmm_device_product *product) {
    base_status status;
    *product = (spmm_device_product){
        .variant = *variant, .precision = precision, .nrow = matrix->a.nrow, .ncol = matrix->a.ncol};
    BASE_TRY(spmm_device_product_load(context, matrix->device, precision, variant, &product->function));
    BASE_TRY(spmm_device_load_second(context, matrix->device, precision, variant, &product->second));
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

/* Room for the sums of parts, in bytes a part, and for counters, of which each has some or none. */
static base_status make_room(base_context *context, spmm_device_product *product, int64_t part_bytes,
                             int64_t counters) {
    base_status status = BASE_OK;
    base_device *device = product->function.device;
    if (product->partial.bytes < product->part_count * part_bytes || product->partial.address == 0) {
        base_device_free(&product->partial);
        BASE_TRY(base_device_alloc(context, device, product->part_count + 1, part_bytes, &product->partial));
    }
    if (product->arrived.bytes < product->part_count * counters * 4) {
        base_device_free(&product->arrived);
        BASE_TRY(base_device_alloc(context, device, product->part_count, counters * 4, &product->arrived));
        BASE_TRY(base_device_fill(context, &product->arrived, 0, 0, product->arrived.bytes, NULL));
    }
done:
    return status;
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
    default: return vectors * 16 / spmm_device_product_bytes(product);
    }
}

/* Counters of a part, for those who meet at them. */
static int64_t count_counters(const spmm_device_variant *variant, int64_t tiles) {
    switch (variant->kind) {
    case SPMM_DEVICE_RUNS: return 0;
    case SPMM_DEVICE_RINGS: return tiles * spmm_device_ring_workers(variant);
    default: return tiles;
    }
}

base_status spmm_device_product_run(base_context *context, spmm_device_product *product,
                                    const spmm_device_operands *operands, base_device_stream *stream) {
    base_status status = BASE_OK;
    const int64_t bytes = spmm_device_product_bytes(product),
                  columns = spmm_device_variant_columns(product->precision, &product->variant);
    const int64_t vectors = (operands->n * bytes + 15) / 16,
                  together = product->variant.warps > 0 ? product->variant.warps : 1,
                  tiles = (operands->n + columns * together - 1) / (columns * together) * together;
    if (operands->n == 0 || product->worker_count + product->long_count == 0)
        goto done;
    if (product->variant.kind != SPMM_DEVICE_SLABS)
        BASE_TRY(make_room(context, product,
                           count_sums(product, columns, tiles, vectors) * (bytes == 8 ? 8 : 4),
                           count_counters(&product->variant, tiles)));
    BASE_TRY(spmm_device_submit(context, product, operands, tiles, stream));
done:
    return status;
}
