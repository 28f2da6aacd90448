/* SPDX-License-Identifier: BSD-3-Clause */
/* What the device kernels for exact and double-double sums share: the walk of problem.h, rows one by one.
 *
 * The order. Columns 0 to B-1 are the inner ones, a thread's products in registers, B to B+S-1 make the 2^S
 * steps of a thread, and the columns from there to n-2 have the signs of the Gray code of the thread's
 * number. A thread's row sums are in shared memory; columns 0 to B+S-1 stand behind those of all threads. */
#ifndef PERM_COMMON_GRAY_GPU_H
#define PERM_COMMON_GRAY_GPU_H

enum {
    GRAY_GPU_THREADS = 128, /* of a block */
    GRAY_GPU_MOST_STEPS = 10
};

#ifdef GRAY_GPU_DEVICE

/* `lines` of the `height` rows of a column count; `fixed` is B + S. Columns: [0] start, [1 + column] up. */
__device__ __forceinline__ void gray_gpu_fill(int n, int height, int lines, int fixed, long long thread,
                                              const double *columns, double *shared) {
    const unsigned long long gray = (unsigned long long)(thread ^ thread >> 1);
    double *x = shared + threadIdx.x, *step = shared + lines * GRAY_GPU_THREADS;
    for (int at = threadIdx.x; at < lines * fixed; at += GRAY_GPU_THREADS)
        step[at] = at % fixed < n - 1 ? columns[(at % fixed + 1) * height + at / fixed] : 0;
    for (int line = 0; line < lines; line++) {
        double sum = columns[line];
        for (int k = 0; fixed + k < n - 1; k++)
            if (gray >> k & 1)
                sum += columns[(fixed + k + 1) * height + line];
        x[line * GRAY_GPU_THREADS] = sum;
    }
    __syncthreads();
}

/* The column that changes before a step, and how: it is added times the factor, 0 before the first one. */
__device__ __forceinline__ int gray_gpu_bit(int step) {
    return step == 0 ? 0 : __ffs(step) - 1;
}
__device__ __forceinline__ double gray_gpu_factor(int step, int bit) {
    return step == 0 ? 0 : (step ^ step >> 1) >> bit & 1 ? 1 : -1;
}

#endif
#endif
