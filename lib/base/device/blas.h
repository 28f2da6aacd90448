/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of dense matrices on a GPU by cuBLAS, which is loaded at run time: MMPIPE_LIBCUBLAS names the
 * library; by default it is searched for where the linker and CUDA_HOME, CUDA_PATH, /usr/local/cuda say. */
#ifndef BASE_DEVICE_BLAS_H
#define BASE_DEVICE_BLAS_H

#include "base/device/device.h"

typedef struct base_device_blas base_device_blas;

typedef enum base_device_number {
    BASE_DEVICE_FP16,
    BASE_DEVICE_BF16,
    BASE_DEVICE_TF32, /* fp32 in memory, multiplied as tf32 */
    BASE_DEVICE_FP32,
    BASE_DEVICE_FP64
} base_device_number;

/* C (m x n) = alpha A (m x k) B (k x n) + beta C, all by rows, which are `stride` numbers apart. Sums in
 * fp32, of fp64 in fp64. */
typedef struct base_device_gemm {
    base_device_number number; /* of A and B */
    bool wide;                 /* C in fp32 for fp16 and bf16 */
    int64_t m, n, k;
    uint64_t a, b, c; /* addresses */
    int64_t a_stride, b_stride, c_stride;
    double alpha, beta; /* beta 0: C is not read */
} base_device_gemm;

/* NULL if cuBLAS is there, else why it is not. Any thread; the first call loads it. */
const char *base_device_blas_missing(void);

/* BASE_MACHINE where it is missing or cannot be used with the device. */
base_status base_device_blas_open(base_context *context, base_device *device, base_device_blas **blas);
void base_device_blas_close(base_device_blas *blas); /* NULL is allowed */

/* Submits a product. BASE_FAILED: sizes or strides of 2^31 or more. */
base_status base_device_blas_multiply(base_context *context, base_device_blas *blas,
                                      const base_device_gemm *gemm, base_device_stream *stream);

#endif
