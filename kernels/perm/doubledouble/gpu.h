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

#endif
