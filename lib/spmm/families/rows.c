/* SPDX-License-Identifier: BSD-3-Clause */
/* rows_…: segments of rows, several subwarps to a segment. A variant's `lanes`, `subwarps` and `depth` are
 * those of kernels/spmm/rows; `most`: entries of a segment. */
#include "spmm/device/configuration.h"
#include "spmm/device/count.h"
#include "spmm/device/price.h"
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

enum { MOST_ENTRIES = 4096 }; /* of a segment */

/* Warps of a multiprocessor, if a thread has 16 bytes of a row of C. */
static double count_warps(const base_device_properties *device, const spmm_problem *problem) {
    const double vectors = fmax((double)spmm_device_vectors(problem), 4);
    return (double)problem->a.nrow * vectors / 32 / device->multiprocessors;
}

/* From here on a row has the time to be shared by subwarps of narrow tiles, which keep more of B near. */
enum { LONG_ROW = 230 };

/* The smallest for 16 columns of 16 bits. Else tiles as wide as B, but narrower ones for long rows where that
 * gives a device the blocks it lacks, and where many warps walk through a B that is not small. Rows of
 * hundreds of entries have tiles of 32 columns, or of 64 where B has no more and there are ten warps; not
 * where A would be read for more than 128 vectors of B. These take 0.8 to 0.95 of the time of wider ones
 * (nine random matrices with rows of 245 to 1900 entries, H100). */
