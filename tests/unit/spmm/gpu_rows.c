/* The device kernels for SpMM without tensor cores on the CPU, in the formats that device kernels make. */
#define SHIM_STACK_BYTES (96 << 10)
#include "shim.h"

#include "spmm/meet/gpu.cu"
#include "spmm/rows/gpu.cu"
#include "spmm/runs/gpu.cu"
#include "spmm/slabs/gpu.cu"
#include "spmm/stages/gpu.cu"
#include "spmm/strips/gpu.cu"

#include "tests/support/spmm_pack.h"
#include "tests/support/spmm_product.h"

/* ---- kernels ---- */

#define ROWS(type, lanes, teams, depth)                                                                      \
    { #type, rows_##type##_##lanes##_##teams##_##depth, lanes, teams }
#define ROWS_OF(type)                                                                                        \
    ROWS(type, 4, 1, 4), ROWS(type, 4, 1, 8), ROWS(type, 4, 8, 4), ROWS(type, 4, 8, 8), ROWS(type, 8, 1, 4), \
        ROWS(type, 8, 1, 8), ROWS(type, 8, 4, 4), ROWS(type, 8, 4, 8), ROWS(type, 16, 1, 4),                 \
        ROWS(type, 16, 1, 8), ROWS(type, 16, 2, 4), ROWS(type, 16, 2, 8), ROWS(type, 32, 1, 4),              \
        ROWS(type, 32, 1, 8)

static const struct {
    const char *name;
    void (*run)(const spmm_gpu_rows rows);
    int lanes, teams;
} row_kernels[] = {ROWS_OF(half), ROWS_OF(bfloat), ROWS_OF(float), ROWS_OF(double)};

#define RUNS(type, lanes, depth)                                                                             \
    { #type, runs_##type##_##lanes##_##depth, lanes, depth }
#define RUNS_OF(type)                                                                                        \
    RUNS(type, 4, 4), RUNS(type, 4, 8), RUNS(type, 8, 4), RUNS(type, 8, 8), RUNS(type, 16, 4),               \
        RUNS(type, 16, 8), RUNS(type, 32, 4), RUNS(type, 32, 8)

static const struct {
    const char *name;
    void (*run)(const spmm_gpu_runs runs);
    int lanes, depth;
} run_kernels[] = {RUNS_OF(half), RUNS_OF(bfloat), RUNS_OF(float), RUNS_OF(double)};

#define STRIPS(type, lanes, groups)                                                                          \
    { #type, strips_##type##_##lanes##_##groups, lanes, groups }
#define STRIPS_OF(type) STRIPS(type, 8, 1), STRIPS(type, 16, 1), STRIPS(type, 32, 1)

static const struct {
    const char *name;
    void (*run)(const spmm_gpu_strips strips);
    int lanes, groups;
} strip_kernels[] = {STRIPS_OF(half),      STRIPS_OF(bfloat),    STRIPS(float, 8, 1),
                     STRIPS(float, 8, 2),  STRIPS(float, 8, 4),  STRIPS(float, 16, 4),
                     STRIPS(double, 8, 2), STRIPS(double, 8, 4), STRIPS(double, 16, 4)};

#define STAGES(type, lanes, groups)                                                                          \
    { #type, stages_##type##_##lanes##_##groups, lanes, groups }

static const struct {
    const char *name;
    void (*run)(const spmm_gpu_rows rows);
    int lanes, groups;
} stage_kernels[] = {STAGES(float, 8, 4),  STAGES(float, 16, 4),  STAGES(float, 32, 1), STAGES(double, 8, 2),
                     STAGES(double, 8, 4), STAGES(double, 16, 4), STAGES(double, 32, 2)};

#define SLABS(type, side, each, teams)                                                                       \
    { #type, slabs_##type##_##side##_##each##_##teams, side, each }
#define SLABS_SHORT(type) SLABS(type, 2, 1, 1), SLABS(type, 2, 1, 4)
#define SLABS_WIDE(type)                                                                                     \
    SLABS(type, 1, 2, 1), SLABS(type, 1, 2, 2), SLABS(type, 1, 2, 4), SLABS(type, 2, 2, 1),                  \
        SLABS(type, 2, 2, 2)

static const struct {
    const char *name;
    void (*run)(const spmm_gpu_slabs slabs);
    int side, each;
} slab_kernels[] = {SLABS_SHORT(half), SLABS_SHORT(bfloat), SLABS_WIDE(float), SLABS_WIDE(double)};

typedef struct launch {
    void (*rows)(const spmm_gpu_rows rows);
    void (*runs)(const spmm_gpu_runs runs);
    void (*slabs)(const spmm_gpu_slabs slabs);
    void (*strips)(const spmm_gpu_strips strips);
    void (*meet)(const spmm_gpu_meet meet);
    spmm_gpu_rows row_arguments;
    spmm_gpu_runs run_arguments;
    spmm_gpu_slabs slab_arguments;
    spmm_gpu_strips strip_arguments;
    spmm_gpu_meet meet_arguments;
} launch;

static void thread(void *arguments) {
    const launch *it = arguments;
    if (it->rows != NULL)
        it->rows(it->row_arguments);
    else if (it->runs != NULL)
        it->runs(it->run_arguments);
    else if (it->slabs != NULL)
        it->slabs(it->slab_arguments);
    else if (it->strips != NULL)
        it->strips(it->strip_arguments);
    else if (it->meet != NULL)
        it->meet(it->meet_arguments);
}

/* Adds the parts that one of the others left. */
static void run_meet(const product *it, const packed *format, const spmm_gpu_operands *operands) {
    static void (*const kernels[SPMM_FORMATS])(const spmm_gpu_meet meet) = {meet_half, meet_bfloat,
                                                                            meet_float, meet_double};
    const int each = 1 << base_random_below(&numbers, 3);
    launch launch = {
        .meet = kernels[spmm_format_of(it->precision)],
        .meet_arguments = {
            .parts = format->part, .part_count = format->part_count, .each = each, .operands = *operands}};
    if (format->part_count > 0)
        start_threads(thread, &launch, (format->part_count + each - 1) / each, SPMM_GPU_THREADS, 32);
}

/* Runs or segments, of at most `most` entries or so. */
static packed pack(const product *it, bool runs, int most) {
    const spmm_pack_matrix a = pack_matrix_of(&it->a, it->precision);
    packed format = packed_rows(&a, runs, most);
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
                  workers = SPMM_GPU_ROWS_THREADS(lanes) / (lanes * row_kernels[kernel].teams);
    packed format = pack(it, false, 1 + (int)base_random_below(&numbers, 60));
    sums sums = begin_sums(format.part_count, vectors * 32, tiles);
    launch launch = {.rows = row_kernels[kernel].run,
                     .row_arguments = {.segments = format.worker,
                                       .parts = format.part,
                                       .entry = format.entry,
                                       .column = format.column,
                                       .long_count = format.long_count,
                                       .segment_count = format.worker_count,
                                       .operands = tell(it, sums.partial, sums.arrived, tiles)}};
    const int64_t blocks = (format.long_count + (format.worker_count + workers - 1) / workers) * tiles;
    shim_launch(thread, &launch, (shim_index){(unsigned)blocks, 1, 1},
                (shim_index){(unsigned)SPMM_GPU_ROWS_THREADS(lanes), 1, 1},
                (size_t)(SPMM_GPU_ROWS_THREADS(lanes) / 32 * lanes * 32 + 16));
    packed_free(&format);
    return end_sums(&sums);
}

static bool run_runs(const product *it, size_t kernel) {
    const int64_t vectors = vectors_of(it),
                  tiles = (vectors + run_kernels[kernel].lanes - 1) / run_kernels[kernel].lanes;
    packed format = pack(it, true, 1 + (int)base_random_below(&numbers, 60));
    sums sums = begin_sums(format.part_count, vectors * 32, tiles);
    launch launch = {.runs = run_kernels[kernel].run,
                     .run_arguments = {.runs = format.worker,
                                       .start = (const long long *)it->start,
                                       .entry = format.entry,
                                       .column = format.column,
                                       .run_count = format.worker_count,
                                       .operands = tell(it, sums.partial, sums.arrived, tiles)}};
    start_tiles(thread, &launch, format.worker_count, tiles, 32 << base_random_below(&numbers, 3),
                run_kernels[kernel].lanes);
    run_meet(it, &format, &launch.run_arguments.operands);
    packed_free(&format);
    return end_sums(&sums);
}

static bool run_stages(const product *it, size_t kernel) {
    const int lanes = stage_kernels[kernel].lanes, vectors = lanes * stage_kernels[kernel].groups;
    const int64_t tiles = (vectors_of(it) + vectors - 1) / vectors;
    packed format = pack(it, false, 1 << 20);
    launch launch = {.rows = stage_kernels[kernel].run,
                     .row_arguments = {.segments = format.worker,
                                       .entry = format.entry,
                                       .column = format.column,
                                       .segment_count = format.worker_count,
                                       .operands = tell(it, NULL, NULL, tiles)}};
    start_tiles(thread, &launch, format.worker_count, tiles, SPMM_GPU_STAGE_THREADS(lanes), lanes);
    packed_free(&format);
    return true;
}

static bool run_slabs(const product *it, size_t kernel) {
    const int vectors = slab_kernels[kernel].side * slab_kernels[kernel].each;
    const spmm_pack_matrix a = pack_matrix_of(&it->a, it->precision);
    packed slabs = packed_slabs(&a);
    const int64_t shares = 1 + (int64_t)base_random_below(&numbers, (uint64_t)slabs.windows);
    launch launch = {.slabs = slab_kernels[kernel].run,
                     .slab_arguments = {.start = slabs.first_group,
                                        .row = slabs.row,
                                        .column = slabs.position,
                                        .value = slabs.value,
                                        .bundles = (int)slabs.windows,
                                        .shares = (int)shares,
                                        .nrow = (int)it->a.nrow,
                                        .ncol = (int)it->a.ncol,
                                        .operands = tell(it, NULL, NULL, 1)}};
    shim_launch(thread, &launch,
                (shim_index){(unsigned)((vectors_of(it) + vectors - 1) / vectors), (unsigned)shares, 1},
                (shim_index){SPMM_GPU_SLAB_THREADS, 1, 1}, (size_t)(it->a.ncol * vectors * 16));
    packed_free(&slabs);
    return true;
}

static bool run_strips(const product *it, size_t kernel) {
    const int lanes = strip_kernels[kernel].lanes, vectors = lanes * strip_kernels[kernel].groups;
    const int64_t tiles = (vectors_of(it) + vectors - 1) / vectors;
    const spmm_pack_matrix a = pack_matrix_of(&it->a, it->precision);
    packed strips = packed_strips(&a);
    launch launch = {.strips = strip_kernels[kernel].run,
                     .strip_arguments = {.start = strips.first_group,
                                         .row = strips.row,
                                         .step = strips.value,
                                         .strip_count = strips.windows,
                                         .nrow = (int)it->a.nrow,
                                         .operands = tell(it, NULL, NULL, tiles)}};
    start_tiles(thread, &launch, strips.windows, tiles, SPMM_GPU_THREADS, lanes);
    packed_free(&strips);
    return true;
}

/* ---- tests ---- */

static const char *name_of_rows(size_t kernel) {
    return row_kernels[kernel].name;
}

static const char *name_of_runs(size_t kernel) {
    return run_kernels[kernel].name;
}

static const char *name_of_slabs(size_t kernel) {
    return slab_kernels[kernel].name;
}

static const char *name_of_stages(size_t kernel) {
    return stage_kernels[kernel].name;
}

static const char *name_of_strips(size_t kernel) {
    return strip_kernels[kernel].name;
}

int main(void) {
    base_random_init(&numbers, SEED, 0);
    for (int p = 0; p < SPMM_PRECISIONS; p++) {
        const spmm_precision precision = (spmm_precision)p;
        test_family("rows", precision, row_types[p], sizeof row_kernels / sizeof *row_kernels, name_of_rows,
                    run_rows, MOST_N, 14);
        test_family("runs", precision, row_types[p], sizeof run_kernels / sizeof *run_kernels, name_of_runs,
                    run_runs, MOST_N, 8);
        if (spmm_format_bytes(spmm_format_of(precision)) > 2)
            test_family("stages", precision, row_types[p], sizeof stage_kernels / sizeof *stage_kernels,
                        name_of_stages, run_stages, MOST_N, precision == SPMM_FP64 ? 4 : 3);
        test_family("strips", precision, row_types[p], sizeof strip_kernels / sizeof *strip_kernels,
                    name_of_strips, run_strips, MOST_N,
                    spmm_format_bytes(spmm_format_of(precision)) == 4 ? 4 : 3);
        test_family("slabs", precision, row_types[p], sizeof slab_kernels / sizeof *slab_kernels,
                    name_of_slabs, run_slabs, 40, spmm_format_bytes(spmm_format_of(precision)) == 2 ? 2 : 5);
    }
    tap_note("seed %d", SEED);
    return tap_done();
}
