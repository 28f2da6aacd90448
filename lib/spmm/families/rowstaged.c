/* SPDX-License-Identifier: BSD-3-Clause */
/* rowstaged_…: whole rows, whose entries come to all threads through shared memory. A variant's `lanes`,
 * `groups`, `threads` and `depth` are those of kernels/spmm/rowstaged. */
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

#define SPMM_ENTRY(type, lanes_, groups_, threads_, depth_)                                                  \
    {SPMM_PLAIN_TYPE(type),                                                                                  \
     {.code = &spmm_code_rowstaged,                                                                          \
      .lanes = lanes_,                                                                                       \
      .groups = groups_,                                                                                     \
      .threads = threads_,                                                                                   \
      .depth = depth_,                                                                                       \
      .most = INT32_MAX,                                                                                     \
      .tiles_first = true}},
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

/* The kernel with these lanes, groups and threads. */
static spmm_device_variant find_variant(spmm_precision precision, int lanes, int groups, int threads) {
    const spmm_device_listed *listed = variants;
    while (listed->precisions != 0 &&
           ((listed->precisions >> precision & 1) == 0 || listed->variant.lanes != lanes ||
            listed->variant.groups != groups || listed->variant.threads != threads))
        listed++;
    return listed->variant;
}

/* For uniformly random matrices: blocks of 1024 threads, which hold most rows side by side, where they fill
 * the multiprocessors, else small ones. By times, from which all the limits below come, of all variants for
 * 46 random matrices with 64, 96, 256 and 1024 columns (H100) it takes 3 percent longer than the fastest in
 * the mean, 28 at most. */
static spmm_device_variant choose_uniform(const base_device_properties *device, const spmm_problem *problem) {
    enum { BLOCK_ROWS = 64, FEW_ROWS = 4000, MANY_ROWS = 14000 };
    const int64_t rows = problem->a.nrow, vectors = spmm_device_vectors(problem);
    const double blocks = ceil((double)rows / BLOCK_ROWS) * ceil((double)vectors / 16),
                 each = fmax(blocks / device->multiprocessors, 1e-9), share = ceil(each) / each,
                 density = (double)problem->a.nnz / (double)rows / (double)problem->a.ncol;
    int lanes = 16, groups = 1, threads = 1024;
    if (spmm_device_number_bytes(problem) == 8) {
        lanes = share > 1.36 ? 32 : 16;
        threads = share > 1.36 ? 128 : 1024;
    } else if (vectors <= 16) {
        lanes = share > 1.15 && rows < 3500 ? 32 : 16;
        threads = share > 1.15 ? 128 : 1024;
    } else if (vectors < 64 && rows < MANY_ROWS) {
        /* A multiprocessor holds 48 rows in blocks of 128 threads, and 64 in blocks of 512. */
        lanes = 32;
        threads = rows > 48 * device->multiprocessors && rows <= 64 * device->multiprocessors ? 512 : 128;
    } else if (vectors <= 64 && rows >= MANY_ROWS) {
        const bool fits = vectors < 64 && (vectors + 23) / 24 * 24 * 10 <= vectors * 11;
        lanes = fits ? 8 : 16;
        groups = fits ? 3 : 1;
        threads = 512;
    } else if (each < 2 && share > 1.36) {
        lanes = density >= 0.06 ? 32 : 16;
        threads = 128;
    }
    spmm_device_variant variant = find_variant(problem->precision, lanes, groups, threads);
    variant.tiles_first = threads > 128 || rows >= FEW_ROWS; /* else tiles of a row side by side */
    return variant;
}

/* Whether that holds, of matrices as large and with rows as long as those that were measured. */
static bool is_uniform(const spmm_problem *problem, const spmm_device_variant *v) {
    enum { LEAST_ENTRIES = 100000, LEAST_LENGTH = 64 };
    return problem->a.nnz >= LEAST_ENTRIES && spmm_device_row_length(problem) >= LEAST_LENGTH &&
           spmm_count_is_uniform(problem, v);
}

