/* SPDX-License-Identifier: BSD-3-Clause */
/* panels_…: zeros computed as well, A in tiles. A variant's `depth`, `width` and `groups` are those of
 * kernels/spmm/panels; `most`: tiles of a piece. */
#include "spmm/device/configuration.h"
#include "spmm/device/count.h"
#include "spmm/families/families.h"
#include "spmm/families/tiles.h"
#include "spmm/panels/contract.h"

#include <stdio.h>

extern const base_device_fatbin spmm_panels_gpu_fatbin;

/* ---- code ---- */

static void name(spmm_precision precision, const spmm_device_variant *variant, char name[48]) {
    snprintf(name, 48, "panels_%s_%d_%d_%d", spmm_device_matrix_type(precision), variant->depth,
             variant->width, variant->groups);
}

static int columns(spmm_precision precision, const spmm_device_variant *variant) {
    return 8 * variant->width * 4 / spmm_format_bytes(spmm_format_of(precision)) * variant->groups;
}

/* The shared memory of a block: two tiles of A and three of B. */
static int64_t shared_bytes_of(const spmm_device_product *product) {
    const spmm_device_variant *variant = &product->variant;
    return variant->depth * (2 * SPMM_GPU_PANEL_ROWS * spmm_device_product_bytes(product) +
                             3 * (variant->groups * 32 * variant->width + 32));
}

static base_status prepare(const spmm_device_packing *it) {
    base_status status;
    spmm_device_product *product = it->product;
    spmm_pack_tiles pack;
    int64_t bands;
    BASE_TRY(spmm_tiles_begin(it, product->variant.depth, shared_bytes_of(product), &bands, &pack));
    const spmm_device_slice slices[] = {
        {&product->start, (bands * pack.steps + 1) * 8},
        {&product->position, it->matrix->a.nnz * 2},
        {&product->value, it->matrix->a.nnz * spmm_device_product_bytes(product)}};
    BASE_TRY(spmm_tiles_alloc(it, slices, 3, &pack));
    pack.start = SPMM_DEVICE_POINTER(long long, product->start);
    pack.position = SPMM_DEVICE_POINTER(unsigned short, product->position);
    BASE_TRY(
        spmm_device_packing_launch(it, "pack_panels", bands, SPMM_PACK_PANEL_THREADS, pack.steps * 4, &pack));
done:
    return status;
}

static base_status submit(base_context *context, spmm_device_product *product,
                          const spmm_gpu_operands *operands, base_device_stream *stream) {
    spmm_gpu_panels panels = {.pieces = SPMM_DEVICE_PLACE(product->worker),
                              .parts = SPMM_DEVICE_PLACE(product->part),
                              .start = SPMM_DEVICE_PLACE(product->start),
                              .position = SPMM_DEVICE_PLACE(product->position),
                              .value = SPMM_DEVICE_PLACE(product->value),
                              .piece_count = product->worker_count,
                              .nrow = product->nrow,
                              .ncol = product->ncol,
                              .steps = (int)product->steps,
                              .operands = *operands};
    return spmm_tiles_launch(context, product, operands, SPMM_GPU_PANEL_THREADS, shared_bytes_of(product),
                             stream, &panels);
}

#define SPMM_ENTRY(type, depth_, width_, groups_)                                                            \
    {SPMM_MATRIX_TYPE(type),                                                                                 \
     {.code = &spmm_code_panels, .depth = depth_, .width = width_, .groups = groups_}},
static const spmm_device_listed variants[] = {
#define SPMM_EACH "spmm/panels/entry.h"
#include "spmm/panels/variants.h"
    {0}};
#undef SPMM_ENTRY

const spmm_device_code spmm_code_panels = {.variants = variants,
                                           .fatbin = &spmm_panels_gpu_fatbin,
                                           .name = name,
                                           .columns = columns,
                                           .prepare = prepare,
                                           .submit = submit,
                                           .part_rows = spmm_tiles_part_rows};

/* ---- the family ---- */

static void configure(const spmm_device_family *family, const base_device_properties *device,
                      const spmm_problem *problem, spmm_device_variant *v) {
    (void)family;
    v->code = &spmm_code_panels;
    const bool narrow = spmm_device_number_bytes(problem) == 2;
    const int64_t n = problem->n;
    const bool is_double = problem->precision == SPMM_FP64;
    v->depth = narrow ? 64 : is_double ? 16 : 32;
    v->width = narrow && n <= 32 ? 2 : 4;
    v->groups = n <= (narrow ? 64 : is_double ? 16 : 32) ? 1 : narrow || n <= (is_double ? 32 : 64) ? 2 : 4;
    spmm_tiles_cut(device, problem, 8 * v->width * 4 / spmm_device_number_bytes(problem) * v->groups, 16, v);
}

static const spmm_device_rates rates[] = {
    {SPMM_OF_SHORT, 0, {12.95, 0, 0, 0, 0, 0, 0, 5.567, 0.2436, 0.3952}},
    {SPMM_OF_TF32, 0, {15.64, 0, 0, 0, 0, 0, 0, 8.513, 0.1108, 0.1}},
    {SPMM_OF_3XTF32, 0, {13.25, 0, 0, 0, 0, 0, 0, 23.43, 0.05, 0.1}},
    {SPMM_OF_DOUBLE, 0, {13.92, 0, 0, 0, 0, 0, 0, 31.1, 0.1279, 0.5439}},
    {0},
};

const spmm_device_family spmm_family_panels = {.name = "panels",
                                               .precisions = SPMM_OF_MATRIX_UNITS,
                                               .configure = configure,
                                               .count = spmm_tiles_count,
                                               .format_bytes = spmm_count_row_bytes,
                                               .rates = rates};
