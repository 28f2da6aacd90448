/* SPDX-License-Identifier: BSD-3-Clause */
/* The device kernels for SpMM on tensor cores on the CPU, in the formats that device kernels make. */
#define SHIM_STACK_BYTES (96 << 10)
#include "shim.h"

#include "spmm/bands/gpu.cu"
#include "spmm/blocks/gpu.cu"
#include "spmm/panels/gpu.cu"
#include "spmm/rings/gpu.cu"
#include "spmm/rowwindows/short_gpu.cu"
#include "spmm/rowwindows/wide_gpu.cu"
#include "spmm/splits/gpu.cu"

#include "tests/support/spmm_pack.h"
#include "tests/support/spmm_product.h"
#include "tests/unit/spmm/guard.h"

/* ---- kernels ---- */

/* All of each family, by kernels/spmm/…/variants.h. */
#define BLOCKS(type, tall, warps, groups)                                                                    \
    {#type, blocks_##type##_##tall##_##warps##_##groups, tall, 4, groups, true, warps},
#define ROWWINDOWS(type, tall, width, groups, dense)                                                         \
    {#type, rowwindows_##type##_##tall##_##width##_##groups##_##dense, tall, width, groups, dense, 0},
#define SPMM_ENTRY(type, tall, width, groups, dense) ROWWINDOWS(type, tall, width, groups, dense)
static const struct {
    const char *name;
    void (*run)(const spmm_gpu_rowwindows windows);
    int tall, width, groups;
    bool dense;
    int warps; /* of blocks_… */
} window_kernels[] = {
#define SPMM_EACH "spmm/rowwindows/entry.h"
#include "spmm/rowwindows/short_variants.h"
#define SPMM_EACH "spmm/rowwindows/entry.h"
#include "spmm/rowwindows/wide_variants.h"
#undef SPMM_ENTRY
#define SPMM_ENTRY(type, tall, warps, groups) BLOCKS(type, tall, warps, groups)
#define SPMM_EACH "spmm/blocks/entry.h"
#include "spmm/blocks/variants.h"
};
#undef SPMM_ENTRY

#define RINGS(type, tall, wide, dense) {#type, rings_##type##_##tall##_##wide##_##dense, tall, wide, dense},
#define SPMM_ENTRY(type, tall, wide, dense) RINGS(type, tall, wide, dense)
static const struct {
    const char *name;
    void (*run)(const spmm_gpu_rowwindows windows);
    int tall, wide;
    bool dense;
} ring_kernels[] = {
#define SPMM_EACH "spmm/rings/entry.h"
#include "spmm/rings/variants.h"
};
#undef SPMM_ENTRY

#define PANELS(type, depth, width, groups)                                                                   \
    {#type, panels_##type##_##depth##_##width##_##groups, depth, width, groups},
#define SPMM_ENTRY(type, depth, width, groups) PANELS(type, depth, width, groups)
static const struct {
    const char *name;
    void (*run)(const spmm_gpu_panels panels);
    int depth, width, groups;
} panel_kernels[] = {
#define SPMM_EACH "spmm/panels/entry.h"
#include "spmm/panels/variants.h"
};
#undef SPMM_ENTRY

#define BANDS(type, columns) {#type, bands_##type##_##columns, columns},
#define SPMM_ENTRY(type, columns) BANDS(type, columns)
static const struct {
    const char *name;
    void (*run)(const spmm_gpu_bands bands);
    int columns;
} band_kernels[] = {
#define SPMM_EACH "spmm/bands/entry.h"
#define SPMM_EACH_SHORT "spmm/bands/entry.h"
#include "spmm/bands/variants.h"
};
#undef SPMM_ENTRY

typedef struct launch {
    void (*windows)(const spmm_gpu_rowwindows windows);
    void (*panels)(const spmm_gpu_panels panels);
    void (*bands)(const spmm_gpu_bands bands);
    void (*splits)(const spmm_gpu_splits splits);
    spmm_gpu_splits split_arguments;
    spmm_gpu_bands band_arguments;
    spmm_gpu_rowwindows window_arguments;
    spmm_gpu_panels panel_arguments;
} launch;

static void thread(void *arguments) {
    const launch *it = arguments;
    if (it->windows != NULL)
        it->windows(it->window_arguments);
    else if (it->panels != NULL)
        it->panels(it->panel_arguments);
    else if (it->bands != NULL)
        it->bands(it->band_arguments);
    else if (it->splits != NULL)
        it->splits(it->split_arguments);
}

/* Windows of so many rows, of which each block of `threads` takes a piece and `columns` columns, or with
 * `warps` each of these. */
static bool run_some_windows(const product *it, void (*run)(const spmm_gpu_rowwindows windows), int height,
                             bool dense, int64_t columns, unsigned threads, int warps, int64_t shared_bytes) {
    const int64_t together = warps > 0 ? warps : 1,
                  tiles = (it->n + columns * together - 1) / (columns * together) * together;
    const spmm_pack_matrix a = pack_matrix_of(&it->a, it->precision);
    packed format = packed_rowwindows(&a, height, dense, 1 + (int)base_random_below(&numbers, 5),
                                      2 * SPMM_PACK_GROUP, SPMM_PACK_WINDOW_THREADS);
    sums sums = begin_sums(format.part_count, tiles * columns * height * 8, tiles * (threads / 32));
    launch launch = {.windows = run,
                     .window_arguments = {.pieces = format.worker,
                                          .parts = format.part,
                                          .rows = format.row,
                                          .column = format.column,
                                          .start = format.start,
                                          .value = format.value,
                                          .piece_count = format.worker_count,
                                          .operands = make_operands(it, sums.partial, sums.arrived, tiles)}};
    const unsigned all = (unsigned)(format.worker_count * tiles / together);
    shim_launch(thread, &launch, (shim_index){shared_bytes > 0 && all > 3 ? all / 3 : all, 1, 1},
                (shim_index){threads, 1, 1}, (size_t)shared_bytes);
    packed_free(&format);
    return end_sums(&sums);
}

static bool run_windows(const product *it, size_t kernel) {
    const int64_t bytes = spmm_format_bytes(spmm_format_of(it->precision));
    const int64_t columns = 8 * window_kernels[kernel].width * 4 / bytes * window_kernels[kernel].groups;
    const int tall = window_kernels[kernel].tall, warps = window_kernels[kernel].warps;
    return run_some_windows(it, window_kernels[kernel].run, tall == 0 ? 8 : 16 * tall,
                            window_kernels[kernel].dense, columns,
                            (unsigned)(SPMM_GPU_WINDOW_THREADS * (warps + 1)), warps,
                            warps > 0 ? SPMM_GPU_BLOCK_STAGES * SPMM_GPU_CHUNK *
                                            (16 * tall * bytes + columns * warps * bytes + 32)
                                      : 0);
}

static bool run_rings(const product *it, size_t kernel) {
    const int tall = ring_kernels[kernel].tall, wide = ring_kernels[kernel].wide;
    const bool dense = ring_kernels[kernel].dense;
    return run_some_windows(it, ring_kernels[kernel].run, 16 * tall, dense, 64 * wide,
                            32 * (unsigned)(wide * ((tall + 1) / 2) + 2 - dense), 0, 128 << 10);
}

/* Up to three pieces of a band with so many tiles. */
static int draw_parts(int64_t steps) {
    return 1 + (int)base_random_below(&numbers, steps < 3 ? (uint64_t)steps : 3);
}

/* A block for each piece and tile; frees the format and the sums. */
static bool run_pieces(launch *launch, packed *format, sums *sums, int64_t tiles, unsigned threads,
                       int64_t shared_bytes) {
    shim_launch(thread, launch, (shim_index){(unsigned)(format->worker_count * tiles), 1, 1},
                (shim_index){threads, 1, 1}, (size_t)shared_bytes);
    packed_free(format);
    return end_sums(sums);
}

static bool run_panels(const product *it, size_t kernel) {
    const int64_t bytes = spmm_format_bytes(spmm_format_of(it->precision));
    const int depth = panel_kernels[kernel].depth, unit = 32 * panel_kernels[kernel].width;
    const int64_t columns = unit / bytes * panel_kernels[kernel].groups,
                  tiles = (it->n + columns - 1) / columns;
    const spmm_pack_matrix a = pack_matrix_of(&it->a, it->precision);
    packed format = packed_panels(&a, depth, draw_parts((it->a.ncol + depth - 1) / depth));
    sums sums = begin_sums(format.part_count, tiles * columns * SPMM_GPU_PANEL_ROWS * 8, tiles);
    launch launch = {.panels = panel_kernels[kernel].run,
                     .panel_arguments = {.pieces = format.worker,
                                         .parts = format.part,
                                         .start = format.start,
                                         .position = format.position,
                                         .value = format.value,
                                         .piece_count = format.worker_count,
                                         .nrow = it->a.nrow,
                                         .ncol = it->a.ncol,
                                         .steps = (int)format.steps,
                                         .operands = make_operands(it, sums.partial, sums.arrived, tiles)}};
    return run_pieces(&launch, &format, &sums, tiles, SPMM_GPU_PANEL_THREADS,
                      depth *
                          (2 * SPMM_GPU_PANEL_ROWS * bytes + 3 * (panel_kernels[kernel].groups * unit + 32)));
}

/* Columns of a tile of bands_…. */
static int64_t band_depth(spmm_precision precision) {
    return SPMM_GPU_BAND_BYTES / spmm_format_bytes(spmm_format_of(precision));
}

/* The starts of subtiles end at a guard: a kernel must read nothing behind them. */
static bool run_bands_in(const product *it, size_t kernel, int parts) {
    const int columns = band_kernels[kernel].columns;
    const int64_t tiles = (it->n + columns - 1) / columns;
    const spmm_pack_matrix a = pack_matrix_of(&it->a, it->precision);
    packed format = packed_bands(&a, parts);
    const size_t start_bytes =
        (size_t)(format.windows * SPMM_PACK_SUBTILES * format.steps + 1) * sizeof *format.first_group;
    int *start = guard_copy(format.first_group, start_bytes);
    sums sums = begin_sums(format.part_count, tiles * columns * SPMM_GPU_BAND_ROWS * 4, tiles);
    launch launch = {.bands = band_kernels[kernel].run,
                     .band_arguments = {.pieces = format.worker,
                                        .parts = format.part,
                                        .start = start,
                                        .entry = format.value,
                                        .nrow = it->a.nrow,
                                        .ncol = it->a.ncol,
                                        .steps = (int)format.steps,
                                        .operands = make_operands(it, sums.partial, sums.arrived, tiles)}};
    const bool clean = run_pieces(&launch, &format, &sums, tiles, SPMM_GPU_BAND_THREADS, 200 << 10);
    guard_free(start, start_bytes);
    return clean;
}

static bool run_bands(const product *it, size_t kernel) {
    const int64_t depth = band_depth(it->precision);
    return run_bands_in(it, kernel, draw_parts((it->a.ncol + depth - 1) / depth));
}

static bool run_splits(const product *it, size_t kernel) {
    const int64_t tiles = (it->n + SPMM_GPU_SPLIT_COLUMNS - 1) / SPMM_GPU_SPLIT_COLUMNS;
    const int tile_bytes = 2 * SPMM_GPU_BAND_BYTES * (SPMM_GPU_BAND_ROWS + SPMM_GPU_SPLIT_COLUMNS);
    const spmm_pack_matrix a = pack_matrix_of(&it->a, it->precision);
    packed format = packed_splits(&a);
    const int parts = draw_parts(format.steps);
    sums sums =
        begin_sums(format.windows * parts, tiles * SPMM_GPU_SPLIT_COLUMNS * SPMM_GPU_BAND_ROWS * 4, tiles);
    void *halves = malloc((size_t)(format.steps * tiles + 1) * (size_t)tile_bytes);
    launch launch = {.splits = halves_float_64,
                     .split_arguments = {.a = format.value,
                                         .halves = halves,
                                         .nrow = it->a.nrow,
                                         .ncol = it->a.ncol,
                                         .steps = (int)format.steps,
                                         .parts = parts,
                                         .operands = make_operands(it, sums.partial, sums.arrived, tiles)}};
    (void)kernel;
    shim_launch(thread, &launch, (shim_index){(unsigned)(format.steps * tiles), 1, 1},
                (shim_index){SPMM_GPU_SPLIT_WORKERS, 1, 1}, 0);
    launch.splits = splits_float_64;
    shim_launch(thread, &launch, (shim_index){(unsigned)(format.windows * parts * tiles), 1, 1},
                (shim_index){SPMM_GPU_SPLIT_WORKERS + 32, 1, 1},
                (size_t)(SPMM_GPU_SPLIT_STAGES * tile_bytes));
    free(halves);
    packed_free(&format);
    return end_sums(&sums);
}

/* ---- tests ---- */

static const char *name_of_windows(size_t kernel) {
    return window_kernels[kernel].name;
}

static const char *name_of_rings(size_t kernel) {
    return ring_kernels[kernel].name;
}

static const char *name_of_bands(size_t kernel) {
    return band_kernels[kernel].name;
}

static const char *name_of_panels(size_t kernel) {
    return panel_kernels[kernel].name;
}

static const char *name_of_splits(size_t kernel) {
    (void)kernel;
    return "float";
}

/* Bands of one, two, … tiles in one piece each: what a kernel reads ahead ends with the last tile. */
static void test_whole_bands(spmm_precision precision) {
    int wrong = 0;
    for (size_t kernel = 0; kernel < sizeof band_kernels / sizeof *band_kernels; kernel++)
        for (int64_t ncol = band_depth(precision);
             ncol <= MOST_COLUMNS && strcmp(band_kernels[kernel].name, matrix_types[precision]) == 0;
             ncol += band_depth(precision)) {
            static product it;
            make_product(&it, precision, MOST_ROWS, ncol, 20, 0.3);
            wrong += !run_bands_in(&it, kernel, 1) || !(find_error(&it) <= limit[precision]);
            free_product(&it);
        }
    tap_ok(wrong == 0, "bands, precision %d: whole bands of up to %d tiles", precision,
           (int)(MOST_COLUMNS / band_depth(precision)));
}

int main(void) {
    base_random_init(&numbers, SEED, 1);
    for (int p = 0; p < SPMM_PRECISIONS; p++) {
        const spmm_precision precision = (spmm_precision)p;
        const bool is_short = spmm_format_bytes(spmm_format_of(precision)) == 2;
        test_family("rowwindows", precision, matrix_types[p], sizeof window_kernels / sizeof *window_kernels,
                    name_of_windows, run_windows, MOST_N,
                    is_short                 ? 11
                    : precision == SPMM_FP64 ? 8
                                             : 5);
        if (is_short)
            test_family("rings", precision, matrix_types[p], sizeof ring_kernels / sizeof *ring_kernels,
                        name_of_rings, run_rings, MOST_N, 4);
        if (precision != SPMM_FP64) {
            test_family("bands", precision, matrix_types[p], sizeof band_kernels / sizeof *band_kernels,
                        name_of_bands, run_bands, MOST_N, is_short ? 4 : 3);
            test_whole_bands(precision);
        }
        test_family("panels", precision, matrix_types[p], sizeof panel_kernels / sizeof *panel_kernels,
                    name_of_panels, run_panels, MOST_N, is_short || precision == SPMM_FP64 ? 4 : 3);
    }
    test_family("splits", SPMM_3XTF32, "float", 2, name_of_splits, run_splits, MOST_N, 2);
    tap_note("seed %d", SEED);
    return tap_done();
}
