/* A matrix on a device, ready for products by the kernels of one family or of a mix. */
#ifndef SPMM_DEVICE_WORK_H
#define SPMM_DEVICE_WORK_H

#include "spmm/device/dense.h"
#include "spmm/device/mix.h"
#include "spmm/device/tca.h"

typedef struct spmm_device_work {
    base_device *device;
    spmm_device_matrix matrix;
    spmm_device_entries entries;
    spmm_device_product product[2]; /* one, or those of a mix … */
    int products;
    spmm_row_set bands[2];         /* … which take these … */
    base_device_stream *stream[2]; /* … at the same time */
    spmm_device_family family;
    spmm_device_tca tca;     /* of these families … */
    spmm_device_dense dense; /* … and of this one */
} spmm_device_work;

/* What a product is done with: SPMM_FAMILY_MIX stands for the mix that the prices say. O(nnz) on the device.
 * BASE_FAILED when there is no mix. */
base_status spmm_device_work_init(base_context *context, base_device *device, const spmm_problem *problem,
                                  spmm_device_family family, spmm_device_work *work, spmm_preparation *took);
void spmm_device_work_free(spmm_device_work *work); /* NULL and a zero one are allowed */

/* A line for each stretch of rows that one of the kernels of a mix takes, the first MOST of them; row 0 has
 * number `first`. */
void spmm_device_work_describe(const spmm_device_work *work, int64_t first, spmm_tell *tell, void *data);

/* Submits a product; the default stream waits for it. */
base_status spmm_device_work_run(base_context *context, spmm_device_work *work,
                                 const spmm_device_operands *operands);

#endif
