/* SPDX-License-Identifier: BSD-3-Clause */
/* A matrix on a device, ready for products by the kernels of one family. */
#ifndef SPMM_DISPATCH_WORK_H
#define SPMM_DISPATCH_WORK_H

#include "spmm/device/price.h"
#include "spmm/families/families.h"

typedef struct spmm_device_work {
    base_device *device;
    spmm_device_matrix matrix;
    spmm_device_entries entries;
    spmm_device_product product;
    const spmm_device_family *family;
    void *own; /* of an engine */
} spmm_device_work;

/* O(nnz) on the device. BASE_FAILED when the family does not serve. */
base_status spmm_device_work_init(base_context *context, base_device *device, const spmm_problem *problem,
                                  const spmm_device_family *family, spmm_device_work *work,
                                  spmm_preparation *took);
void spmm_device_work_free(spmm_device_work *work); /* NULL and a zero one are allowed */

/* Submits a product; the default stream waits for it. */
base_status spmm_device_work_run(base_context *context, spmm_device_work *work,
                                 const spmm_device_operands *operands);

#endif
