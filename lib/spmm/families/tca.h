/* SPDX-License-Identifier: BSD-3-Clause */
/* Products on a GPU by the device kernels of kernels/spmm/tca/tca.h. */
#ifndef SPMM_FAMILIES_TCA_H
#define SPMM_FAMILIES_TCA_H

#include "spmm/device/product.h"

typedef struct spmm_device_tca {
    base_device_function function;
    spmm_pack_matrix a;
    uint64_t value, row, warps, within; /* with the matrix, or if there was no room in … */
    base_device_buffer own[2];
    int64_t blocks;
} spmm_device_tca;

/* Loads the device code, for fp16 or bf16. */
base_status spmm_device_tca_open(base_context *context, base_device *device, spmm_precision precision,
                                 spmm_device_tca *tca);

/* Numbers of 16 bits, and warps for the rows, for products with n columns; several short rows in a block, or
 * one. The matrix must stay. O(nnz) on the device. */
base_status spmm_device_tca_fill(base_context *context, spmm_device_matrix *matrix, int64_t n, bool several,
                                 spmm_device_tca *tca);
void spmm_device_tca_free(spmm_device_tca *tca); /* NULL and a zero one are allowed */

/* Submits a product. */
base_status spmm_device_tca_run(base_context *context, const spmm_device_tca *tca,
                                const spmm_device_operands *operands, base_device_stream *stream);

#endif
