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

/* Warps of a multiprocessor, if a thread has 16 bytes of a row of C. */
static double count_warps(const base_device_properties *device, const spmm_problem *problem) {
    const double vectors = fmax((double)spmm_device_vectors(problem), 4);
    return (double)problem->a.nrow * vectors / 32 / device->multiprocessors;
}

/* From here on a row has the time to be shared by subwarps of narrow tiles, which keep more of B near. */
enum { LONG_ROW = 230 };

/* Tiles as wide as B, but narrower ones for long rows where that gives a device the blocks it lacks, and
 * where many warps walk through a B that is not small. Rows of hundreds of entries have tiles of 32
 * columns, or of 64 where B has no more and there are ten warps; not where A would be read for more than 128
 * vectors of B. These take 0.8 to 0.95 of the time of wider ones (nine random matrices with rows of 245 to
 * 1900 entries, H100). */
static int choose_lanes(const spmm_problem *problem, double length, double warps) {
    const int64_t vectors = spmm_device_vectors(problem), bytes = spmm_device_number_bytes(problem);
    int widest = vectors < 32 ? 16 : 32;
    if (length >= LONG_ROW && vectors <= 128 && bytes > 2)
        widest = bytes == 4 && (vectors > 16 || warps < 10) ? 8 : 16;
    else if (length >= 400 && vectors <= 128)
        widest = vectors <= 64 ? 8 : 16;
    else if (length >= 64 && warps < 8)
        widest = 8;
    else if (length >= 64 && warps < 16)
        widest = 16;
    else if (length >= 100 && warps >= 56 && vectors <= 128 && problem->profile.columns_used >= 4096)
        widest = 16;
    return spmm_device_fit_lanes(problem, spmm_device_lanes(problem, widest));
}

/* Where a device has many warps, each subwarp has its own rows. Else a warp shares one that is long, and any
 * if there are few; two subwarps do where tiles have 64 bytes, which give a thread little to do. */
static int count_subwarps(int lanes, double length, double warps) {
    if (length < 16 || (warps >= 48 && length < LONG_ROW))
        return 1;
    if (length >= 64 || warps < (lanes == 4 ? 4 : 8))
        return 32 / lanes;
    return lanes == 4 ? 2 : 1;
}

/* Loads under way in a thread: fewer where even rows end after them, or many subwarps have their own. */
static int choose_depth(const spmm_problem *problem, const spmm_device_variant *v, double length,
                        double warps) {
    if (!spmm_device_is_even(problem))
        return 8;
    if (v->lanes == 8 && length >= 128)
        return 8;
    if (v->subwarps == 1)
        return (v->lanes == 8 && length < 12) || (v->lanes >= 16 && length < 24) ? 4 : 8;
    const bool has_many = v->subwarps == 8 || (v->lanes == 8 && spmm_device_number_bytes(problem) > 2);
    return length < 8 * v->subwarps || (has_many && warps >= 8) ? 4 : 8;
}

/* For rows of fewer than 100 entries this is a few percent from the fastest of all variants, by 25 matrices
 * with 16 and 64 columns (H200). Even rows stay whole where there are enough: pieces walk through B on their
 * own and take 1.1 to 1.8 times as long (14 random matrices with rows of 230 to 400 entries, H100). */
static void configure(const spmm_device_family *family, const base_device_properties *device,
                      const spmm_problem *problem, spmm_device_variant *v) {
    enum { LEAST_WARPS = 6, MOST_ENTRIES = 4096 };
    (void)family;
    v->code = &spmm_code_rows;
    const bool is_even = spmm_device_is_even(problem);
    const double length = spmm_device_row_length(problem), warps = count_warps(device, problem);
    v->most = length <= 48 ? 64 : is_even ? 256 : 128;
    if (is_even && warps >= LEAST_WARPS)
        v->most = spmm_device_clamp(problem->profile.longest_row, v->most, MOST_ENTRIES);
    v->tiles_first = true;
    v->lanes = choose_lanes(problem, length, warps);
    spmm_count_fit_lanes(device, problem, v);
    v->subwarps = count_subwarps(v->lanes, length, warps);
    v->depth = choose_depth(problem, v, length, warps);
}

static void count(const base_device_properties *device, const spmm_problem *problem,
                  const spmm_device_variant *v, double count[SPMM_TERMS]) {
    const double nnz = (double)problem->a.nnz;
    (void)device;
    spmm_count_reads(problem, v, nnz, count);
    /* Pieces of rows take 1.1 to 1.8 times as long as whole ones; the prices are nearest with this. */
    if (spmm_device_row_length(problem) > (double)v->most)
        count[SPMM_TERM_FAR] *= 1.2;
    count[SPMM_TERM_STEP] = (double)problem->profile.rows_used * spmm_count_tiles(problem, v);
    count[SPMM_TERM_ENTRY] = spmm_device_is_even(problem) ? 0 : nnz * spmm_count_tiles(problem, v);
}

static const spmm_device_rates rates[] = {
    {SPMM_OF_SHORT, false, {5.99, 0, 0, 0.08597, 0.06422, 5.975, 0, 0, 0.2278, 0.2241}},
    {SPMM_OF_SINGLE, false, {6.289, 0, 0, 0.08744, 0.06044, 2.715, 6.208, 0, 0.05, 0.1793}},
    {SPMM_OF_DOUBLE, false, {6.471, 0, 0, 0.08464, 0.04774, 3.977, 0, 0, 0.137, 0.2275}},
    {0},
};

const spmm_device_family spmm_family_rows = {.name = "rows",
                                             .precisions = SPMM_OF_ALL,
                                             .configure = configure,
                                             .count = count,
                                             .format_bytes = spmm_count_row_bytes,
                                             .rates = rates};
