/* SPDX-License-Identifier: BSD-3-Clause */
/* splits_…: zeros computed and stored, A and B as two numbers of tf32 each; halves_… makes them of B. A
 * variant's `most`: parts of a band. */
#include "spmm/device/configuration.h"
#include "spmm/device/count.h"
#include "spmm/families/families.h"
#include "spmm/families/tiles.h"
#include "spmm/splits/contract.h"

#include <math.h>
#include <stdio.h>

extern const base_device_fatbin spmm_splits_gpu_fatbin;

/* ---- code ---- */

static void name(spmm_precision precision, const spmm_device_variant *variant, char name[48]) {
    (void)precision;
    (void)variant;
    snprintf(name, 48, "splits_float_64");
}

static const char *second_name(spmm_precision precision) {
    (void)precision;
    return "halves_float_64";
}

static int columns(spmm_precision precision, const spmm_device_variant *variant) {
    (void)precision;
    (void)variant;
    return SPMM_GPU_SPLIT_COLUMNS;
}

static int part_rows(const spmm_device_variant *variant) {
    (void)variant;
    return SPMM_GPU_BAND_ROWS;
}

/* SPMM_GPU_SPLIT_STAGES tiles of A and of B, each in two halves. */
enum {
    SHARED_BYTES =
        SPMM_GPU_SPLIT_STAGES * 2 * SPMM_GPU_BAND_BYTES * (SPMM_GPU_BAND_ROWS + SPMM_GPU_SPLIT_COLUMNS)
};

static base_status prepare(const spmm_device_packing *it) {
    base_status status;
    spmm_device_product *product = it->product;
    const int64_t depth = SPMM_GPU_BAND_BYTES / 4, steps = (it->matrix->a.ncol + depth - 1) / depth,
                  bands = (it->matrix->a.nrow + SPMM_GPU_BAND_ROWS - 1) / SPMM_GPU_BAND_ROWS,
                  bytes = bands * steps * 2 * SPMM_GPU_BAND_ROWS * SPMM_GPU_BAND_BYTES;
    spmm_pack_splits pack = {.a = it->matrix->a, .steps = steps};
    BASE_TRY(base_device_allow_shared(it->context, &product->function, SHARED_BYTES));
    BASE_TRY(spmm_device_packing_alloc(it, &(spmm_device_slice){&product->value, bytes}, 1));
    BASE_TRY(spmm_device_packing_clear(it, product->value, bytes));
    product->steps = steps;
    product->worker_count = bands * product->variant.most;
    product->part_count = product->variant.most > 1 ? product->worker_count : 0;
    pack.value = SPMM_DEVICE_POINTER(void, product->value);
    BASE_TRY(spmm_device_packing_launch(it, "pack_splits", spmm_device_blocks(32 * it->matrix->a.nrow),
                                        SPMM_PACK_THREADS, 0, &pack));
done:
    return status;
}

/* Splits B into halves, x = high + low in tf32, then multiplies. */
static base_status submit(base_context *context, spmm_device_product *product,
                          const spmm_gpu_operands *operands, base_device_stream *stream) {
    base_status status;
    const int64_t tile_bytes = 2 * SPMM_GPU_SPLIT_COLUMNS * SPMM_GPU_BAND_BYTES,
                  tiles = product->steps * operands->tiles;
    if (product->halves.bytes < tiles * tile_bytes) {
        base_device_free(&product->halves);
        BASE_TRY(base_device_alloc(context, product->function.device, tiles, tile_bytes, &product->halves));
    }
    spmm_gpu_splits splits = {.a = SPMM_DEVICE_PLACE(product->value),
                              .halves = SPMM_DEVICE_PLACE(product->halves.address),
                              .nrow = product->nrow,
                              .ncol = product->ncol,
                              .steps = (int)product->steps,
                              .parts = (int)product->variant.most,
                              .operands = *operands};
    const base_device_launch_config halve = {.grid = {(unsigned)tiles}, .block = {SPMM_GPU_SPLIT_WORKERS}},
                                    shape = {.grid = {(unsigned)(product->worker_count * operands->tiles)},
                                             .block = {SPMM_GPU_SPLIT_WORKERS + 32},
                                             .shared_bytes = SHARED_BYTES};
    if (tiles > 0)
        BASE_TRY(base_device_launch(context, &product->second, &halve, stream, (void *[]){&splits}));
    BASE_TRY(base_device_launch(context, &product->function, &shape, stream, (void *[]){&splits}));
done:
    return status;
}

static const spmm_device_listed variants[] = {{SPMM_OF_3XTF32, {.code = &spmm_code_splits}}, {0}};

const spmm_device_code spmm_code_splits = {.variants = variants,
                                           .needs_90a = true,
                                           .fatbin = &spmm_splits_gpu_fatbin,
                                           .name = name,
                                           .columns = columns,
                                           .second_fatbin = &spmm_splits_gpu_fatbin,
                                           .second_name = second_name,
                                           .prepare = prepare,
                                           .submit = submit,
                                           .part_rows = part_rows};

/* ---- the family ---- */

static const char *reason(const base_device_properties *device, const spmm_problem *problem) {
    (void)device;
    return problem->precision != SPMM_3XTF32 ? "for 3xtf32 only" : NULL;
}

/* At most as many blocks as there are multiprocessors, which hold one each. */
static void configure(const spmm_device_family *family, const base_device_properties *device,
                      const spmm_problem *problem, spmm_device_variant *v) {
    (void)family;
    v->code = &spmm_code_splits;
    const int64_t blocks = (problem->a.nrow + SPMM_GPU_BAND_ROWS - 1) / SPMM_GPU_BAND_ROWS *
                           ((problem->n + SPMM_GPU_SPLIT_COLUMNS - 1) / SPMM_GPU_SPLIT_COLUMNS);
    v->most = spmm_device_clamp(device->multiprocessors / (blocks > 0 ? blocks : 1), 1, 8);
}

static double format_bytes(const spmm_problem *problem, const spmm_device_variant *v) {
    (void)v;
    return (double)problem->a.nrow * (double)problem->a.ncol * (double)spmm_device_number_bytes(problem) * 2;
}

/* All columns of B for bands of rows, in whole tiles and in as many rounds as the blocks take. */
static void count(const base_device_properties *device, const spmm_problem *problem,
                  const spmm_device_variant *v, double count[SPMM_TERMS]) {
    const double bands = ceil((double)problem->a.nrow / SPMM_GPU_BAND_ROWS),
                 blocks = bands * spmm_count_tiles(problem, v);
    spmm_tiles_count_blocks(problem, v,
                            ceil(blocks * (double)v->most / device->multiprocessors) *
                                device->multiprocessors / (double)v->most,
                            count);
    /* One tile of products takes less time than reading A: 0.66 of the time otherwise, by seven matrices
     * (H100). */
    if (spmm_count_tiles(problem, v) < 2)
        count[SPMM_TERM_COLD] += 1.5 * fmin(count[SPMM_TERM_COLD], format_bytes(problem, v));
}

static const spmm_device_rates rates[] = {
    {SPMM_OF_3XTF32, 0, {13.47, 0, 0, 0, 0, 0, 0, 7.125, 0.05206, 0.106}},
    {0},
};

const spmm_device_family spmm_family_splits = {.name = "splits",
                                               .precisions = SPMM_OF_3XTF32,
                                               .reason = reason,
                                               .configure = configure,
                                               .count = count,
                                               .format_bytes = format_bytes,
                                               .rates = rates};
