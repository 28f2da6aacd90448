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
    return threads / device->multiprocessors / count_resident(problem, v);
}

/* Rows of a few entries are not shared, and are loaded at once: where there are many rounds, more threads
 * help more than more loads (65328 rows of 6 entries, 64 columns of doubles: 33 us with 4 loads, 38 with 8;
 * H200). */
static bool is_candidate(const base_device_properties *device, const spmm_problem *problem,
                         const spmm_device_variant *v) {
    enum { SHARED_ENTRIES = 16, FEW_ENTRIES = 12, FEW_ROUNDS = 3 };
    const int64_t vectors = spmm_device_vectors(problem);
    const double length = spmm_device_row_length(problem);
    if ((v->lanes < 32 && v->lanes * 8 < vectors) || (v->lanes < 4 && vectors > 2) ||
        (v->lanes > 4 && v->lanes > vectors) || (v->subwarps > 1 && length < SHARED_ENTRIES))
        return false;
    return v->depth == 4 || length >= FEW_ENTRIES || count_rounds(device, problem, v) <= FEW_ROUNDS;
}

/* Whether a multiprocessor has fewer than 8 rows, and few columns: then pieces of rows keep it busier. */
static bool is_small(const base_device_properties *device, const spmm_problem *problem) {
    return problem->a.nrow < 8 * device->multiprocessors && spmm_device_vectors(problem) <= 4;
}

/* The cheapest variant. By times of all variants it takes 2 to 4 percent longer than the fastest in the mean
 * (45 matrices of all kinds with 16 to 1024 columns, H200). Even rows stay whole, as pieces walk through B on
 * their own and take 1.1 to 1.8 times as long (14 random matrices with rows of 230 to 400 entries, H100). Of
 * uneven ones those above 32 or 64 entries are done by whole blocks. */
static void configure(const spmm_device_family *family, const base_device_properties *device,
                      const spmm_problem *problem, spmm_device_variant *v) {
    const bool is_whole = spmm_device_is_even(problem) && !is_small(device, problem);
    const int64_t whole = spmm_device_clamp(problem->profile.longest_row, 64, 4096),
                  first = is_whole ? whole : 32, last = is_whole ? whole : 64;
    double least = INFINITY;
    for (const spmm_device_listed *listed = variants; listed->precisions != 0; listed++) {
        spmm_device_variant variant = listed->variant;
        for (variant.most = first; variant.most <= last; variant.most *= 2)
            if ((listed->precisions >> problem->precision & 1) != 0 &&
                is_candidate(device, problem, &variant))
                spmm_device_take_cheaper_order(family, device, problem, &variant, &least, v);
    }
}

/* Loads that a subwarp does one after the other: in each round those of the longest row of a warp; of uneven
 * rows those of a row, and once those of the longest. */
static double count_chain(const spmm_problem *problem, const spmm_device_variant *v, double rounds) {
    const double most = (double)v->most, each = v->subwarps * v->depth,
                 longest = spmm_count_longest(problem, 32.0 / v->lanes / v->subwarps, most);
    if (spmm_device_is_even(problem))
        return rounds * ceil(longest / each);
    return rounds * ceil(fmin(spmm_device_row_length(problem), most) / each) + ceil(longest / each);
}

/* Rows that walk through B side by side: of even ones all that a multiprocessor has at a time do so, but do
 * not keep step: it helps as much as if the square root of their number did. */
static double count_beside(const spmm_problem *problem, const spmm_device_variant *v, double rounds) {
    const double tiles = spmm_count_tiles(problem, v),
                 rows = count_resident(problem, v) / (v->lanes * v->subwarps) * fmin(1, rounds);
    return spmm_device_is_even(problem) ? sqrt(fmax(1, v->tiles_first ? rows : rows / tiles)) : 1;
}

/* Loads come from the second-level cache `depth` by `depth`. A row is begun and stored in the time of
 * ROW_ENTRIES. The sums of subwarps are added in pairs, each a step of the warp as an entry is. */
