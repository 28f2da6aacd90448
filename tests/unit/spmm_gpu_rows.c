/* The device kernels for SpMM without tensor cores on the CPU, and the formats they take. */
#define SHIM_STACK_BYTES (96 << 10)
#include "shim.h"

#include "spmm/rows_gpu.cu"
#include "spmm/runs_gpu.cu"
#include "spmm/slabs_gpu.cu"

#include "spmm/runs.h"
#include "spmm/segments.h"
#include "spmm/slabs.h"
#include "tests/spmm_product.h"

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

typedef struct launch {
    void (*rows)(const spmm_gpu_rows rows);
    void (*runs)(const spmm_gpu_runs runs);
    void (*slabs)(const spmm_gpu_slabs slabs);
    spmm_gpu_rows row_arguments;
    spmm_gpu_runs run_arguments;
    spmm_gpu_slabs slab_arguments;
} launch;

static void thread(void *arguments) {
    const launch *it = arguments;
    if (it->rows != NULL)
        it->rows(it->row_arguments);
    else if (it->runs != NULL)
        it->runs(it->run_arguments);
    else if (it->slabs != NULL)
        it->slabs(it->slab_arguments);
}

static void *pack_entries(const product *it) {
    void *entries = calloc((size_t)it->a.nnz + SPMM_GPU_ENTRIES_BEHIND, sizeof(spmm_gpu_double_entry));
    for (int64_t k = 0; k < it->a.nnz; k++)
        if (it->precision == SPMM_FP64)
            ((spmm_gpu_double_entry *)entries)[k] =
                (spmm_gpu_double_entry){.column = it->index[k], .value = a_value(it, k)};
        else {
            ((spmm_gpu_entry *)entries)[k].column = it->index[k];
            put(spmm_format_of(it->precision), a_value(it, k), &((spmm_gpu_entry *)entries)[k].value);
        }
    return entries;
}

static bool run_rows(const product *it, size_t kernel) {
    const int64_t bytes = spmm_format_bytes(spmm_format_of(it->precision)),
                  vectors = (it->n * bytes + 15) / 16;
    const int64_t tiles = (vectors + row_kernels[kernel].lanes - 1) / row_kernels[kernel].lanes;
    spmm_segments segments;
    if (spmm_segments_init(&context, &it->a, 1 + (int64_t)base_random_below(&numbers, 60),
                           base_random_below(&numbers, 2), &segments) != BASE_OK)
        return false;
    void *partial = malloc((size_t)((segments.part_count + 1) * vectors * 32));
    unsigned *arrived = calloc((size_t)((segments.part_count + 1) * tiles), sizeof *arrived);
    void *entries = pack_entries(it);
    launch launch = {.rows = row_kernels[kernel].run,
                     .row_arguments = {.segments = segments.segment,
                                       .parts = segments.part,
                                       .entry = entries,
                                       .segment_count = segments.count,
                                       .operands = tell(it, partial, arrived, tiles)}};
    start_threads(thread, &launch, segments.count * tiles, SPMM_GPU_THREADS,
                  row_kernels[kernel].lanes * row_kernels[kernel].teams);
    const bool clean = only_zeros(arrived, (segments.part_count + 1) * tiles);
    spmm_segments_free(&segments);
    free(partial);
    free(arrived);
    free(entries);
    return clean;
}

static bool run_runs(const product *it, size_t kernel) {
    const int64_t bytes = spmm_format_bytes(spmm_format_of(it->precision)),
                  vectors = (it->n * bytes + 15) / 16;
    const int64_t tiles = (vectors + run_kernels[kernel].lanes - 1) / run_kernels[kernel].lanes;
    spmm_runs runs;
    if (spmm_runs_init(&context, &it->a, 1 + (int64_t)base_random_below(&numbers, 60), &runs) != BASE_OK)
        return false;
    void *partial = malloc((size_t)((runs.part_count + 1) * vectors * 32));
    unsigned *arrived = calloc((size_t)((runs.part_count + 1) * tiles), sizeof *arrived);
    void *entries = pack_entries(it);
    launch launch = {.runs = run_kernels[kernel].run,
                     .run_arguments = {.runs = runs.run,
                                       .parts = runs.part,
                                       .start = (const long long *)it->start,
                                       .entry = entries,
                                       .run_count = runs.count,
                                       .operands = tell(it, partial, arrived, tiles)}};
    start_threads(thread, &launch, runs.count * tiles, 32 << base_random_below(&numbers, 3),
                  run_kernels[kernel].lanes);
    const bool clean = only_zeros(arrived, (runs.part_count + 1) * tiles);
    spmm_runs_free(&runs);
    free(partial);
    free(arrived);
    free(entries);
    return clean;
}

static bool run_slabs(const product *it, size_t kernel) {
    static void (*const kernels[SPMM_FORMATS])(const spmm_gpu_slabs slabs) = {slabs_half, slabs_bfloat,
                                                                              slabs_float, slabs_double};
    const spmm_format format = spmm_format_of(it->precision);
    (void)kernel;
    const int64_t bytes = spmm_format_bytes(format), share = 1 + (int64_t)base_random_below(&numbers, 100);
    const int64_t columns = SPMM_GPU_SLAB_BYTES / bytes;
    spmm_slabs slabs;
    if (spmm_slabs_init(&context, &it->a, it->precision, &slabs) != BASE_OK)
        return false;
    launch launch = {.slabs = kernels[format],
                     .slab_arguments = {.start = slabs.start,
                                        .column = slabs.column,
                                        .value = slabs.value,
                                        .nrow = (int)it->a.nrow,
                                        .ncol = (int)it->a.ncol,
                                        .share = (int)share,
                                        .columns = (int)it->n,
                                        .operands = tell(it, NULL, NULL, 1)}};
    shim_launch(thread, &launch,
                (shim_index){(unsigned)((it->n + columns - 1) / columns),
                             (unsigned)((it->a.nrow + share - 1) / share), 1},
                (shim_index){SPMM_GPU_SLAB_THREADS, 1, 1}, (size_t)(it->a.ncol * SPMM_GPU_SLAB_BYTES));
    spmm_slabs_free(&slabs);
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
    (void)kernel;
    return "slabs";
}

int main(void) {
    base_context_init(&context);
    base_random_init(&numbers, SEED, 0);
    for (int p = 0; p < SPMM_PRECISIONS; p++) {
        const spmm_precision precision = (spmm_precision)p;
        test_family("rows", precision, row_types[p], sizeof row_kernels / sizeof *row_kernels, name_of_rows,
                    run_rows, MOST_N, 14);
        test_family("runs", precision, row_types[p], sizeof run_kernels / sizeof *run_kernels, name_of_runs,
                    run_runs, MOST_N, 8);
        test_family("slabs", precision, "slabs", 2, name_of_slabs, run_slabs, 40, 2);
    }
    tap_note("seed %d", SEED);
    return tap_done();
}
