/* Products on a GPU with A as a dense matrix, by cuBLAS. */
#ifndef SPMM_DEVICE_DENSE_H
#define SPMM_DEVICE_DENSE_H

#include "base/device_blas.h"
#include "spmm/device_product.h"

typedef struct spmm_device_dense {
    spmm_precision precision;
    base_device_blas *blas;
    base_device_buffer a;
    int64_t m, k, stride; /* numbers from row to row */
} spmm_device_dense;

/* O(rows · columns) in time and memory, here and on the device. */
base_status spmm_device_dense_init(base_context *context, base_device *device, const spmm_csr *a,
                                   spmm_precision precision, spmm_device_dense *dense);
void spmm_device_dense_free(spmm_device_dense *dense); /* NULL and a zero one are allowed */

/* Submits a product. */
base_status spmm_device_dense_run(base_context *context, const spmm_device_dense *dense,
                                  const spmm_device_operands *operands, base_device_stream *stream);

#endif