/* Other matrices get the cheapest. Blocks of 1024 threads wait for their longest row. */
static void configure(const spmm_device_family *family, const base_device_properties *device,
                      const spmm_problem *problem, spmm_device_variant *v) {
    const bool is_even = spmm_device_is_even(problem);
    double least = INFINITY;
    if ((family->precisions >> problem->precision & 1) == 0)
        return;
    if (is_uniform(problem, NULL)) {
        *v = choose_uniform(device, problem);
        return;
    }
    for (const spmm_device_listed *listed = variants; listed->precisions != 0; listed++) {
        if ((listed->precisions >> problem->precision & 1) != 0 &&
            (is_even || listed->variant.threads != 1024))
            spmm_device_take_cheaper(family, device, problem, &listed->variant, &least, v);
    }
}

/* Rows of B that come from the second-level cache: rows of a block walk through their columns side by side,
 * so that each column that some of them share comes once. For as many rows as are between two heights it is
 * interpolated. */
static double count_far(const spmm_problem *problem, double rows) {
    const spmm_profile *profile = &problem->profile;
    double low = 1, columns = (double)problem->a.nnz;
    for (int h = 0; h < SPMM_HEIGHTS; h++) {
        const double high = spmm_height[h], fewer = fmin(columns, profile->vectors[h]);
        if (rows <= high)
            return columns + (fewer - columns) * log2(rows / low) / log2(high / low);
        low = high;
        columns = fewer;
    }
    return columns;
}

/* Of a tile only what B has is read. The last blocks leave multiprocessors idle: `share` is how much longer
 * the others take for that. Entries of a row come one after the other, the faster the more loads are under
 * way; a long row keeps its block waiting. */
static void count(const base_device_properties *device, const spmm_problem *problem,
                  const spmm_device_variant *v, double count[SPMM_TERMS]) {
    enum { RESIDENT = 1024 }; /* threads of a multiprocessor that a round has, about */
    const double nnz = (double)problem->a.nnz, tiles = spmm_count_tiles(problem, v),
                 rows = v->threads / v->lanes, blocks = ceil((double)problem->a.nrow / rows) * tiles,
                 each = blocks / device->multiprocessors, share = ceil(each) / fmax(each, 1e-9),
                 rounds = fmax(1, ceil(each * v->threads / RESIDENT)),
                 length = spmm_device_row_length(problem), vectors = (double)spmm_device_vectors(problem),
                 bytes = 16.0 * vectors, far = count_far(problem, rows) * bytes,
                 idle = fmax(1, v->lanes / vectors);
    count[SPMM_TERM_FAR] = far * share * spmm_count_spread(problem, v);
    count[SPMM_TERM_NEAR] = (nnz * bytes - far) * share;
    count[SPMM_TERM_ENTRY] = nnz * tiles * share * idle;
    count[SPMM_TERM_STEP] = (double)problem->profile.rows_used * tiles * share * idle;
    count[SPMM_TERM_CHAIN] = (rounds * length + 2.5 * ((double)problem->profile.longest_row - length)) *
                             (v->depth == 4 ? 1 : 1.4 + 0.4 * v->groups);
}

static const spmm_device_rates rates[] = {
    {SPMM_OF_SINGLE, false, {5.1, 0.02204, 0, 0.06203, 0.02891, 2.122, 24.61, 0, 0.08655, 0.1835}},
    {SPMM_OF_DOUBLE, false, {5.525, 0.01058, 0, 0.05973, 0.01987, 6.287, 39.83, 0, 0.1199, 0.1232}},
    {SPMM_OF_SINGLE, true, {4, 0.0233, 0, 0.04043, 0.04137, 0.7069, 194.1, 0, 0.05757, 0.7894}},
    {SPMM_OF_DOUBLE, true, {4, 0.02402, 0, 0.0455, 0.0356, 2.078, 322.5, 0, 0.05, 0.5181}},
    {0},
};

const spmm_device_family spmm_family_rowstaged = {.name = "rowstaged",
                                                  .precisions = SPMM_OF_ALL & ~SPMM_OF_SHORT,
                                                  .configure = configure,
                                                  .count = count,
                                                  .format_bytes = spmm_count_row_bytes,
                                                  .rates = rates,
                                                  .has_other_rates = is_uniform};
