/* Products on a GPU by the device kernels of kernels/spmm/tca.h. */
#ifndef SPMM_DEVICE_TCA_H
#define SPMM_DEVICE_TCA_H

#include "spmm/device_product.h"

typedef struct spmm_device_tca {
    base_device_function function;
    base_device_buffer row, warps, within, start, column, value;
    int64_t blocks;
} spmm_device_tca;

/* For products with n columns, in fp16 or bf16; several short rows in a block, or one. */
base_status spmm_device_tca_init(base_context *context, base_device *device, const spmm_csr *a,
                                 spmm_precision precision, int64_t n, bool several, spmm_device_tca *tca);
void spmm_device_tca_free(spmm_device_tca *tca); /* NULL and a zero one are allowed */

/* Submits a product. */
base_status spmm_device_tca_run(base_context *context, const spmm_device_tca *tca,
                                const spmm_device_operands *operands, base_device_stream *stream);

#endif
