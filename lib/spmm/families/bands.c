/* SPDX-License-Identifier: BSD-3-Clause */
/* bands_…: zeros computed as well, by the matrix instructions for four warps. A variant's `width`: columns of
 * a tile; `most`: tiles of a piece. */
#include "spmm/bands/contract.h"
#include "spmm/device/configuration.h"
#include "spmm/device/count.h"
#include "spmm/families/families.h"
#include "spmm/families/tiles.h"

#include <stdio.h>

extern const base_device_fatbin spmm_bands_gpu_fatbin;

/* ---- code ---- */

static void name(spmm_precision precision, const spmm_device_variant *variant, char name[48]) {
    snprintf(name, 48, "bands_%s_%d", spmm_device_matrix_type(precision), variant->width);
}

static int columns(spmm_precision precision, const spmm_device_variant *variant) {
    (void)precision;
    return variant->width;
}

/* The shared memory of a block: some tiles of A and of B, and for 2 bytes entries. */
static int64_t shared_bytes_of(const spmm_device_product *product) {
    const bool is_split = product->precision == SPMM_FP32 || product->precision == SPMM_3XTF32;
    const int width = product->variant.width, ahead = SPMM_GPU_BAND_AHEAD(width), a = is_split ? 4 : 3;
    if (spmm_device_product_bytes(product) == 2)
        return SPMM_GPU_BAND_BYTES * (2 * SPMM_GPU_BAND_ROWS + (ahead + 2) * width) +
               (ahead + 1) * 3 * 16 * SPMM_GPU_BAND_THREADS;
    return SPMM_GPU_BAND_BYTES * a * (SPMM_GPU_BAND_ROWS + width);
}

static base_status prepare(const spmm_device_packing *it) {
    base_status status;
    spmm_device_product *product = it->product;
    spmm_pack_tiles pack;
    int64_t bands, vectors;
    BASE_TRY(spmm_tiles_begin(it, SPMM_GPU_BAND_BYTES / spmm_device_product_bytes(product),
                              shared_bytes_of(product), &bands, &pack));
    const int64_t subtiles = bands * SPMM_PACK_SUBTILES;
    pack.count = SPMM_DEVICE_POINTER(long long, it->matrix->count[0]);
    BASE_TRY(spmm_device_packing_launch(it, "pack_bands_count", subtiles, SPMM_PACK_THREADS, pack.steps * 4,
                                        &pack));
    BASE_TRY(spmm_device_packing_scan(it, subtiles, 1, &vectors));
    if (vectors > INT32_MAX)
        BASE_TRY(base_fail(it->context, BASE_FAILED, "more than 2^31 vectors of entries"));
    const spmm_device_slice slices[] = {{&product->start, (subtiles * pack.steps + 1) * 4},
                                        {&product->value, vectors * 16}};
    BASE_TRY(spmm_tiles_alloc(it, slices, 2, &pack));
    pack.subtile_start = SPMM_DEVICE_POINTER(int, product->start);
    BASE_TRY(
        spmm_device_packing_launch(it, "pack_bands", subtiles, SPMM_PACK_THREADS, pack.steps * 4, &pack));
done:
    return status;
}

static base_status submit(base_context *context, spmm_device_product *product,
                          const spmm_gpu_operands *operands, base_device_stream *stream) {
    spmm_gpu_bands bands = {.pieces = SPMM_DEVICE_PLACE(product->worker),
                            .parts = SPMM_DEVICE_PLACE(product->part),
                            .start = SPMM_DEVICE_PLACE(product->start),
                            .entry = SPMM_DEVICE_PLACE(product->value),
                            .nrow = product->nrow,
                            .ncol = product->ncol,
                            .steps = (int)product->steps,
                            .operands = *operands};
    return spmm_tiles_launch(context, product, operands, SPMM_GPU_BAND_THREADS, shared_bytes_of(product),
                             stream, &bands);
}

#define SPMM_ENTRY(type, width_) {SPMM_MATRIX_TYPE(type), {.code = &spmm_code_bands, .width = width_}},
static const spmm_device_listed variants[] = {
#define SPMM_EACH "spmm/bands/entry.h"
#define SPMM_EACH_SHORT "spmm/bands/entry.h"
#include "spmm/bands/variants.h"
    {0}};
#undef SPMM_ENTRY

const spmm_device_code spmm_code_bands = {.variants = variants,
                                          .needs_90a = true,
                                          .fatbin = &spmm_bands_gpu_fatbin,
                                          .name = name,
                                          .columns = columns,
                                          .prepare = prepare,
                                          .submit = submit,
                                          .part_rows = spmm_tiles_part_rows};

/* ---- the family ---- */

/* Tiles of 64 columns where wider ones would leave a fifth of the multiprocessors without work. A band's
 * steps are divided into at most 8 parts, for about two blocks a multiprocessor. */
static void configure(const spmm_device_family *family, const base_device_properties *device,
                      const spmm_problem *problem, spmm_device_variant *v) {
    (void)family;
    v->code = &spmm_code_bands;
    v->width = (int)spmm_device_clamp(spmm_device_round_up(problem->n), 32, 128);
    if (v->width == 128 && spmm_device_number_bytes(problem) == 2 &&
        (problem->a.nrow + SPMM_GPU_BAND_ROWS - 1) / SPMM_GPU_BAND_ROWS * ((problem->n + 127) / 128) <
            device->multiprocessors * 4 / 5)
        v->width = 64;
    spmm_tiles_cut(device, problem, v->width, 8, v);
}

static const spmm_device_rates rates[] = {
    {SPMM_OF_SHORT, 0, {9.446, 0, 0, 0, 0, 0, 0, 3.746, 0.2258, 0.2861}},
    {SPMM_OF_TF32, 0, {9.95, 0, 0, 0, 0, 0, 0, 10.48, 0.2666, 0.1759}},
    {SPMM_OF_3XTF32, 0, {10.11, 0, 0, 0, 0, 0, 0, 18.98, 0.208, 0.5465}},
    {0},
};

const spmm_device_family spmm_family_bands = {.name = "bands",
                                              .precisions = SPMM_OF_MATRIX_UNITS & ~SPMM_OF_DOUBLE,
                                              .configure = configure,
                                              .count = spmm_tiles_count,
                                              .format_bytes = spmm_count_row_bytes,
                                              .rates = rates};
