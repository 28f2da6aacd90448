/* SPDX-License-Identifier: BSD-3-Clause */
/* blocks_…: windows with zeros stored, by rowwindows_…, by rings_… or by blocks of several warps side by
 * side. A variant's `warps`: of a block of the latter. */
#include "spmm/blocks/contract.h"
#include "spmm/device/configuration.h"
#include "spmm/families/families.h"
#include "spmm/families/rowwindows.h"

#include <math.h>
#include <stdio.h>

extern const base_device_fatbin spmm_blocks_gpu_fatbin;

/* ---- code ---- */

static void name(spmm_precision precision, const spmm_device_variant *variant, char name[48]) {
    snprintf(name, 48, "blocks_%s_%d_%d_%d", spmm_device_matrix_type(precision), variant->tall,
             variant->warps, variant->groups);
}

static int columns(spmm_precision precision, const spmm_device_variant *variant) {
    return 8 * variant->width * 4 / spmm_format_bytes(spmm_format_of(precision)) * variant->groups;
}

static int count_threads(const spmm_device_variant *variant) {
    return 32 * (variant->warps + 1);
}

/* A stage of the ring has a chunk of A and its rows of B. */
static int64_t shared_bytes_of(const spmm_device_product *product) {
    const spmm_device_variant *variant = &product->variant;
    const int64_t row = 128 * variant->groups * variant->warps + 32;
    return SPMM_GPU_BLOCK_STAGES * SPMM_GPU_CHUNK *
           (16 * variant->tall * (int64_t)spmm_device_product_bytes(product) + row);
}

static base_status prepare(const spmm_device_packing *it) {
    base_status status;
    const spmm_device_product *product = it->product;
    BASE_TRY(
        spmm_device_packing_find_resident(it, count_threads(&product->variant), shared_bytes_of(product)));
    BASE_TRY(spmm_rowwindows_prepare(it));
done:
    return status;
}

static base_status submit(base_context *context, spmm_device_product *product,
                          const spmm_gpu_operands *operands, base_device_stream *stream) {
    const int64_t blocks = product->worker_count * operands->tiles / product->variant.warps;
    return spmm_rowwindows_launch_resident(context, product, operands, blocks,
                                           count_threads(&product->variant), shared_bytes_of(product),
                                           stream);
}

#define SPMM_ENTRY(type, tall_, warps_, groups_)                                                             \
    {SPMM_MATRIX_TYPE(type),                                                                                 \
     {.code = &spmm_code_blocks,                                                                             \
      .tall = tall_,                                                                                         \
      .width = 4,                                                                                            \
      .groups = groups_,                                                                                     \
      .warps = warps_,                                                                                       \
      .dense = true}},
static const spmm_device_listed variants[] = {
#define SPMM_EACH "spmm/blocks/entry.h"
#include "spmm/blocks/variants.h"
    {0}};
#undef SPMM_ENTRY

const spmm_device_code spmm_code_blocks = {.variants = variants,
                                           .needs_90a = true,
                                           .fatbin = &spmm_blocks_gpu_fatbin,
                                           .name = name,
                                           .columns = columns,
                                           .prepare = prepare,
                                           .submit = submit,
                                           .part_rows = spmm_rowwindows_rows,
                                           .window_rows = spmm_rowwindows_rows};

/* ---- the families ---- */

/* Doubles: several warps side by side, with two groups of columns each. */
static void configure_doubles(const spmm_problem *problem, const base_device_properties *device,
                              spmm_device_variant *v) {
    v->code = &spmm_code_blocks;
    v->warps = problem->n <= 64 ? 2 : 4;
    v->groups = 2;
    const double chunks = problem->profile.vectors[spmm_rowwindows_height(v)] / 16,
                 tiles = ceil((double)(problem->n * 8) / (64 * v->groups));
    v->most = spmm_device_clamp((int64_t)(chunks * ceil(tiles / v->warps) / (8 * device->multiprocessors)),
                                32, 1024);
    v->tiles_first = problem->n > 256;
}

/* Dense windows: in rings where columns are many, but for low windows that are nearly empty, and in blocks
 * that take 512 columns at a time, if the windows are low. Where a few tiles are side by side they find the
 * window's numbers in the cache. */
