/* SPDX-License-Identifier: BSD-3-Clause */
/* rows_…: segments of rows, several subwarps to a segment. A variant's `lanes`, `subwarps` and `depth` are
 * those of kernels/spmm/rows; `most`: entries of a segment. */
#include "spmm/device/configuration.h"
#include "spmm/device/count.h"
#include "spmm/families/families.h"
#include "spmm/families/segments.h"
#include "spmm/rows/contract.h"

#include <math.h>
#include <stdio.h>

extern const base_device_fatbin spmm_rows_gpu_fatbin;

/* ---- code ---- */

static void name(spmm_precision precision, const spmm_device_variant *variant, char name[48]) {
    snprintf(name, 48, "rows_%s_%d_%d_%d", spmm_device_plain_type(precision), variant->lanes,
             variant->subwarps, variant->depth);
}

static int columns(spmm_precision precision, const spmm_device_variant *variant) {
    return variant->lanes * 16 / spmm_format_bytes(spmm_format_of(precision));
}

/* A long segment has OF_SUBWARP entries for each subwarp of a block. */
static base_status prepare(const spmm_device_packing *it) {
    enum { OF_SUBWARP = 64 };
    const int lanes = it->product->variant.lanes;
    return spmm_segments_prepare(it, OF_SUBWARP * SPMM_GPU_ROWS_THREADS(lanes) / lanes);
}

static base_status submit(base_context *context, spmm_device_product *product,
                          const spmm_gpu_operands *operands, base_device_stream *stream) {
    const spmm_device_variant *variant = &product->variant;
    const int64_t threads = SPMM_GPU_ROWS_THREADS(variant->lanes),
                  workers = threads / (variant->lanes * variant->subwarps),
                  bytes = spmm_device_product_bytes(product),
                  shared_bytes = threads / 32 * variant->lanes * (bytes == 2 ? 32 : 16) + 16;
    const base_device_launch_config shape = {
        .grid = {(unsigned)((product->long_count + (product->worker_count + workers - 1) / workers) *
                            operands->tiles)},
        .block = {(unsigned)threads},
        .shared_bytes = product->long_count > 0 ? shared_bytes : 0};
    spmm_gpu_rows rows = {.segments = SPMM_DEVICE_PLACE(product->worker),
                          .parts = SPMM_DEVICE_PLACE(product->part),
                          .entry = SPMM_DEVICE_PLACE(product->entries.entry),
                          .column = SPMM_DEVICE_PLACE(product->entries.column),
                          .long_count = product->long_count,
                          .segment_count = product->worker_count,
                          .operands = *operands};
    return base_device_launch(context, &product->function, &shape, stream, (void *[]){&rows});
}

#define SPMM_ENTRY(type, lanes_, subwarps_, depth_)                                                          \
    {SPMM_PLAIN_TYPE(type),                                                                                  \
     {.code = &spmm_code_rows, .lanes = lanes_, .subwarps = subwarps_, .depth = depth_}},
static const spmm_device_listed variants[] = {
#define SPMM_EACH "spmm/rows/entry.h"
#include "spmm/rows/variants.h"
    {0}};
#undef SPMM_ENTRY

const spmm_device_code spmm_code_rows = {.variants = variants,
                                         .fatbin = &spmm_rows_gpu_fatbin,
                                         .name = name,
                                         .columns = columns,
                                         .prepare = prepare,
                                         .takes_entries = true,
                                         .submit = submit};

/* ---- the family ---- */

/* Where rows are too few for the device several subwarps share each, as wide as leave each multiprocessor
 * some thirty warps. A few rows that are hardly longer than the others are not worth blocks of their own. */
static void configure(const spmm_device_family *family, const base_device_properties *device,
                      const spmm_problem *problem, spmm_device_variant *v) {
    (void)family;
    v->code = &spmm_code_rows;
    const int64_t vectors = spmm_device_vectors(problem);
    const bool is_even = spmm_device_is_even(problem);
    const double length = spmm_device_row_length(problem);
    v->most = length <= 48 ? 64 : is_even ? 256 : 128;
    if (is_even && problem->profile.longest_row <= 2 * v->most)
        v->most *= 2;
    const double threads =
        fmax((double)problem->a.nrow, (double)problem->a.nnz / (double)v->most) * (double)vectors;
    if (threads < 1024.0 * device->multiprocessors) {
        const double wide =
            threads / ((spmm_device_number_bytes(problem) == 8 ? 16.0 : 31.0) * device->multiprocessors);
        v->lanes = (int)spmm_device_clamp(spmm_device_round_up((int64_t)wide), vectors < 8 ? 4 : 8,
                                          spmm_device_clamp(spmm_device_round_up(vectors), 4, 16));
        v->subwarps = 32 / v->lanes;
    } else {
        v->lanes = vectors > 32 ? 32 : spmm_device_lanes(problem, 16);
        v->subwarps = 1;
    }
    const int fit = spmm_device_fit_lanes(problem, v->lanes);
    if (v->subwarps > 1)
        v->subwarps *= v->lanes / fit;
    v->lanes = fit;
    v->depth = (v->subwarps == 8 && length < 64) || (is_even && v->subwarps == 1 && v->lanes == 8) ? 4 : 8;
    v->tiles_first = true;
    if (length >= 512 && vectors >= 16) { /* a block has a row to itself: narrow tiles give more blocks */
        v->lanes = 4;
        v->subwarps = 8;
        v->depth = 8;
    }
    if (spmm_device_number_bytes(problem) == 8 && vectors >= 64 && length < 48 &&
        v->subwarps > 1) { /* whole rows are short enough */
        v->subwarps = 1;
        v->depth = 4;
    }
}

static void count(const base_device_properties *device, const spmm_problem *problem,
                  const spmm_device_variant *v, double count[SPMM_TERMS]) {
    const double nnz = (double)problem->a.nnz;
    (void)device;
    spmm_count_reads(problem, v, nnz, count);
    count[SPMM_TERM_ENTRY] = spmm_device_is_even(problem) ? 0 : nnz * spmm_count_tiles(problem, v);
}

static const spmm_device_rates rates[] = {
    {SPMM_OF_SHORT, false, {6.02, 0, 0, 0.0911, 0.05559, 5.916, 0, 0, 0.1883, 0.3443}},
    {SPMM_OF_SINGLE, false, {5.334, 0, 0, 0.08222, 0.04339, 3.07, 0, 0, 0.1671, 0.2829}},
    {SPMM_OF_DOUBLE, false, {5.027, 0, 0, 0.09014, 0.04658, 2.575, 0, 0, 0.1992, 0.3942}},
    {0},
};

const spmm_device_family spmm_family_rows = {.name = "rows",
                                             .precisions = SPMM_OF_ALL,
                                             .configure = configure,
                                             .count = count,
                                             .format_bytes = spmm_count_row_bytes,
                                             .rates = rates};
