/* SPDX-License-Identifier: BSD-3-Clause */
/* Products on a GPU with one of the device kernels of kernels/spmm/common/gpu.h. */
#ifndef SPMM_DEVICE_PRODUCT_H
#define SPMM_DEVICE_PRODUCT_H

#include "spmm/device/variant.h"

/* A in the variant's format. `entries` are needed for rows_… and merge_… and
 * must stay, as must the matrix. O(nnz) on the device, which is waited for. */
base_status spmm_device_product_init(base_context *context, spmm_device_matrix *matrix,
                                     spmm_precision precision, const spmm_device_variant *variant,
                                     const spmm_device_entries *entries, spmm_device_product *product);
void spmm_device_product_free(spmm_device_product *product); /* NULL is allowed */

/* Dense matrices on the device, rows at multiples of 16 bytes, that many bytes apart, padding included. */
typedef struct spmm_device_operands {
    uint64_t b, c;
    int64_t n; /* columns */
    int64_t b_stride, c_stride;
    double alpha, beta;
    bool wide; /* C in fp32 for fp16 and bf16 */
} spmm_device_operands;

/* Submits a product. The first for a number of columns allocates room for the sums of parts. */
base_status spmm_device_product_run(base_context *context, spmm_device_product *product,
                                    const spmm_device_operands *operands, base_device_stream *stream);

/* Room for so many bytes of sums, and for counters that are zeros. */
base_status spmm_device_product_make_room(base_context *context, spmm_device_product *product,
                                          int64_t partial_bytes, int64_t counters);

/* The kernel's name: rows_half_4_8_4. */
void spmm_device_variant_name(spmm_precision precision, const spmm_device_variant *variant, char name[48]);

/* Columns of a tile. */
int spmm_device_variant_columns(spmm_precision precision, const spmm_device_variant *variant);

/* Loads the code of a variant, which a product does else when it begins. */
base_status spmm_device_product_load(base_context *context, base_device *device, spmm_precision precision,
                                     const spmm_device_variant *variant, base_device_function *function,
                                     base_device_function *second);

#endif
