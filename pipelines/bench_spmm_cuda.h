/* SPDX-License-Identifier: BSD-3-Clause */
/* cuSPARSE and cuBLAS beside our kernels, loaded with dlopen: from $MMPIPE_CUDA_LIBRARIES (a folder) or where
 * the system's loader looks. */
#ifndef BENCH_SPMM_CUDA_H
#define BENCH_SPMM_CUDA_H

#include "base/device/device.h"
#include "spmm/common/kernel.h"

/* A product of dense or sparse A (M × K) with dense B, by rows, on the device. */
typedef struct bench_spmm_case {
    spmm_precision precision;
    int64_t m, k, n, nnz;
    uint64_t start, column, value; /* compressed rows; start as 32-bit numbers */
    uint64_t dense;                /* or M × K numbers by rows */
    uint64_t b, c;                 /* n numbers a row */
} bench_spmm_case;

enum { BENCH_SPARSE_ALGORITHMS = 3 };

/* NULL or why they cannot be used. */
const char *bench_spmm_cuda_open(void);

/* Makes the product with algorithm 0 … 2 of cuSPARSE for compressed rows ready; false: it does not take it.
 */
bool bench_spmm_sparse_prepare(base_context *context, base_device *device, const bench_spmm_case *it,
                               int algorithm);
bool bench_spmm_sparse_run(void);
void bench_spmm_sparse_end(void);

bool bench_spmm_dense_run(const bench_spmm_case *it);

#endif