static void configure(const spmm_device_family *family, const base_device_properties *device,
                      const spmm_problem *problem, spmm_device_variant *v) {
    const int height = family->height;
    const double places = problem->profile.vectors[height == 16 ? 1 : 2] * height;
    const bool narrow = spmm_device_number_bytes(problem) == 2,
               is_empty = height == 16 && (double)problem->a.nnz < 0.4 * places;
    if (spmm_device_has_90a(device) && narrow && problem->n > 256 && height == 16) {
        const double chunks = problem->profile.vectors[1] / SPMM_GPU_CHUNK * ceil((double)problem->n / 512);
        *v = (spmm_device_variant){
            .code = &spmm_code_blocks,
            .tall = 1,
            .width = 4,
            .groups = 2,
            .warps = 4,
            .dense = true,
            .most = spmm_device_clamp((int64_t)(chunks / (8 * device->multiprocessors)), 32, 1024),
            .tiles_first = true};
        return;
    }
    if (spmm_device_has_90a(device) && narrow && problem->n > 128 && !is_empty) {
        spmm_rings_configure(height, v);
        return;
    }
    spmm_rowwindows_configure(device, problem, height, true, v);
    if (spmm_device_has_90a(device) && problem->precision == SPMM_FP64 && height == 32)
        configure_doubles(problem, device, v);
    if (narrow && problem->n > 64) {
        v->width = height == 32 || is_empty ? 4 : v->width;
        v->tiles_first = v->width == 2;
    }
}

/* 1 if the kernel is one of rings_…, or, for low windows, of several warps. */
static int kind(const spmm_problem *problem, const spmm_device_variant *v) {
    (void)problem;
    return v->dense && (v->code == &spmm_code_rings || (v->warps > 0 && v->tall == 1));
}

static const spmm_device_rates rates16[] = {
    {SPMM_OF_SHORT, 1, {8.924, 0.3318, 0, 0.1237, 0.09416, 0, 1740, 0, 0.05, 0.1216}},
    {SPMM_OF_SHORT, 0, {5.152, 0.1534, 0, 0.141, 0.1116, 0, 477.9, 0, 0.05, 0.1673}},
    {SPMM_OF_TF32, 0, {6.215, 0.07412, 0, 0.1644, 0.1096, 0, 531.7, 0, 0.06769, 0.1}},
    {SPMM_OF_3XTF32, 0, {6.589, 0.2733, 0.25, 0.1965, 0.1844, 0, 992, 0, 0.05, 0.1}},
    {SPMM_OF_DOUBLE, 0, {5.185, 0.3686, 0.25, 0.1522, 0.1539, 0, 658.5, 0, 0.07507, 0.1354}},
    {0},
};

static const spmm_device_rates rates32[] = {
    {SPMM_OF_SHORT, 1, {7.82, 0.1996, 0, 0.1673, 0.1389, 0, 0, 0, 0.09673, 0.2423}},
    {SPMM_OF_SHORT, 0, {5.888, 0.2269, 0, 0.1433, 0.1095, 0, 378.1, 0, 0.05, 0.2049}},
    {SPMM_OF_TF32, 0, {5.701, 0.4588, 0, 0.1694, 0.1708, 0, 345.9, 0, 0.06021, 0.1238}},
    {SPMM_OF_3XTF32, 0, {7.176, 0.3707, 0.25, 0.3092, 0.2417, 0, 248.2, 0, 0.121, 0.1501}},
    {SPMM_OF_DOUBLE, 0, {7.82, 0.1724, 0.25, 0.1639, 0.231, 0, 190.6, 0, 0.05, 0.1037}},
    {0},
};

const spmm_device_family spmm_family_blocks16 = {.name = "blocks16",
                                                 .precisions = SPMM_OF_MATRIX_UNITS,
                                                 .height = 16,
                                                 .configure = configure,
                                                 .count = spmm_rowwindows_count,
                                                 .format_bytes = spmm_rowwindows_format_bytes,
                                                 .rates = rates16,
                                                 .kind = kind};

const spmm_device_family spmm_family_blocks32 = {.name = "blocks32",
                                                 .precisions = SPMM_OF_MATRIX_UNITS,
                                                 .height = 32,
                                                 .configure = configure,
                                                 .count = spmm_rowwindows_count,
                                                 .format_bytes = spmm_rowwindows_format_bytes,
                                                 .rates = rates32,
                                                 .kind = kind};
