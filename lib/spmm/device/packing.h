/* Shared by the files device_prepare*.c alone. */
#ifndef SPMM_DEVICE_PACKING_H
#define SPMM_DEVICE_PACKING_H

#include "spmm/device/internal.h"

/* A matrix on its way into the format of a product. */
typedef struct spmm_device_packing {
    base_context *context;
    spmm_device_matrix *matrix;
    spmm_device_product *product;
    spmm_pack_matrix a; /* with the bands that are taken */
} spmm_device_packing;

/* An address of the device for kernels/spmm/pack/pack.h. */
#define SPMM_DEVICE_POINTER(type, address) ((type *)(uintptr_t)(address))

static inline base_status spmm_device_packing_launch(const spmm_device_packing *it, const char *name,
                                                     int64_t blocks, int threads, int64_t shared_bytes,
                                                     void *argument) {
    return spmm_device_pack(it->context, it->matrix->device, name,
                            &(base_device_shape){.grid = {(unsigned)blocks},
                                                 .block = {(unsigned)threads},
                                                 .shared_bytes = shared_bytes},
                            argument);
}

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

/* Each brings A into the format of one kind of kernels. */
base_status spmm_device_prepare_windows(const spmm_device_packing *it); /* rings too */
base_status spmm_device_prepare_panels(const spmm_device_packing *it);
base_status spmm_device_prepare_bands(const spmm_device_packing *it);
base_status spmm_device_prepare_splits(const spmm_device_packing *it);

#endif
