/* Shared by the files device_*.c alone. */
#ifndef SPMM_DEVICE_INTERNAL_H
#define SPMM_DEVICE_INTERNAL_H

#include "spmm/device_product.h"

/* Memory of the device with a copy of that; not empty. */
base_status spmm_device_send(base_context *context, base_device *device, const void *from, int64_t bytes,
                             base_device_buffer *buffer);

/* Brings A into the format of product->variant. */
base_status spmm_device_prepare(base_context *context, base_device *device, const spmm_csr *a,
                                const int32_t *order, spmm_device_product *product);

/* Shared memory of a block: two tiles of A and three of B. */
int64_t spmm_device_panel_bytes(const spmm_device_product *product);

/* … and some tiles of A and of B. */
int64_t spmm_device_band_bytes(const spmm_device_product *product);

#endif
