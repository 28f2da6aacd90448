/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/perm/doubledouble/device.c and the device kernels for double-double permanents:
 * the sum of kernel.h. dd_gpu_1 takes row sums of one part, dd_gpu_2 of two, dd_gpu_complex_1
 * and dd_gpu_complex_2 complex ones. */
#ifndef PERM_DOUBLEDOUBLE_GPU_H
#define PERM_DOUBLEDOUBLE_GPU_H

enum { DD_GPU_INNER = 3 /* B of common/gray_gpu.h */ };

/* What a block adds up to: high + middle + low, real and imaginary part. */
typedef struct dd_gpu_sums {
    double high[2], middle[2], low[2];
    double magnitude; /* of |product|, complex |re| + |im| */
} dd_gpu_sums;

/* KERNEL(name, is_complex, has_low, blocks on a multiprocessor at a time). */
#define DD_GPU_KERNELS(KERNEL)                                                                               \
    KERNEL(dd_gpu_1, 0, 0, 4)                                                                                \
    KERNEL(dd_gpu_2, 0, 1, 3)                                                                                \
    KERNEL(dd_gpu_complex_1, 1, 0, 2)                                                                        \
    KERNEL(dd_gpu_complex_2, 1, 1, 1)

#endif
