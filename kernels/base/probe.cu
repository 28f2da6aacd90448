/* SPDX-License-Identifier: BSD-3-Clause */
// Small kernels that show that a device computes and that the way to it works.
#include "shim.h"

// b[i] += a[i]
SHIM_KERNEL void probe_add(long long n, const double *a, double *b) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        b[i] += a[i];
}

// Sums factor * a[i] over each block in dynamic shared memory; blocks have a power of two of threads.
SHIM_KERNEL void probe_sum(long long n, double factor, const double *a, double *sums) {
    SHIM_DYNAMIC_SHARED(double, partial);
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    partial[threadIdx.x] = i < n ? factor * a[i] : 0;
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            partial[threadIdx.x] += partial[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = partial[0];
}

// What host and device must agree on: bytes of a pointer, of long long and of int, threads of a warp, and the
// compute capability the code was compiled for.
SHIM_KERNEL void probe_widths(int *widths) {
    widths[0] = (int)sizeof(void *);
    widths[1] = (int)sizeof(long long);
    widths[2] = (int)sizeof(int);
    widths[3] = warpSize;
#ifdef __CUDA_ARCH__
    widths[4] = __CUDA_ARCH__ / 10;
#endif
}

// Writes where nothing was allocated.
SHIM_KERNEL void probe_fault(int *nowhere) {
    nowhere[threadIdx.x] = 1;
}
