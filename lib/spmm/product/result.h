/* SPDX-License-Identifier: BSD-3-Clause */
/* The product of one device as a record: its numbers stay there for the next program, or come to the host
 * through pinned memory. */
#ifndef SPMM_PRODUCT_RESULT_H
#define SPMM_PRODUCT_RESULT_H

#include "spmm/product/operands.h"
#include "spmm/product/product.h"

/* Whether the device has memory for C as a record has it, and for a power, beside the product
 * (spmm_product_stays) and what `columns` has. */
base_status spmm_result_has_room(base_context *context, const spmm_product *product, int64_t power,
                                 const base_device_buffer *columns, bool *has);

/* After spmm_product_run_there: the numbers in `record`, which is empty. `leaves`: on the device, if they are
 * a MiB or more, finite, and the driver hands memory over; otherwise on the host. `columns` is memory of the
 * device on the way there, grown as needed, that may serve the next product. */
base_status spmm_result_take(base_context *context, spmm_product *product, bool leaves,
                             base_device_buffer *columns, mm_record *record, spmm_overflow *overflow);

#endif