static void count(const base_device_properties *device, const spmm_problem *problem,
                  const spmm_device_variant *v, double count[SPMM_TERMS]) {
    enum { ROW_ENTRIES = 8 };
    const double nnz = (double)problem->a.nnz, rows = (double)problem->profile.rows_used,
                 bytes = (double)(problem->n * spmm_device_number_bytes(problem)),
                 tile_bytes = spmm_count_tile_bytes(problem, v), tiles = spmm_count_tiles(problem, v),
                 part = count_rounds(device, problem, v), rounds = fmax(1, ceil(part)),
                 together = spmm_count_together(problem, count_beside(problem, v, part)),
                 far = fmin(together, spmm_count_far(&problem->profile, nnz, tile_bytes, 0, 0));
    count[SPMM_TERM_FAR] = far * bytes * spmm_count_spread(problem, v, part);
    count[SPMM_TERM_NEAR] = (nnz - far) * bytes;
    count[SPMM_TERM_CHAIN] = count_chain(problem, v, rounds);
    count[SPMM_TERM_REDUCTION] = rounds;
    count[SPMM_TERM_ENTRY] = (nnz + ROW_ENTRIES * rows) * tiles;
    count[SPMM_TERM_STEP] = (nnz + rows * v->subwarps * log2(v->subwarps)) * tiles * v->lanes / 32;
}

/* Long rows of floats take 0.95 times as long as others, but for the start (45 random matrices with rows of
 * 250 to 2300 entries, H100 and H200). */
static int kind(const spmm_problem *problem, const spmm_device_variant *v) {
    enum { LONG = 250 };
    const int found = spmm_count_kind(problem, v);
    return found == SPMM_ROWS_UNIFORM && spmm_device_number_bytes(problem) == 4 &&
                   spmm_device_row_length(problem) >= LONG
               ? SPMM_ROWS_LONG
               : found;
}

static const spmm_device_rates rates[] = {
    {SPMM_OF_SHORT, SPMM_ROWS_EVEN, {4.968, 0.2797, 0.4181, 0.0006844, 0, 0.7584, 28.35, 0, 0.06176, 0.1795}},
    {SPMM_OF_SINGLE, SPMM_ROWS_EVEN, {4.934, 0.2527, 0.2157, 0.009796, 0, 1.24, 19.13, 0, 0.05, 0.1742}},
    {SPMM_OF_DOUBLE, SPMM_ROWS_EVEN, {5.152, 0.1478, 0.3427, 0.008992, 0, 2.074, 21.47, 0, 0.05, 0.1659}},
    {SPMM_OF_SHORT, SPMM_ROWS_UNIFORM, {5.4, 0.2717, 0.408, 0.03013, 0, 1.687, 17.63, 0, 0.06825, 0.1828}},
    {SPMM_OF_SINGLE,
     SPMM_ROWS_UNIFORM,
     {5.25, 0.2317, 0.2853, 0.04509, 0.03359, 1.274, 6.571, 0, 0.09382, 0.1942}},
    {SPMM_OF_DOUBLE,
     SPMM_ROWS_UNIFORM,
     {5.336, 0.1416, 0.4025, 0.04569, 0.01318, 2.163, 9.686, 0, 0.05, 0.144}},
    {SPMM_OF_SINGLE,
     SPMM_ROWS_LONG,
     {5.25, 0.2201, 0.271, 0.04284, 0.03191, 1.21, 6.242, 0, 0.08913, 0.1845}},
    {SPMM_OF_SHORT, SPMM_ROWS_UNEVEN, {4.6, 0.3349, 0.5304, 0, 0, 4.237, 29.05, 0, 0.1404, 0.3444}},
    {SPMM_OF_SINGLE, SPMM_ROWS_UNEVEN, {6.624, 0.08093, 0, 0, 0.006902, 2.097, 36.83, 0, 0.1194, 0.3502}},
    {SPMM_OF_DOUBLE,
     SPMM_ROWS_UNEVEN,
     {6.077, 0.000846, 0.9215, 0.02758, 0.07637, 3.705, 16.58, 0, 0.09485, 0.2618}},
    {0},
};

const spmm_device_family spmm_family_rows = {.name = "rows",
                                             .precisions = SPMM_OF_ALL,
                                             .configure = configure,
                                             .count = count,
                                             .format_bytes = spmm_count_row_bytes,
                                             .rates = rates,
                                             .kind = kind};
