/* SPDX-License-Identifier: BSD-3-Clause */
/* rings_…: windows by blocks of several warps with different tasks, rows of B in a ring in shared memory. A
 * variant's `groups` have 64 columns each. */
#include "spmm/device/configuration.h"
#include "spmm/families/families.h"
#include "spmm/families/rowwindows.h"
#include "spmm/rings/contract.h"

#include <stdio.h>

extern const base_device_fatbin spmm_rings_gpu_fatbin;

/* ---- code ---- */

static void name(spmm_precision precision, const spmm_device_variant *variant, char name[48]) {
    snprintf(name, 48, "rings_%s_%d_%d_%d", spmm_device_matrix_type(precision), variant->tall,
             variant->groups, variant->dense);
}

static int columns(spmm_precision precision, const spmm_device_variant *variant) {
    (void)precision;
    return 64 * variant->groups;
}

/* Warps of a block that multiply: one for 32 rows and 64 columns. Each has its counters, at which it adds its
 * sums to those of the same warps of other blocks. */
static int count_workers(const spmm_device_variant *variant) {
    return variant->groups * ((variant->tall + 1) / 2);
}

static int count_threads(const spmm_device_variant *variant) {
    return 32 * (count_workers(variant) + 1);
}

/* The chunks of a ring with their barriers. */
static int64_t shared_bytes_of(const spmm_device_product *product) {
    const spmm_device_variant *variant = &product->variant;
    const int64_t b = SPMM_GPU_CHUNK * (variant->groups * 128 + 32), a = variant->tall * 512;
    return SPMM_GPU_RING_STAGES * (a + b + SPMM_GPU_RING_BYTES);
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
    return spmm_rowwindows_launch_resident(
        context, product, operands, product->worker_count * operands->tiles, count_threads(&product->variant),
        shared_bytes_of(product), stream);
}

#define SPMM_ENTRY(type, tall_, groups_, dense_)                                                             \
    {SPMM_MATRIX_TYPE(type), {.code = &spmm_code_rings, .tall = tall_, .groups = groups_, .dense = dense_}},
static const spmm_device_listed variants[] = {
#define SPMM_EACH "spmm/rings/entry.h"
#include "spmm/rings/variants.h"
    {0}};
#undef SPMM_ENTRY

const spmm_device_code spmm_code_rings = {.variants = variants,
                                          .needs_90a = true,
                                          .fatbin = &spmm_rings_gpu_fatbin,
                                          .name = name,
                                          .columns = columns,
                                          .prepare = prepare,
                                          .submit = submit,
                                          .part_rows = spmm_rowwindows_rows,
                                          .counters = count_workers,
                                          .window_rows = spmm_rowwindows_rows};

/* ---- for blocks_… ---- */

void spmm_rings_configure(int height, spmm_device_variant *v) {
    v->code = &spmm_code_rings;
    v->tall = height / 16;
    v->groups = 2;
    v->dense = true;
    v->most = 128;
    v->tiles_first = true;
}
