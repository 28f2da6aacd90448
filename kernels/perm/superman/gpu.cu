/* SPDX-License-Identifier: BSD-3-Clause */
// The device kernels of gpu.h: x and the matrix in the memories that their names say, with and without CEG.
#include "shim.h"

#include "perm/common/sums_gpu.h"
#include "perm/superman/gpu.h"

#ifdef __CUDACC__
#define SUPERMAN_UNROLL _Pragma("unroll")
#else
#define SUPERMAN_UNROLL
#endif

// The subsets of a thread: from `first` to `end`, which is not among them.
typedef struct superman_gpu_run {
    long long first, end;
} superman_gpu_run;

__device__ __forceinline__ superman_gpu_run superman_gpu_get_run(int is_ceg, int log2_steps,
                                                                 long long threads, long long block) {
    const long long start = block * SUPERMAN_GPU_THREADS, rest = threads - start,
                    whole = (rest < SUPERMAN_GPU_THREADS ? rest : SUPERMAN_GPU_THREADS) << log2_steps,
                    length = (1LL << log2_steps) + !is_ceg, first = threadIdx.x * length,
                    end = first + length;
    superman_gpu_run run;
    run.first = (start << log2_steps) + (first < whole ? first : whole);
    run.end = (start << log2_steps) + (end < whole ? end : whole);
    return run;
}

// x[row] += factor column[row] for all rows. In registers every index is a constant.
__device__ __forceinline__ void superman_gpu_change(int is_shared, int n, double factor, const double *column,
                                                    double *x) {
    if (is_shared) {
        for (int row = 0; row < n; row++)
            x[row * SUPERMAN_GPU_THREADS] += factor * column[row];
    } else {
        SUPERMAN_UNROLL
        for (int row = 0; row < SUPERMAN_GPU_ROWS; row++)
            if (row < n)
                x[row] += factor * column[row];
    }
}

__device__ __forceinline__ double superman_gpu_multiply(int is_shared, int n, const double *x) {
    double product = x[0];
    if (is_shared) {
        for (int row = 1; row < n; row++)
            product *= x[row * SUPERMAN_GPU_THREADS];
    } else {
        SUPERMAN_UNROLL
        for (int row = 1; row < SUPERMAN_GPU_ROWS; row++)
            if (row < n)
                product *= x[row];
    }
    return product;
}

// Adds up the subsets of a thread. `x`: its row sums, all of them 0.
__device__ __forceinline__ void superman_gpu_add_run(int is_shared, int n, superman_gpu_run run,
                                                     const double *columns, double *x, dense_gpu_sums *sum) {
    const unsigned long long gray = (unsigned long long)(run.first ^ run.first >> 1);
    superman_gpu_change(is_shared, n, 1, columns, x);
    for (int k = 0; k < n - 1; k++)
        if (gray >> k & 1)
            superman_gpu_change(is_shared, n, 1, columns + (k + 1) * n, x);
    for (long long at = run.first; at < run.end; at++) {
        if (at > run.first) {
            const int bit = __ffsll(at) - 1;
            superman_gpu_change(is_shared, n, (at ^ at >> 1) >> bit & 1 ? 1 : -1, columns + (bit + 1) * n, x);
        }
        const double product = superman_gpu_multiply(is_shared, n, x);
        // Subset `at` has as many signs 1 as `at` is odd, and each of them counts -1.
        sums_gpu_two_sum(&sum->high[0], &sum->low[0], at & 1 ? -product : product);
        sum->magnitude += fabs(product);
    }
}

__device__ __forceinline__ void superman_gpu_add_block(int is_x_shared, int is_matrix_shared, int is_ceg,
                                                       int n, int log2_steps, long long threads,
                                                       long long block, const double *columns, double *shared,
                                                       dense_gpu_sums *sums) {
    const superman_gpu_run run = superman_gpu_get_run(is_ceg, log2_steps, threads, block);
    dense_gpu_sums sum = {{0, 0}, {0, 0}, 0};
    double x[SUPERMAN_GPU_ROWS], *far = shared + threadIdx.x,
                                 *matrix = shared + (is_x_shared ? n * SUPERMAN_GPU_THREADS : 0);
    for (int at = threadIdx.x; is_matrix_shared && at < n * n; at += SUPERMAN_GPU_THREADS)
        matrix[at] = columns[at];
    for (int row = 0; is_x_shared && row < n; row++)
        far[row * SUPERMAN_GPU_THREADS] = 0;
    SUPERMAN_UNROLL
    for (int row = 0; row < SUPERMAN_GPU_ROWS; row++)
        x[row] = 0;
    __syncthreads();
    if (is_x_shared)
        superman_gpu_add_run(1, n, run, is_matrix_shared ? matrix : columns, far, &sum);
    else
        superman_gpu_add_run(0, n, run, is_matrix_shared ? matrix : columns, x, &sum);
    sums_gpu_add_threads(SUPERMAN_GPU_THREADS, 1, 1, sum, shared, sums);
}

// Block b of the grid adds up block first + b of `threads` runs. `columns`: [0]: start, [1 + column]: up.
// Shared memory: 128 n doubles if x is there, n^2 if the matrix is, 384 at least.
#define KERNEL(name, is_x_shared, is_matrix_shared, is_ceg)                                                  \
    SHIM_KERNEL void __launch_bounds__(SUPERMAN_GPU_THREADS)                                                 \
        superman_gpu_##name(int n, int log2_steps, long long threads, long long first,                       \
                            const double *columns, dense_gpu_sums *sums) {                                   \
        SHIM_DYNAMIC_SHARED(double, shared);                                                                 \
        superman_gpu_add_block(is_x_shared, is_matrix_shared, is_ceg, n, log2_steps, threads,                \
                               first + blockIdx.x, columns, shared, &sums[blockIdx.x]);                      \
    }
#define KERNELS(name, is_x_shared, is_matrix_shared)                                                         \
    KERNEL(name, is_x_shared, is_matrix_shared, 0)                                                           \
    KERNEL(name##_ceg, is_x_shared, is_matrix_shared, 1)

SUPERMAN_GPU_KERNELS(KERNELS)
#undef KERNELS
#undef KERNEL
