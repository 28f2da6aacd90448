/* SPDX-License-Identifier: BSD-3-Clause */
/* The device kernels for SpMM without tensor cores on the CPU, in the formats that device kernels make. */
#define SHIM_STACK_BYTES (96 << 10)
#include "shim.h"

#include "spmm/bstationary/gpu.cu"
#include "spmm/merge/gpu.cu"
#include "spmm/reduction/gpu.cu"
#include "spmm/rowpairs/gpu.cu"
#include "spmm/rows/gpu.cu"
#include "spmm/rowstaged/gpu.cu"

#include "tests/support/spmm_pack.h"
#include "tests/support/spmm_product.h"

/* ---- kernels ---- */

/* All of each family, by kernels/spmm/…/variants.h. */
#define ROWS(type, lanes, subwarps, depth)                                                                   \
    {#type, rows_##type##_##lanes##_##subwarps##_##depth, lanes, subwarps},
#define SPMM_ENTRY(type, lanes, subwarps, depth) ROWS(type, lanes, subwarps, depth)
static const struct {
    const char *name;
    void (*run)(const spmm_gpu_rows rows);
    int lanes, subwarps;
} row_kernels[] = {
#define SPMM_EACH "spmm/rows/entry.h"
#include "spmm/rows/variants.h"
};
#undef SPMM_ENTRY

#define MERGE(type, lanes, depth) {#type, merge_##type##_##lanes##_##depth, lanes, depth},
#define SPMM_ENTRY(type, lanes, depth) MERGE(type, lanes, depth)
static const struct {
    const char *name;
    void (*run)(const spmm_gpu_merge merge);
    int lanes, depth;
} merge_kernels[] = {
#define SPMM_EACH "spmm/merge/entry.h"
#include "spmm/merge/variants.h"
};
#undef SPMM_ENTRY

#define ROWPAIRS(type, lanes, groups) {#type, rowpairs_##type##_##lanes##_##groups, lanes, groups},
#define SPMM_ENTRY(type, lanes, groups) ROWPAIRS(type, lanes, groups)
static const struct {
    const char *name;
    void (*run)(const spmm_gpu_rowpairs rowpairs);
    int lanes, groups;
} rowpair_kernels[] = {
#define SPMM_EACH "spmm/rowpairs/entry.h"
#include "spmm/rowpairs/variants.h"
};
#undef SPMM_ENTRY

#define ROWSTAGED(type, lanes, groups, threads)                                                              \
    {#type, rowstaged_##type##_##lanes##_##groups##_##threads, lanes, groups, threads},
#define SPMM_ENTRY(type, lanes, groups, threads, resident, depth) ROWSTAGED(type, lanes, groups, threads)
static const struct {
    const char *name;
    void (*run)(const spmm_gpu_rows rows);
    int lanes, groups, threads;
} rowstaged_kernels[] = {
#define SPMM_EACH "spmm/rowstaged/entry.h"
#include "spmm/rowstaged/variants.h"
};
#undef SPMM_ENTRY

#define BSTATIONARY(type, side, each, subwarps)                                                              \
    {#type, bstationary_##type##_##side##_##each##_##subwarps, side, each},
#define SPMM_ENTRY(type, side, each, subwarps) BSTATIONARY(type, side, each, subwarps)
static const struct {
    const char *name;
    void (*run)(const spmm_gpu_bstationary bstationary);
    int side, each;
} bstationary_kernels[] = {
#define SPMM_EACH "spmm/bstationary/entry.h"
#include "spmm/bstationary/variants.h"
};
#undef SPMM_ENTRY

typedef struct launch {
    void (*rows)(const spmm_gpu_rows rows);
    void (*merge)(const spmm_gpu_merge merge);
    void (*bstationary)(const spmm_gpu_bstationary bstationary);
    void (*rowpairs)(const spmm_gpu_rowpairs rowpairs);
    void (*reduction)(const spmm_gpu_reduction reduction);
    spmm_gpu_rows row_arguments;
    spmm_gpu_merge merge_arguments;
    spmm_gpu_bstationary bstationary_arguments;
    spmm_gpu_rowpairs rowpair_arguments;
    spmm_gpu_reduction reduction_arguments;
} launch;

static void thread(void *arguments) {
    const launch *it = arguments;
    if (it->rows != NULL)
        it->rows(it->row_arguments);
    else if (it->merge != NULL)
        it->merge(it->merge_arguments);
    else if (it->bstationary != NULL)
        it->bstationary(it->bstationary_arguments);
    else if (it->rowpairs != NULL)
        it->rowpairs(it->rowpair_arguments);
    else if (it->reduction != NULL)
        it->reduction(it->reduction_arguments);
}

/* Adds the parts that one of the others left. */
static void run_reduction(const product *it, const packed *format, const spmm_gpu_operands *operands) {
    static void (*const kernels[SPMM_FORMATS])(const spmm_gpu_reduction reduction) = {
        reduction_half, reduction_bfloat, reduction_float, reduction_double};
    const int each = 1 << base_random_below(&numbers, 3);
    launch launch = {
        .reduction = kernels[spmm_format_of(it->precision)],
        .reduction_arguments = {
            .parts = format->part, .part_count = format->part_count, .each = each, .operands = *operands}};
    if (format->part_count > 0)
        start_threads(thread, &launch, (format->part_count + each - 1) / each, SPMM_GPU_THREADS, 32);
}

/* Runs or segments, of at most `most` entries or so. */
static packed pack(const product *it, bool merges, int most) {
    const spmm_pack_matrix a = pack_matrix_of(&it->a, it->precision);
    packed format = packed_rows(&a, merges, most);
    format.entry = packed_entries(&a);
    format.column = pack_room(a.nnz + SPMM_GPU_ENTRIES_BEHIND, sizeof *format.column);
    memcpy(format.column, a.column, (size_t)a.nnz * sizeof *format.column);
    return format;
}

static int64_t vectors_of(const product *it) {
    return (it->n * spmm_format_bytes(spmm_format_of(it->precision)) + 15) / 16;
}

static bool run_rows(const product *it, size_t kernel) {
    const int64_t lanes = row_kernels[kernel].lanes, vectors = vectors_of(it),
                  tiles = (vectors + lanes - 1) / lanes,
                  workers = SPMM_GPU_ROWS_THREADS(lanes) / (lanes * row_kernels[kernel].subwarps);
    packed format = pack(it, false, 1 + (int)base_random_below(&numbers, 60));
    sums sums = begin_sums(format.part_count, vectors * 32, tiles);
    launch launch = {.rows = row_kernels[kernel].run,
                     .row_arguments = {.segments = format.worker,
                                       .parts = format.part,
                                       .entry = format.entry,
                                       .column = format.column,
                                       .long_count = format.long_count,
                                       .segment_count = format.worker_count,
                                       .operands = make_operands(it, sums.partial, sums.arrived, tiles)}};
    const int64_t blocks = (format.long_count + (format.worker_count + workers - 1) / workers) * tiles;
    shim_launch(thread, &launch, (shim_index){(unsigned)blocks, 1, 1},
                (shim_index){(unsigned)SPMM_GPU_ROWS_THREADS(lanes), 1, 1},
                (size_t)(SPMM_GPU_ROWS_THREADS(lanes) / 32 * lanes * 32 + 16));
    packed_free(&format);
    return end_sums(&sums);
}

static bool run_merge(const product *it, size_t kernel) {
    const int64_t vectors = vectors_of(it),
                  tiles = (vectors + merge_kernels[kernel].lanes - 1) / merge_kernels[kernel].lanes;
    packed format = pack(it, true, 1 + (int)base_random_below(&numbers, 60));
    sums sums = begin_sums(format.part_count, vectors * 32, tiles);
    launch launch = {.merge = merge_kernels[kernel].run,
                     .merge_arguments = {.partitions = format.worker,
                                         .start = (const long long *)it->start,
                                         .entry = format.entry,
                                         .column = format.column,
                                         .partition_count = format.worker_count,
                                         .operands = make_operands(it, sums.partial, sums.arrived, tiles)}};
    start_tiles(thread, &launch, format.worker_count, tiles, 32 << base_random_below(&numbers, 3),
                merge_kernels[kernel].lanes);
    run_reduction(it, &format, &launch.merge_arguments.operands);
    packed_free(&format);
    return end_sums(&sums);
}

static bool run_rowstaged(const product *it, size_t kernel) {
    const int lanes = rowstaged_kernels[kernel].lanes, vectors = lanes * rowstaged_kernels[kernel].groups;
    const int64_t tiles = (vectors_of(it) + vectors - 1) / vectors;
    packed format = pack(it, false, 1 << 20);
    launch launch = {.rows = rowstaged_kernels[kernel].run,
                     .row_arguments = {.segments = format.worker,
                                       .entry = format.entry,
                                       .column = format.column,
                                       .segment_count = format.worker_count,
                                       .operands = make_operands(it, NULL, NULL, tiles)}};
    start_tiles(thread, &launch, format.worker_count, tiles, rowstaged_kernels[kernel].threads, lanes);
    packed_free(&format);
    return true;
}

/* B in chunks of fours of rows, whose sums are parts of rows. */
static bool run_bstationary(const product *it, size_t kernel) {
    const int vectors = bstationary_kernels[kernel].side * bstationary_kernels[kernel].each;
    const spmm_pack_matrix a = pack_matrix_of(&it->a, it->precision);
    const int64_t bytes = spmm_format_bytes(spmm_format_of(it->precision)), sum_bytes = bytes == 8 ? 8 : 4,
                  fours = (a.ncol + 3) / 4,
                  chunk = 4 * (1 + (int64_t)base_random_below(&numbers, (uint64_t)fours)),
                  chunks = (a.ncol + chunk - 1) / chunk,
                  bundles = (a.nrow + SPMM_GPU_BSTATIONARY_ROWS - 1) / SPMM_GPU_BSTATIONARY_ROWS,
                  shares = 1 + (int64_t)base_random_below(&numbers, (uint64_t)bundles),
                  tiles = (vectors_of(it) + vectors - 1) / vectors,
                  row_bytes = vectors_of(it) * 16 / bytes * sum_bytes;
    packed bstationary = packed_bstationary(&a, (int)chunk);
    void *partial = pack_room(a.nrow * chunks, row_bytes);
    unsigned *arrived = calloc((size_t)tiles, 2 * sizeof *arrived);
    launch launch = {.bstationary = bstationary_kernels[kernel].run,
                     .bstationary_arguments = {.start = bstationary.first_group,
                                               .row = bstationary.row,
                                               .column = bstationary.position,
                                               .value = bstationary.value,
                                               .bundles = (int)bundles,
                                               .shares = (int)shares,
                                               .nrow = (int)a.nrow,
                                               .ncol = (int)a.ncol,
                                               .chunk = (int)chunk,
                                               .chunks = (int)chunks,
                                               .operands = make_operands(it, partial, arrived, tiles)}};
    shim_launch(thread, &launch, (shim_index){(unsigned)tiles, (unsigned)shares, (unsigned)chunks},
                (shim_index){SPMM_GPU_BSTATIONARY_THREADS, 1, 1}, (size_t)(chunk * vectors * 16));
    bool is_zero = true;
    for (int64_t k = 0; k < 2 * tiles; k++)
        is_zero = is_zero && arrived[k] == 0;
    packed_free(&bstationary);
    free(partial);
    free(arrived);
    return is_zero;
}

static bool run_rowpairs(const product *it, size_t kernel) {
    const int lanes = rowpair_kernels[kernel].lanes, vectors = lanes * rowpair_kernels[kernel].groups;
    const int64_t tiles = (vectors_of(it) + vectors - 1) / vectors;
    const spmm_pack_matrix a = pack_matrix_of(&it->a, it->precision);
    packed rowpairs = packed_rowpairs(&a);
    launch launch = {.rowpairs = rowpair_kernels[kernel].run,
                     .rowpair_arguments = {.start = rowpairs.first_group,
                                           .row = rowpairs.row,
                                           .step = rowpairs.value,
                                           .rowpair_count = rowpairs.windows,
                                           .nrow = (int)it->a.nrow,
                                           .operands = make_operands(it, NULL, NULL, tiles)}};
    start_tiles(thread, &launch, rowpairs.windows, tiles, SPMM_GPU_THREADS, lanes);
    packed_free(&rowpairs);
    return true;
}

/* ---- tests ---- */

static const char *name_of_rows(size_t kernel) {
    return row_kernels[kernel].name;
}

static const char *name_of_merge(size_t kernel) {
    return merge_kernels[kernel].name;
}

static const char *name_of_bstationary(size_t kernel) {
    return bstationary_kernels[kernel].name;
}

static const char *name_of_rowstaged(size_t kernel) {
    return rowstaged_kernels[kernel].name;
}

static const char *name_of_rowpairs(size_t kernel) {
    return rowpair_kernels[kernel].name;
}

int main(void) {
    base_random_init(&numbers, SEED, 0);
    for (int p = 0; p < SPMM_PRECISIONS; p++) {
        const spmm_precision precision = (spmm_precision)p;
        test_family("rows", precision, row_types[p], sizeof row_kernels / sizeof *row_kernels, name_of_rows,
                    run_rows, MOST_N, spmm_format_bytes(spmm_format_of(precision)) == 2 ? 26 : 20);
        test_family("merge", precision, row_types[p], sizeof merge_kernels / sizeof *merge_kernels,
                    name_of_merge, run_merge, MOST_N, 8);
        if (spmm_format_bytes(spmm_format_of(precision)) > 2)
            test_family("rowstaged", precision, row_types[p],
                        sizeof rowstaged_kernels / sizeof *rowstaged_kernels, name_of_rowstaged,
                        run_rowstaged, MOST_N, spmm_format_bytes(spmm_format_of(precision)) == 8 ? 8 : 7);
        test_family("rowpairs", precision, row_types[p], sizeof rowpair_kernels / sizeof *rowpair_kernels,
                    name_of_rowpairs, run_rowpairs, MOST_N,
                    spmm_format_bytes(spmm_format_of(precision)) == 4 ? 4 : 3);
        test_family("bstationary", precision, row_types[p],
                    sizeof bstationary_kernels / sizeof *bstationary_kernels, name_of_bstationary,
                    run_bstationary, 40, spmm_format_bytes(spmm_format_of(precision)) == 2 ? 2 : 5);
    }
    tap_note("seed %d", SEED);
    return tap_done();
}
