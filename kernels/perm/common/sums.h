/* SPDX-License-Identifier: BSD-3-Clause */
/* What the blocks of the device kernels for dense permanents leave for the driver to add up. */
#ifndef PERM_COMMON_SUMS_H
#define PERM_COMMON_SUMS_H

enum { DENSE_GPU_THREADS = 128 }; /* of a block */

/* What a block adds up to: high + low; the signs s of common/problem.h are in it. */
typedef struct dense_gpu_sums {
    double high[2], low[2]; /* real and imaginary part */
    double magnitude;       /* of |product|, complex |re| + |im| */
} dense_gpu_sums;

/* What a block of the kernels with a bound of the entries' changes leaves. */
typedef struct dense_gpu_certified_sums {
    dense_gpu_sums sums;
    double bound; /* the sum of perm/perturbation/gpu.h */
} dense_gpu_certified_sums;

#endif
