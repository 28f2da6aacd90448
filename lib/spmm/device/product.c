/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/device/product.h"
#include "base/run/progress.h"
#include "spmm/device/family.h"
#include "spmm/device/packing.h"

/* ---- code ---- */

void spmm_device_variant_name(spmm_precision precision, const spmm_device_variant *variant, char name[48]) {
    variant->code->name(precision, variant, name);
}

int spmm_device_variant_columns(spmm_precision precision, const spmm_device_variant *variant) {
    return variant->code->columns(precision, variant);
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
                                     const spmm_device_variant *variant, base_device_function *function,
                                     base_device_function *second) {
    base_status status;
    const spmm_device_code *code = variant->code;
    const bool is_short = spmm_format_bytes(spmm_format_of(precision)) == 2;
    char name[48];
    spmm_device_variant_name(precision, variant, name);
    BASE_TRY(load(context, device, is_short && code->short_fatbin != NULL ? code->short_fatbin : code->fatbin,
                  name, function));
    if (code->second_fatbin != NULL)
        BASE_TRY(load(context, device, code->second_fatbin, code->second_name(precision), second));
done:
    return status;
}

/* ---- A ---- */

base_status spmm_device_product_init(base_context *context, spmm_device_matrix *matrix,
                                     spmm_precision precision, const spmm_device_variant *variant,
                                     const spmm_device_entries *entries, spmm_device_product *product) {
    base_status status;
    *product = (spmm_device_product){
        .variant = *variant, .precision = precision, .nrow = matrix->a.nrow, .ncol = matrix->a.ncol};
    BASE_TRY(spmm_device_product_load(context, matrix->device, precision, variant, &product->function,
                                      &product->second));
    if (entries != NULL)
        product->entries = *entries;
    const double start = base_clock_seconds();
    BASE_TRY(spmm_device_prepare(context, matrix, product));
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
    base_device_free(&product->partial);
    base_device_free(&product->arrived);
    base_device_free(&product->halves);
    *product = (spmm_device_product){.worker_count = 0};
}

/* ---- products ---- */

base_status spmm_device_product_make_room(base_context *context, spmm_device_product *product,
                                          int64_t partial_bytes, int64_t counters) {
    base_status status = BASE_OK;
    base_device *device = product->function.device;
    if (product->partial.bytes < partial_bytes) {
        base_device_free(&product->partial);
        BASE_TRY(base_device_alloc(context, device, partial_bytes, 1, &product->partial));
    }
    if (product->arrived.bytes < counters * 4) {
        base_device_free(&product->arrived);
        BASE_TRY(base_device_alloc(context, device, counters, 4, &product->arrived));
        BASE_TRY(base_device_fill(context, &product->arrived, 0, 0, product->arrived.bytes, NULL));
    }
done:
    return status;
}

/* Numbers of a part's sums. */
static int64_t count_sums(const spmm_device_product *product, int64_t columns, int64_t tiles,
                          int64_t vectors) {
    const spmm_device_variant *variant = &product->variant;
    if (variant->code->part_rows == NULL)
        return vectors * 16 / spmm_device_product_bytes(product);
    return tiles * columns * variant->code->part_rows(variant);
}

/* Counters of a part. Blocks that share a tile count themselves there; the last one adds their sums. */
static int64_t count_counters(const spmm_device_variant *variant, int64_t tiles) {
    return variant->code->counters == NULL ? tiles : tiles * variant->code->counters(variant);
}

/* B and C as the kernels of all families take them. */
static spmm_gpu_operands make_operands(const spmm_device_product *product,
                                       const spmm_device_operands *operands, int64_t tiles, int64_t vectors) {
    return (spmm_gpu_operands){.b = SPMM_DEVICE_PLACE(operands->b),
                               .c = SPMM_DEVICE_PLACE(operands->c),
                               .partial = SPMM_DEVICE_PLACE(product->partial.address),
                               .arrived = SPMM_DEVICE_PLACE(product->arrived.address),
                               .b_stride = (int)operands->b_stride,
                               .c_stride = (int)operands->c_stride,
                               .vectors = (int)vectors,
                               .tiles = (int)tiles,
                               .tiles_first = product->variant.tiles_first,
                               .wide = operands->wide,
                               .alpha = operands->alpha,
                               .beta = operands->beta};
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
    if (!product->variant.code->makes_room)
        BASE_TRY(spmm_device_product_make_room(
            context, product,
            (product->part_count + 1) * count_sums(product, columns, tiles, vectors) * (bytes == 8 ? 8 : 4),
            product->part_count * count_counters(&product->variant, tiles)));
    const spmm_gpu_operands both = make_operands(product, operands, tiles, vectors);
    BASE_TRY(product->variant.code->submit(context, product, &both, stream));
done:
    return status;
}
