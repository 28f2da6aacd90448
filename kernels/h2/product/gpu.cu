/* SPDX-License-Identifier: BSD-3-Clause */
// The device kernels of products with H2 matrices: gpu.h.
#include "h2/common/tensor_gpu.h"

#include "h2/product/gpu.h"

#define H2_EACH "h2/product/gpu_body.h"
#include "h2/common/types_gpu.h"

// Sums the slots of a node, a grid block a node.
SHIM_KERNEL void h2_gpu_sum_slots(const h2_gpu_sum *sums, const double *slots, double *y, int vectors,
                                  int flags) {
    const h2_gpu_sum sum = sums[blockIdx.x];
    const int count = sum.numbers * vectors;
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        const double *from = slots + sum.slot * vectors + i;
        double *to = y + (long long)sum.place * vectors + i, total = 0;
        H2_UNROLL4
        for (int k = 0; k < sum.count; k++)
            total += from[(long long)k * count];
        *to = (flags & H2_GPU_ADD) != 0 ? total + *to : total;
    }
}

// Brings vectors into the tree's order, `width` side by side; those beyond `vectors` are zero.
SHIM_KERNEL void h2_gpu_load(const long long *permutation, long long n, const double *from, int vectors,
                             int width, double *x) {
    const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x, point = at / width;
    const int vector = (int)(at % width);
    if (point < n)
        x[at] = vector < vectors ? from[vector * n + permutation[point]] : 0;
}

// Brings results back into the order of the points: to = alpha y + beta to, where beta 0 does not read it.
SHIM_KERNEL void h2_gpu_store(const long long *permutation, long long n, const double *y, int vectors,
                              int width, double alpha, double beta, double *to) {
    const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x, point = at / width;
    const int vector = (int)(at % width);
    if (point >= n || vector >= vectors)
        return;
    double *place = to + vector * n + permutation[point];
    *place = beta == 0 ? alpha * y[at] : alpha * y[at] + beta * *place;
}
