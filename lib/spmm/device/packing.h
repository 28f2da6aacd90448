/* SPDX-License-Identifier: BSD-3-Clause */
/* A on its way into the format of a product: what the families' `prepare` work with. */
#ifndef SPMM_DEVICE_PACKING_H
#define SPMM_DEVICE_PACKING_H

#include "spmm/device/variant.h"

typedef struct spmm_device_packing {
    base_context *context;
    spmm_device_matrix *matrix;
    spmm_device_product *product;
} spmm_device_packing;

/* Brings A into the format of product->variant. */
base_status spmm_device_prepare(base_context *context, spmm_device_matrix *matrix,
                                spmm_device_product *product);

/* Submits a kernel of pack/pack.h. */
base_status spmm_device_packing_launch(const spmm_device_packing *it, const char *name, int64_t blocks,
                                       int threads, int64_t shared_bytes, void *argument);

static inline base_status spmm_device_packing_scan(const spmm_device_packing *it, int64_t length, int arrays,
                                                   int64_t *total) {
    return spmm_device_scan(it->context, it->matrix, length, arrays, total);
}

static inline void spmm_device_packing_take_counts(const spmm_device_packing *it, int64_t two_counts) {
    it->product->worker_count = two_counts & 0xffffffff;
    it->product->part_count = two_counts >> 32;
}

static inline base_status spmm_device_packing_alloc(const spmm_device_packing *it,
                                                    const spmm_device_slice *slices, int count) {
    return spmm_device_take(it->context, it->matrix, slices, count, &it->product->own);
}

static inline base_status spmm_device_packing_clear(const spmm_device_packing *it, uint64_t address,
                                                    int64_t bytes) {
    return spmm_device_clear(it->context, it->matrix, &it->product->own, address, bytes);
}

/* Lets the product's kernel have so much shared memory, and finds how many of its blocks are resident. */
base_status spmm_device_packing_find_resident(const spmm_device_packing *it, int threads,
                                              int64_t shared_bytes);

#endif
