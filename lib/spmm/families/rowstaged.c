/* SPDX-License-Identifier: BSD-3-Clause */
/* rowstaged_…: whole rows, whose entries come to all threads through shared memory. A variant's `lanes`,
 * `groups`, `threads`, `resident` and `depth` are those of kernels/spmm/rowstaged. */
#include "spmm/device/configuration.h"
#include "spmm/device/count.h"
#include "spmm/device/price.h"
#include "spmm/families/families.h"
#include "spmm/families/segments.h"
#include "spmm/rowstaged/contract.h"

#include <math.h>
#include <stdio.h>

extern const base_device_fatbin spmm_rowstaged_gpu_fatbin;

/* ---- code ---- */

static void name(spmm_precision precision, const spmm_device_variant *variant, char name[48]) {
    snprintf(name, 48, "rowstaged_%s_%d_%d_%d", spmm_device_plain_type(precision), variant->lanes,
             variant->groups, variant->threads);
}

static int columns(spmm_precision precision, const spmm_device_variant *variant) {
    return variant->lanes * variant->groups * 16 / spmm_format_bytes(spmm_format_of(precision));
}

static base_status prepare(const spmm_device_packing *it) {
    return spmm_segments_prepare(it, INT32_MAX);
}

static base_status submit(base_context *context, spmm_device_product *product,
                          const spmm_gpu_operands *operands, base_device_stream *stream) {
    const int threads = product->variant.threads;
    const int64_t workers = threads / product->variant.lanes;
    const base_device_launch_config shape = {
        .grid = {(unsigned)((product->worker_count + workers - 1) / workers * operands->tiles)},
        .block = {(unsigned)threads}};
    spmm_gpu_rows rows = {.segments = SPMM_DEVICE_PLACE(product->worker),
                          .entry = SPMM_DEVICE_PLACE(product->entries.entry),
                          .column = SPMM_DEVICE_PLACE(product->entries.column),
                          .segment_count = product->worker_count,
                          .operands = *operands};
    return base_device_launch(context, &product->function, &shape, stream, (void *[]){&rows});
}

#define SPMM_ENTRY(type, lanes_, groups_, threads_, resident_, depth_)                                       \
    {SPMM_PLAIN_TYPE(type),                                                                                  \
     {.code = &spmm_code_rowstaged,                                                                          \
      .lanes = lanes_,                                                                                       \
      .groups = groups_,                                                                                     \
      .threads = threads_,                                                                                   \
      .resident = resident_,                                                                                 \
      .depth = depth_,                                                                                       \
      .most = INT32_MAX}},
static const spmm_device_listed variants[] = {
#define SPMM_EACH "spmm/rowstaged/entry.h"
#include "spmm/rowstaged/variants.h"
    {0}};
#undef SPMM_ENTRY

const spmm_device_code spmm_code_rowstaged = {.variants = variants,
                                              .fatbin = &spmm_rowstaged_gpu_fatbin,
                                              .name = name,
                                              .columns = columns,
                                              .prepare = prepare,
                                              .takes_entries = true,
                                              .submit = submit};

/* ---- the family ---- */

/* Blocks of 1024 threads wait for their longest row. Tiles that are twice as wide as B leave half of the
 * threads, or of the loads of each, without work. Several groups share less of B: 4096 x 12288 with rows of
 * 1229, 1024 columns of doubles, took 3640 us with them and 2650 with one (H200). */
static bool is_candidate(const spmm_problem *problem, const spmm_device_variant *v) {
    enum { NARROW = 16, LONG_ROW = 500 };
    const int64_t wide = v->lanes * v->groups;
    return (wide <= NARROW || wide < 2 * spmm_device_vectors(problem)) &&
           (v->threads < 1024 || spmm_device_is_even(problem)) &&
           (v->groups == 1 || spmm_device_row_length(problem) < LONG_ROW);
}

/* The cheapest variant. By times of all variants it takes 4 to 6 percent longer than the fastest in the mean
 * (40 matrices of all kinds with 16 to 1024 columns, H200). */