static int choose_lanes(const spmm_problem *problem, double length, double warps) {
    const int64_t vectors = spmm_device_vectors(problem), bytes = spmm_device_number_bytes(problem);
    int widest = vectors < 32 ? 16 : 32;
    if (bytes == 2 && vectors <= 2)
        return 2;
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
 * if there are few; two subwarps do where tiles have 64 bytes, which give a thread little to do, and four
 * where they have 32. */
static int count_subwarps(int lanes, double length, double warps) {
    if (lanes == 2)
        return length < 8 || (length < 20 && warps >= 24) ? 1 : 4;
    if (length < 16 || (warps >= 48 && length < LONG_ROW))
        return 1;
    if (length >= 64 || warps < (lanes == 4 ? 4 : 8))
        return 32 / lanes;
    return lanes == 4 ? 2 : 1;
}

/* Of uneven rows, or few of them, which are cut: pieces of long ones are done side by side. */
static void configure_cut(const base_device_properties *device, const spmm_problem *problem,
                          spmm_device_variant *v) {
    const double length = spmm_device_row_length(problem), warps = count_warps(device, problem);
    v->code = &spmm_code_rows;
    v->most = length <= 48 ? 64 : spmm_device_is_even(problem) ? 256 : 128;
    v->tiles_first = true;
    v->lanes = choose_lanes(problem, length, warps);
    spmm_count_fit_lanes(device, problem, v);
    v->subwarps = count_subwarps(v->lanes, length, warps);
    v->depth = 8;
}

/* Threads that a multiprocessor has registers for. */
static double count_resident(const spmm_problem *problem, const spmm_device_variant *v) {
    const bool is_single = spmm_device_number_bytes(problem) == 4;
    if (v->depth == 4)
        return is_single ? 1536 : 1280;
    return is_single ? 1152 : 1024;
}

/* Blocks come in rounds, since a multiprocessor has registers for so many. */
static double count_rounds(const base_device_properties *device, const spmm_problem *problem,
                           const spmm_device_variant *v) {
    const double length = fmin(spmm_device_row_length(problem), (double)v->most),
                 segments = (double)problem->a.nnz / fmax(length, 1),
                 threads = segments * spmm_count_tiles(problem, v) * v->lanes * v->subwarps;
    return ceil(threads / device->multiprocessors / count_resident(problem, v));
}

/* Whether a variant may be taken for even rows. Rows of a few entries are loaded at once: where there are
 * many rounds, more threads help more than more loads (65328 rows of 6 entries, 64 columns of doubles: 33 us
 * with 4 loads, 38 with 8; H200). */
static bool is_candidate(const base_device_properties *device, const spmm_problem *problem,
                         const spmm_device_variant *v) {
    enum { FEW_ENTRIES = 12, FEW_ROUNDS = 3 };
    const int64_t vectors = spmm_device_vectors(problem);
    if ((v->lanes < 32 && v->lanes * 8 < vectors) || (v->lanes < 4 && vectors > 2) ||
        (v->lanes > 4 && v->lanes > vectors))
        return false;
    return v->depth == 4 || spmm_device_row_length(problem) >= FEW_ENTRIES ||
           count_rounds(device, problem, v) <= FEW_ROUNDS;
}

/* Of even rows, which stay whole, the cheapest variant, with the tiles of a row one after the other or side
 * by side: pieces walk through B on their own and take 1.1 to 1.8 times as long (14 random matrices with rows
 * of 230 to 400 entries, H100). By times of all variants the choice takes 2 to 4 percent longer than the
 * fastest in the mean: 46 random matrices with 16, 64 and 96 columns, and 58 bands, blocks and grids with 16
 * (H200). */
static void configure_even(const spmm_device_family *family, const base_device_properties *device,
                           const spmm_problem *problem, spmm_device_variant *v) {
    const int64_t most = spmm_device_clamp(problem->profile.longest_row, 64, MOST_ENTRIES);
    double least = INFINITY;
    for (const spmm_device_listed *listed = variants; listed->precisions != 0; listed++) {
        spmm_device_variant variant = listed->variant;
        variant.most = most;
        if ((listed->precisions >> problem->precision & 1) == 0 || !is_candidate(device, problem, &variant))
            continue;
        for (int first = 0; first < 2; first++) {
            variant.tiles_first = first == 0;
            spmm_device_take_cheaper(family, device, problem, &variant, &least, v);
        }
    }
}

/* Whether a multiprocessor has fewer than 8 rows, and few columns: then pieces of rows keep it busier. */
static bool is_small(const base_device_properties *device, const spmm_problem *problem) {
    return problem->a.nrow < 8 * device->multiprocessors && spmm_device_vectors(problem) <= 4;
}

static void configure(const spmm_device_family *family, const base_device_properties *device,
                      const spmm_problem *problem, spmm_device_variant *v) {
    if (spmm_device_is_even(problem) && !is_small(device, problem))
        configure_even(family, device, problem, v);
    else
        configure_cut(device, problem, v);
}

/* Entries that the longest row of a warp has, or those of a piece. Lengths of even rows spread as chance has
 * it (Poisson). */
static double count_longest(const spmm_problem *problem, const spmm_device_variant *v) {
    /* What the longest of 1, 2, 4, 8 and 16 has beyond the mean, in standard deviations. */
    static const double beyond[] = {0, 0.56, 1.03, 1.42, 1.77};
    const double length = fmin(spmm_device_row_length(problem), (double)v->most),
                 longest = fmin((double)problem->profile.longest_row, (double)v->most);
    if (!spmm_device_is_even(problem))
        return longest;
    return fmin(longest, length + beyond[(int)log2(32.0 / v->lanes / v->subwarps)] * sqrt(length));
}

/* In each round a warp waits for its longest row, whose loads come from the second-level cache `depth` by
 * `depth`. A row is begun and stored in the time of ROW_ENTRIES. The sums of subwarps are added in
 * pairs, each a step of the warp as an entry is. */
static void count(const base_device_properties *device, const spmm_problem *problem,
                  const spmm_device_variant *v, double count[SPMM_TERMS]) {
    enum { ROW_ENTRIES = 8 };
    const double nnz = (double)problem->a.nnz, rows = (double)problem->profile.rows_used,
                 bytes = (double)(problem->n * spmm_device_number_bytes(problem)),
                 far = spmm_count_far(&problem->profile, nnz, spmm_count_tile_bytes(problem, v), 0, 0),
                 tiles = spmm_count_tiles(problem, v), rounds = count_rounds(device, problem, v);
    count[SPMM_TERM_FAR] = far * bytes * spmm_count_spread(problem, v);
    count[SPMM_TERM_NEAR] = (nnz - far) * bytes;
    count[SPMM_TERM_CHAIN] = rounds * ceil(count_longest(problem, v) / (v->subwarps * v->depth));
    count[SPMM_TERM_REDUCTION] = rounds;
    count[SPMM_TERM_ENTRY] = (nnz + ROW_ENTRIES * rows) * tiles;
    count[SPMM_TERM_STEP] = (nnz + rows * v->subwarps * log2(v->subwarps)) * tiles * v->lanes / 32;
}

static const spmm_device_rates rates[] = {
    {SPMM_OF_SHORT, false, {4.825, 0.3428, 0.4474, 0, 0, 0.63, 28.93, 0, 0.05, 0.1}},
    {SPMM_OF_SINGLE, false, {4.983, 0.3353, 0, 0.01457, 0, 1.668, 15.48, 0, 0.05, 0.185}},
    {SPMM_OF_DOUBLE, false, {4.862, 0.3397, 0, 0.0244, 0.002917, 2.218, 14.19, 0, 0.05197, 0.1776}},
    {SPMM_OF_SHORT, true, {5.21, 0.2647, 0.5331, 0.02401, 0, 1.767, 13.82, 0, 0.1606, 0.2046}},
    {SPMM_OF_SINGLE, true, {5.032, 0.1819, 0.4537, 0.04084, 0.03911, 1.71, 7.55, 0, 0.05, 0.2886}},
    {SPMM_OF_DOUBLE, true, {5.056, 0.1602, 0.4779, 0.04161, 0.04381, 2.152, 8.625, 0, 0.07014, 0.2967}},
    {0},
};

const spmm_device_family spmm_family_rows = {.name = "rows",
                                             .precisions = SPMM_OF_ALL,
                                             .configure = configure,
                                             .count = count,
                                             .format_bytes = spmm_count_row_bytes,
                                             .rates = rates,
                                             .has_other_rates = spmm_count_is_uniform};
