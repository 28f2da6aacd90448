/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels for permanents on the fake device, by the shim. */
#define SHIM_STACK_BYTES (64 << 10)
#include "shim.h"

#include "perm/dense/gpu.cu"
#include "perm/dense/pairs_gpu.cu"
#include "perm/dense/tensor_gpu.cu"
#include "perm/doubledouble/gpu.cu"
#include "perm/exact/gpu.cu"
#include "perm/frontier/gpu.cu"
#include "perm/superman/gpu.cu"
#include "tests/fake/kernels.h"

/* The kernels of perm/frontier/gpu.h. */
#define FRONTIER_KERNELS(X)                                                                                  \
    X(frontier_gpu_real)                                                                                     \
    X(frontier_gpu_signed)                                                                                   \
    X(frontier_gpu_complex)                                                                                  \
    X(frontier_gpu_words_1)                                                                                  \
    X(frontier_gpu_words_2)                                                                                  \
    X(frontier_gpu_words_3)                                                                                  \
    X(frontier_gpu_words_4)                                                                                  \
    X(frontier_gpu_complex_words_1)                                                                          \
    X(frontier_gpu_complex_words_2)                                                                          \
    X(frontier_gpu_complex_words_3)                                                                          \
    X(frontier_gpu_complex_words_4)

/* All others have the arguments of perm/subsets/device_sum.h. */
#define KERNELS(X)                                                                                           \
    X(dense_gpu_real, const double *, dense_gpu_sums *)                                                      \
    X(pairs_gpu_real, const double *, dense_gpu_sums *)                                                      \
    X(tensor_gpu_real, const double *, dense_gpu_sums *)                                                     \
    X(superman_gpu_shared_shared, const double *, dense_gpu_sums *)                                          \
    X(superman_gpu_shared_shared_ceg, const double *, dense_gpu_sums *)                                      \
    X(superman_gpu_shared_global, const double *, dense_gpu_sums *)                                          \
    X(superman_gpu_shared_global_ceg, const double *, dense_gpu_sums *)                                      \
    X(superman_gpu_registers_global, const double *, dense_gpu_sums *)                                       \
    X(superman_gpu_registers_global_ceg, const double *, dense_gpu_sums *)                                   \
    X(superman_gpu_registers_shared, const double *, dense_gpu_sums *)                                       \
    X(superman_gpu_registers_shared_ceg, const double *, dense_gpu_sums *)                                   \
    X(dense_gpu_complex, const double *, dense_gpu_sums *)                                                   \
    X(dense_gpu_certified_real, const double *, dense_gpu_certified_sums *)                                  \
    X(dense_gpu_certified_complex, const double *, dense_gpu_certified_sums *)                               \
    X(exact_gpu_1, const exact_gpu_tables *, long long *)                                                    \
    X(exact_gpu_2, const exact_gpu_tables *, long long *)                                                    \
    X(exact_gpu_3, const exact_gpu_tables *, long long *)                                                    \
    X(exact_gpu_4, const exact_gpu_tables *, long long *)                                                    \
    X(sieve_gpu_1, const sieve_gpu_tables *, long long *)                                                    \
    X(sieve_gpu_2, const sieve_gpu_tables *, long long *)                                                    \
    X(sieve_gpu_3, const sieve_gpu_tables *, long long *)                                                    \
    X(sieve_gpu_4, const sieve_gpu_tables *, long long *)                                                    \
    X(dd_gpu_1, const double *, dd_gpu_sums *)                                                               \
    X(dd_gpu_2, const double *, dd_gpu_sums *)                                                               \
    X(dd_gpu_complex_1, const double *, dd_gpu_sums *)                                                       \
    X(dd_gpu_complex_2, const double *, dd_gpu_sums *)

typedef struct launch {
    const char *name;
    void **arguments;
} launch;

static void run_frontier(const char *name, void **a) {
    if (strcmp(name, "frontier_gpu_start") == 0)
        frontier_gpu_start(*(const frontier_gpu_tables **)a[0], *(int *)a[1], *(long long *)a[2],
                           *(frontier_word **)a[3]);
#define RUN(kernel)                                                                                          \
    if (strcmp(name, #kernel) == 0)                                                                          \
        kernel(*(const frontier_gpu_tables **)a[0], *(const frontier_gpu_step **)a[1],                       \
               *(const frontier_word **)a[2], *(const frontier_word **)a[3], *(const frontier_word **)a[4],  \
               *(frontier_word **)a[5], *(int **)a[6]);
    FRONTIER_KERNELS(RUN)
#undef RUN
}

static void thread(void *data) {
    const launch *it = data;
    void **a = it->arguments;
    if (strncmp(it->name, "frontier_gpu_", 13) == 0) {
        run_frontier(it->name, a);
        return;
    }
    const int n = *(int *)a[0], steps = *(int *)a[1];
    const long long threads = *(long long *)a[2], first = *(long long *)a[3];
#define RUN(kernel, columns_type, sums_type)                                                                 \
    if (strcmp(it->name, #kernel) == 0)                                                                      \
        kernel(n, steps, threads, first, *(columns_type *)a[4], *(sums_type *)a[5]);
    KERNELS(RUN)
#undef RUN
}

bool fake_has_kernel(const char *name) {
    bool found = strcmp(name, "frontier_gpu_start") == 0 || fake_has_flip_kernel(name) ||
                 fake_has_spmm_kernel(name) || fake_has_h2_kernel(name) || fake_has_h2_product(name);
#define FIND(kernel) found = found || strcmp(name, #kernel) == 0;
    FRONTIER_KERNELS(FIND)
#undef FIND
#define FIND(kernel, columns_type, sums_type) found = found || strcmp(name, #kernel) == 0;
    KERNELS(FIND)
#undef FIND
    return found;
}

void fake_run_kernel(const char *name, const unsigned grid[2], unsigned block, unsigned shared_bytes,
                     void **arguments) {
    launch it = {name, arguments};
    if (fake_has_flip_kernel(name)) {
        fake_run_flip_kernel(name, grid, block, shared_bytes, arguments);
        return;
    }
    if (fake_has_h2_kernel(name)) {
        fake_run_h2_kernel(name, grid, block, shared_bytes, arguments);
        return;
    }
    if (fake_has_h2_product(name)) {
        fake_run_h2_product(name, grid, block, shared_bytes, arguments);
        return;
    }
    if (fake_has_spmm_kernel(name)) {
        fake_run_spmm_kernel(name, grid, block, shared_bytes, arguments);
        return;
    }
    shim_launch(thread, &it, (shim_index){grid[0], grid[1], 1}, (shim_index){block, 1, 1}, shared_bytes);
}
