/* A matrix on a device, ready for products by the kernels of one family or of a mix. */
#ifndef SPMM_DISPATCH_WORK_H
#define SPMM_DISPATCH_WORK_H

#include "spmm/dispatch/mix.h"

typedef struct spmm_device_work {
    base_device *device;
    spmm_device_matrix matrix;
    spmm_device_entries entries;
    spmm_device_product product[2]; /* one, or those of a mix … */
    int products;
    spmm_row_set bands[2];         /* … which take these … */
    base_device_stream *stream[2]; /* … at the same time */
    const spmm_device_family *family;
    void *own; /* of an engine */
} spmm_device_work;

/* What a product is done with: &spmm_family_mix stands for the mix that the prices say. O(nnz) on the device.
 * BASE_FAILED when there is no mix. */
base_status spmm_device_work_init(base_context *context, base_device *device, const spmm_problem *problem,
                                  const spmm_device_family *family, spmm_device_work *work,
                                  spmm_preparation *took);
void spmm_device_work_free(spmm_device_work *work); /* NULL and a zero one are allowed */

/* A line for each stretch of rows that one of the kernels of a mix takes, the first MOST of them; row 0 has
 * number `first`. */
void spmm_device_work_describe(const spmm_device_work *work, int64_t first, spmm_tell *tell, void *data);

/* Submits a product; the default stream waits for it. */
base_status spmm_device_work_run(base_context *context, spmm_device_work *work,
                                 const spmm_device_operands *operands);

#endif
