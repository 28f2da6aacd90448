/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels rows_…, pack_… and transpose_… for SpMM on the fake device, by the shim. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O1") /* there are many variants, and matrices are small */
#endif
#define SHIM_STACK_BYTES (96 << 10)
#include "shim.h"

#include "spmm/pack/gpu.cu"
#include "spmm/rows/gpu.cu"
#include "spmm/transpose/gpu.cu"
#include "tests/fake/kernels.h"

/* Each has one argument. */
#define KERNELS(X)                                                                                           \
    X(pack_scan, spmm_pack_scan)                                                                             \
    X(pack_scan_sums, spmm_pack_scan)                                                                        \
    X(pack_entries, spmm_pack_entries)                                                                       \
    X(pack_segments_count, spmm_pack_rows)                                                                   \
    X(pack_segments, spmm_pack_rows)                                                                         \
    X(transpose_round, spmm_transpose)                                                                       \
    X(transpose_rows, spmm_transpose)                                                                        \
    X(transpose_columns, spmm_transpose)

static const struct {
    const char *name;
    void (*run)(const spmm_gpu_rows rows);
} rows[] = {
#define SPMM_ENTRY(type, lanes, subwarps, depth) ROWS(type, lanes, subwarps, depth)
#define ROWS(type, lanes, subwarps, depth)                                                                   \
    {"rows_" #type "_" #lanes "_" #subwarps "_" #depth, rows_##type##_##lanes##_##subwarps##_##depth},
#define SPMM_EACH "spmm/rows/entry.h"
#include "spmm/rows/variants.h"
};

typedef struct launch {
    const char *name;
    void **arguments;
} launch;

static void thread(void *data) {
    const launch *it = data;
    const void *argument = it->arguments[0];
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (strcmp(it->name, rows[k].name) == 0)
            rows[k].run(*(const spmm_gpu_rows *)argument);
#define RUN(kernel, type)                                                                                    \
    if (strcmp(it->name, #kernel) == 0)                                                                      \
        kernel(*(const type *)argument);
    KERNELS(RUN)
#undef RUN
}

/* The other kernels pack_… are there, but nobody runs them. */
bool fake_has_spmm_kernel(const char *name) {
    bool found = strncmp(name, "pack_", 5) == 0;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        found = found || strcmp(name, rows[k].name) == 0;
#define FIND(kernel, type) found = found || strcmp(name, #kernel) == 0;
    KERNELS(FIND)
#undef FIND
    return found;
}

void fake_run_spmm_kernel(const char *name, const unsigned grid[2], unsigned block, unsigned shared_bytes,
                          void **arguments) {
    launch it = {name, arguments};
    shim_launch(thread, &it, (shim_index){grid[0], grid[1], 1}, (shim_index){block, 1, 1}, shared_bytes);
}
