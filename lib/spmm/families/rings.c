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

/* Warps of a block that multiply: one for 32 rows and 64 columns; each meets the others of its tile. */
static int count_workers(const spmm_device_variant *variant) {
    return variant->groups * ((variant->tall + 1) / 2);
}

static int count_threads(const spmm_device_variant *variant) {
    return 32 * (count_workers(variant) + 2 - variant->dense);
}

/* The chunks of a ring with their barriers. */
static int64_t shared_bytes_of(const spmm_device_product *product) {
    const spmm_device_variant *variant = &product->variant;
    const int64_t b = SPMM_GPU_CHUNK * (variant->groups * 128 + 32),
                  a = variant->tall * 512 * (variant->dense ? 1 : 3) + (variant->dense ? 0 : 16);
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

/* ---- the families ---- */

void spmm_rings_configure(int height, bool dense, spmm_device_variant *v) {
    v->code = &spmm_code_rings;
    v->tall = height / 16;
    v->groups = 2;
    v->dense = dense;
    v->most = 128;
    v->tiles_first = true;
}

static void configure(const spmm_device_family *family, const base_device_properties *device,
                      const spmm_problem *problem, spmm_device_variant *v) {
    (void)device;
    (void)problem;
    spmm_rings_configure(family->height, false, v);
}

static const spmm_device_rates rates16[] = {
    {SPMM_OF_SHORT, false, {4.734, 0.3938, 0, 0.226, 0.1764, 0, 2093, 0, 0.09224, 0.2902}},
    {0},
};

static const spmm_device_rates rates32[] = {
    {SPMM_OF_SHORT, false, {5.742, 0.3262, 0, 0.2598, 0.177, 0.7276, 1530, 0, 0.06534, 0.248}},
    {0},
};

static const spmm_device_rates rates64[] = {
    {SPMM_OF_SHORT, false, {6.771, 0.2606, 0, 0.4416, 0.3242, 1.494, 0, 0, 0.1967, 0.1572}},
    {0},
};

static const spmm_device_rates rates128[] = {
    {SPMM_OF_SHORT, false, {9.596, 0.3186, 0, 0.5651, 0, 1.663, 0, 0, 0.05, 0.3377}},
    {0},
};

const spmm_device_family spmm_family_rings16 = {.name = "rings16",
                                                .precisions = SPMM_OF_SHORT,
                                                .height = 16,
                                                .configure = configure,
                                                .count = spmm_rowwindows_count,
                                                .format_bytes = spmm_rowwindows_format_bytes,
                                                .rates = rates16};

const spmm_device_family spmm_family_rings32 = {.name = "rings32",
                                                .precisions = SPMM_OF_SHORT,
                                                .height = 32,
                                                .configure = configure,
                                                .count = spmm_rowwindows_count,
                                                .format_bytes = spmm_rowwindows_format_bytes,
                                                .rates = rates32};

const spmm_device_family spmm_family_rings64 = {.name = "rings64",
                                                .precisions = SPMM_OF_SHORT,
                                                .height = 64,
                                                .configure = configure,
                                                .count = spmm_rowwindows_count,
                                                .format_bytes = spmm_rowwindows_format_bytes,
                                                .rates = rates64};

const spmm_device_family spmm_family_rings128 = {.name = "rings128",
                                                 .precisions = SPMM_OF_SHORT,
                                                 .height = 128,
                                                 .configure = configure,
                                                 .count = spmm_rowwindows_count,
                                                 .format_bytes = spmm_rowwindows_format_bytes,
                                                 .rates = rates128};
