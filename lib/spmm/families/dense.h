/* SPDX-License-Identifier: BSD-3-Clause */
/* Products on a GPU with A as a dense matrix, by cuBLAS. */
#ifndef SPMM_FAMILIES_DENSE_H
#define SPMM_FAMILIES_DENSE_H

#include "base/device/blas.h"
#include "spmm/device/product.h"

typedef struct spmm_device_dense {
    spmm_precision precision;
    base_device_blas *blas;
    uint64_t a;
    base_device_buffer own;
    int64_t m, k, stride; /* numbers from row to row */
} spmm_device_dense;

/* Starts cuBLAS, a few milliseconds. */
base_status spmm_device_dense_open(base_context *context, base_device *device, spmm_device_dense *dense);

/* Expands A on the device, with the matrix if there is room; the matrix must stay. O(rows · columns). */
base_status spmm_device_dense_fill(base_context *context, spmm_device_matrix *matrix,
                                   spmm_precision precision, spmm_device_dense *dense);
void spmm_device_dense_free(spmm_device_dense *dense); /* NULL and a zero one are allowed */

/* Submits a product. */
base_status spmm_device_dense_run(base_context *context, const spmm_device_dense *dense,
                                  const spmm_device_operands *operands, base_device_stream *stream);

#endif
