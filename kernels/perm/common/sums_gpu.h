/* SPDX-License-Identifier: BSD-3-Clause */
/* Device code: how the device kernels for dense permanents add up without an error but that of low parts. */
#ifndef PERM_COMMON_SUMS_GPU_H
#define PERM_COMMON_SUMS_GPU_H

#include "perm/common/sums.h"

/* high + low gain the value without an error but that of low. */
__device__ __forceinline__ void sums_gpu_two_sum(double *high, double *low, double value) {
    const double sum = *high + value, rest = sum - *high;
    *low += (*high - (sum - rest)) + (value - rest);
    *high = sum;
}

/* Adds up the sums of a block's threads, a power of two of them, with their signs, in a tree. Overwrites
 * the first threads (2 parts + 1) doubles of the shared memory. */
__device__ __forceinline__ void sums_gpu_add_threads(int threads, int parts, double sign, dense_gpu_sums sum,
                                                     double *shared, dense_gpu_sums *total) {
    double *mine = shared + threadIdx.x, *magnitude = mine + 2 * parts * threads;
    __syncthreads();
    for (int part = 0; part < parts; part++) {
        mine[2 * part * threads] = sign * sum.high[part];
        mine[(2 * part + 1) * threads] = sign * sum.low[part];
    }
    *magnitude = sum.magnitude;
    for (int half = threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if ((int)threadIdx.x >= half)
            continue;
        for (int part = 0; part < parts; part++) {
            double *high = mine + 2 * part * threads, *low = high + threads;
            sums_gpu_two_sum(high, low, high[half]);
            *low += low[half];
        }
        *magnitude += magnitude[half];
    }
    if (threadIdx.x != 0)
        return;
    for (int part = 0; part < 2; part++) {
        total->high[part] = part < parts ? shared[2 * part * threads] : 0;
        total->low[part] = part < parts ? shared[(2 * part + 1) * threads] : 0;
    }
    total->magnitude = *magnitude;
}

/* The same with a bound, which has no sign. `is_inside`: whether the thread's sums count. */
__device__ __forceinline__ void sums_gpu_add_certified(int parts, int is_inside, double sign,
                                                       dense_gpu_sums sum, double bound, double *shared,
                                                       dense_gpu_certified_sums *total) {
    const dense_gpu_sums nothing = {{0, 0}, {0, 0}, 0};
    dense_gpu_sums bounds = nothing, all;
    bounds.magnitude = is_inside ? bound : 0;
    sums_gpu_add_threads(DENSE_GPU_THREADS, parts, sign, is_inside ? sum : nothing, shared, &total->sums);
    __syncthreads();
    sums_gpu_add_threads(DENSE_GPU_THREADS, 1, 1, bounds, shared, &all);
    if (threadIdx.x == 0)
        total->bound = all.magnitude;
}

#endif
