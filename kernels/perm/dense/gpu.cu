/* SPDX-License-Identifier: BSD-3-Clause */
// The device kernels for dense permanents: dense_gpu_real and dense_gpu_complex, and these with the bounds of
// perm/perturbation/gpu.h: dense_gpu_certified_real and dense_gpu_certified_complex.
#include "shim.h"

#include "perm/common/sums_gpu.h"
#include "perm/dense/gpu.h"
#include "perm/perturbation/gpu.h"

#ifdef __CUDACC__
#define DENSE_UNROLL _Pragma("unroll")
#define DENSE_NO_UNROLL _Pragma("unroll 1")
#else
#define DENSE_UNROLL
#define DENSE_NO_UNROLL
#endif

// Where value `at` of a column, [part][row], stands in shared memory.
__device__ __forceinline__ int dense_gpu_place(int n, int parts, int at) {
    const int slot = at % n + n % 2;
    return (slot / 2 * parts + at / n) * DENSE_GPU_COLUMNS;
}

// The inner columns in shared memory.
__device__ void dense_gpu_fill_inner(int n, int parts, int count, const double *columns, double *inner) {
    for (int at = threadIdx.x; at < n * parts; at += DENSE_GPU_THREADS) {
        double *row = inner + dense_gpu_place(n, parts, at) + (at % n + n) % 2 * DENSE_GPU_SECOND;
        for (int k = 0; k < count; k++)
            row[k] = columns[(k + 1) * n * parts + at];
    }
}

// What the threads of a block have in common of their x, in the place of the gains.
__device__ void dense_gpu_fill_block(int n, int parts, int fixed, unsigned long long gray,
                                     const double *columns, double *inner) {
    for (int at = threadIdx.x; at < n * parts; at += DENSE_GPU_THREADS) {
        double sum = columns[at];
        for (int k = 0; fixed + k < n - 1; k++)
            if (1LL << k >= DENSE_GPU_THREADS && gray >> k & 1)
                sum += columns[(fixed + k + 1) * n * parts + at];
        inner[dense_gpu_place(n, parts, at) + DENSE_GPU_GAIN + (at % n + n) % 2] = sum;
    }
    __syncthreads();
}

// Writes what x gains in this step. No thread writes before all of them are done with the step before.
__device__ void dense_gpu_fill_gain(int n, int parts, int count, int step, const double *columns,
                                    double *inner) {
    const int bit = __ffs(step) - 1, is_plus = step != 0 && (step ^ step >> 1) >> bit & 1;
    __syncthreads();
    for (int at = threadIdx.x; at < n * parts; at += DENSE_GPU_THREADS) {
        const double gain = step == 0 ? 0 : columns[(count + bit + 1) * n * parts + at];
        inner[dense_gpu_place(n, parts, at) + DENSE_GPU_GAIN + (at % n + n) % 2] = is_plus ? gain : -gain;
    }
    __syncthreads();
}

#define DENSE_NAME(word) word##_real
#define DENSE_PARTS 1
#define DENSE_INNER DENSE_GPU_INNER_REAL
#define DENSE_CHAINS 1
#define DENSE_RESIDENT 3
#include "perm/dense/gpu_body.h"
#include "perm/perturbation/real_gpu.h"
#undef DENSE_NAME
#undef DENSE_PARTS
#undef DENSE_INNER
#undef DENSE_CHAINS
#undef DENSE_RESIDENT

#define DENSE_NAME(word) word##_complex
#define DENSE_PARTS 2
#define DENSE_INNER DENSE_GPU_INNER_COMPLEX
#define DENSE_CHAINS 0
#define DENSE_RESIDENT 2
#include "perm/dense/gpu_body.h"
#include "perm/perturbation/complex_gpu.h"
