// The device kernels for dense permanents: dense_gpu_real and dense_gpu_complex.
#include "shim.h"

#include "perm/dense_gpu.h"

#ifdef __CUDACC__
#define DENSE_UNROLL _Pragma("unroll")
#define DENSE_NO_UNROLL _Pragma("unroll 1")
#else
#define DENSE_UNROLL
#define DENSE_NO_UNROLL
#endif

// high + low gain the value without an error but that of low.
__device__ __forceinline__ void dense_gpu_two_sum(double *high, double *low, double value) {
    const double sum = *high + value, rest = sum - *high;
    *low += (*high - (sum - rest)) + (value - rest);
    *high = sum;
}

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

// What x gains in this step. No thread passes before all of them are done with the step before.
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

// Adds up the threads' sums, with their signs, in a tree. Overwrites the shared memory.
__device__ void dense_gpu_add_threads(int parts, double sign, dense_gpu_sums sum, double *shared,
                                      dense_gpu_sums *total) {
    const int count = 2 * parts + 1;
    double *mine = shared + threadIdx.x;
    __syncthreads();
    for (int part = 0; part < parts; part++) {
        mine[2 * part * DENSE_GPU_THREADS] = sign * sum.high[part];
        mine[(2 * part + 1) * DENSE_GPU_THREADS] = sign * sum.low[part];
    }
    mine[(count - 1) * DENSE_GPU_THREADS] = sum.magnitude;
    for (int half = DENSE_GPU_THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if ((int)threadIdx.x >= half)
            continue;
        for (int part = 0; part < parts; part++) {
            double *high = mine + 2 * part * DENSE_GPU_THREADS, *low = high + DENSE_GPU_THREADS;
            dense_gpu_two_sum(high, low, high[half]);
            *low += low[half];
        }
        mine[(count - 1) * DENSE_GPU_THREADS] += mine[(count - 1) * DENSE_GPU_THREADS + half];
    }
    if (threadIdx.x != 0)
        return;
    for (int part = 0; part < 2; part++) {
        total->high[part] = part < parts ? shared[2 * part * DENSE_GPU_THREADS] : 0;
        total->low[part] = part < parts ? shared[(2 * part + 1) * DENSE_GPU_THREADS] : 0;
    }
    total->magnitude = shared[(count - 1) * DENSE_GPU_THREADS];
}

#define DENSE_NAME(word) word##_real
#define DENSE_PARTS 1
#define DENSE_INNER DENSE_GPU_INNER_REAL
#define DENSE_CHAINS 1
#define DENSE_RESIDENT 3
#include "perm/dense_gpu_body.h"
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
#include "perm/dense_gpu_body.h"
