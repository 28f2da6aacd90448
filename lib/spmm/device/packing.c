/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/device/packing.h"
#include "spmm/device/family.h"

base_status spmm_device_packing_launch(const spmm_device_packing *it, const char *name, int64_t blocks,
                                       int threads, int64_t shared_bytes, void *argument) {
    return spmm_device_pack(it->context, it->matrix->device, name,
                            &(base_device_launch_config){.grid = {(unsigned)blocks},
                                                         .block = {(unsigned)threads},
                                                         .shared_bytes = shared_bytes},
                            argument);
}

base_status spmm_device_packing_find_resident(const spmm_device_packing *it, int threads,
                                              int64_t shared_bytes) {
    base_status status;
    spmm_device_product *product = it->product;
    BASE_TRY(base_device_allow_shared(it->context, &product->function, shared_bytes));
    BASE_TRY(base_device_get_occupancy(it->context, &product->function, threads, shared_bytes,
                                       &product->resident));
done:
    return status;
}

base_status spmm_device_prepare(base_context *context, spmm_device_matrix *matrix,
                                spmm_device_product *product) {
    const spmm_device_packing it = {context, matrix, product};
    return product->variant.code->prepare(&it);
}