static void configure(const spmm_device_family *family, const base_device_properties *device,
                      const spmm_problem *problem, spmm_device_variant *v) {
    spmm_device_choose_cheapest(family, device, problem, variants, is_candidate, v);
}

/* A multiprocessor holds so many blocks (ROWSTAGED_RESIDENT): they come in rounds, and each waits for its
 * longest row, whose entries come `depth` by `depth`. A warp takes an entry of each of its rows at a time,
 * and so has those of the longest; a row is begun and stored in the time of ROW_ENTRIES. `share` is how much
 * longer that takes as the last blocks leave multiprocessors idle: about half of what it would if they did
 * not run the faster for it. */
static void count(const base_device_properties *device, const spmm_problem *problem,
                  const spmm_device_variant *v, double count[SPMM_TERMS]) {
    enum { ROW_ENTRIES = 8 };
    const double nnz = (double)problem->a.nnz, used = (double)problem->profile.rows_used,
                 tiles = spmm_count_tiles(problem, v), rows = (double)v->threads / v->lanes,
                 each = ceil((double)problem->a.nrow / rows) * tiles / device->multiprocessors,
                 rounds = fmax(1, ceil(each / v->resident)), share = (1 + ceil(each) / fmax(each, 1e-9)) / 2,
                 bytes = 16.0 * (double)spmm_device_vectors(problem),
                 far = spmm_count_together(problem, rows) * bytes,
                 entries = spmm_device_is_even(problem)
                               ? used * spmm_count_longest(problem, 32.0 / v->lanes, INFINITY)
                               : nnz,
                 warps = tiles * v->lanes / 32 * share;
    count[SPMM_TERM_FAR] = far * share * spmm_count_spread(problem, v, INFINITY);
    count[SPMM_TERM_NEAR] = (nnz * bytes - far) * share;
    count[SPMM_TERM_ENTRY] = (entries + ROW_ENTRIES * used) * warps;
    count[SPMM_TERM_STEP] = entries * warps * v->groups;
    count[SPMM_TERM_CHAIN] = rounds * spmm_count_longest(problem, rows, INFINITY) / v->depth;
    count[SPMM_TERM_REDUCTION] = rounds;
    spmm_count_rereads(device, problem, v, count);
}

static const spmm_device_rates rates[] = {
    {SPMM_OF_SINGLE,
     SPMM_ROWS_EVEN,
     {5.428, 0.04667, 0.5202, 0.006642, 0.003441, 2.458, 15.48, 0, 0.1123, 0.2205}},
    {SPMM_OF_DOUBLE,
     SPMM_ROWS_EVEN,
     {5.52, 0.1221, 0.1477, 0.0228, 0.004911, 5.828, 7.981, 0, 0.1257, 0.1992}},
    {SPMM_OF_SINGLE,
     SPMM_ROWS_UNIFORM,
     {6.808, 0.06975, 0.2208, 0.03335, 0.01665, 0, 13.48, 0, 0.122, 0.3441}},
    {SPMM_OF_DOUBLE, SPMM_ROWS_UNIFORM, {7.268, 0.156, 0.29, 0.0454, 0.02031, 1.102, 7.054, 0, 0.05, 0.1855}},
    {SPMM_OF_SINGLE, SPMM_ROWS_UNEVEN, {9.108, 0.001083, 0, 0.1285, 0.3044, 5.174, 35.33, 0, 0.05, 0.1189}},
    {SPMM_OF_DOUBLE, SPMM_ROWS_UNEVEN, {7.36, 0.0006308, 0.8883, 0, 0.02745, 0, 105.6, 0, 0.05, 0.1}},
    {0},
};

const spmm_device_family spmm_family_rowstaged = {.name = "rowstaged",
                                                  .precisions = SPMM_OF_ALL & ~SPMM_OF_SHORT,
                                                  .configure = configure,
                                                  .count = count,
                                                  .format_bytes = spmm_count_row_bytes,
                                                  .rates = rates,
                                                  .kind = spmm_count_kind};
