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

/* Whether the kernel is one of rings_…, or, for low windows, of several warps. */
static bool has_other_rates(const spmm_problem *problem, const spmm_device_variant *v) {
    (void)problem;
    return v->dense && (v->code == &spmm_code_rings || (v->warps > 0 && v->tall == 1));
}

static const spmm_device_rates rates16[] = {
    {SPMM_OF_SHORT, true, {8.245, 0.2198, 0, 0.1302, 0.1186, 0, 1244, 0, 0.05, 0.1203}},
    {SPMM_OF_SHORT, false, {5.05, 0.1478, 0, 0.1413, 0.1153, 0, 505.4, 0, 0.05, 0.1809}},
    {SPMM_OF_TF32, false, {6.215, 0.07412, 0, 0.1644, 0.1096, 0, 531.7, 0, 0.06769, 0.1}},
    {SPMM_OF_3XTF32, false, {7.366, 0.1495, 0, 0.2201, 0.204, 0, 326.6, 0, 0.0743, 0.1}},
    {SPMM_OF_DOUBLE, false, {5.185, 0.3686, 0, 0.1522, 0.1539, 0, 658.5, 0, 0.07507, 0.1354}},
    {0},
};

static const spmm_device_rates rates32[] = {
    {SPMM_OF_SHORT, true, {7.48, 0.2, 0, 0.1669, 0.1394, 0, 0, 0, 0.1015, 0.2436}},
    {SPMM_OF_SHORT, false, {5.78, 0.2356, 0, 0.1353, 0.08581, 0, 457.8, 0, 0.05, 0.2154}},
    {SPMM_OF_TF32, false, {5.701, 0.4588, 0, 0.1694, 0.1708, 0, 345.9, 0, 0.06021, 0.1238}},
    {SPMM_OF_3XTF32, false, {7.055, 0.1359, 0, 0.3082, 0.253, 0, 0, 0, 0.2576, 0.1593}},
    {SPMM_OF_DOUBLE, false, {7.82, 0.1724, 0, 0.1639, 0.231, 0, 190.6, 0, 0.05, 0.1037}},
    {0},
};

const spmm_device_family spmm_family_blocks16 = {.name = "blocks16",
                                                 .precisions = SPMM_OF_MATRIX_UNITS,
                                                 .height = 16,
                                                 .configure = configure,
                                                 .count = spmm_rowwindows_count,
                                                 .format_bytes = spmm_rowwindows_format_bytes,
                                                 .rates = rates16,
                                                 .has_other_rates = has_other_rates};

const spmm_device_family spmm_family_blocks32 = {.name = "blocks32",
                                                 .precisions = SPMM_OF_MATRIX_UNITS,
                                                 .height = 32,
                                                 .configure = configure,
                                                 .count = spmm_rowwindows_count,
                                                 .format_bytes = spmm_rowwindows_format_bytes,
                                                 .rates = rates32,
                                                 .has_other_rates = has_other_rates};
