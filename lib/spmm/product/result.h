/* SPDX-License-Identifier: BSD-3-Clause */
/* The product of one device as a record: its numbers stay there for the next program, or come to the host
 * through pinned memory. */
#ifndef SPMM_PRODUCT_RESULT_H
#define SPMM_PRODUCT_RESULT_H

#include "base/device/arrival.h"
#include "spmm/plan/handling.h"
#include "spmm/product/operands.h"
#include "spmm/product/product.h"

/* Memory that a product takes on its way to the host, grown as needed. */
typedef struct spmm_way {
    base_device_buffer columns;   /* of the device */
    base_device_arrival *arrival; /* NULL: not needed yet */
} spmm_way;

void spmm_way_free(spmm_way *way); /* a zero one is allowed */

/* Whether the device has memory for C as a record has it, and for a power, beside the product
 * (spmm_product_stays) and what the way has. */
base_status spmm_result_has_room(base_context *context, const spmm_product *product, int64_t power,
                                 const spmm_way *way, bool *has);

/* After spmm_product_run_there: the numbers in `record`, which is empty. Less than a MiB, what is not finite
 * and what the driver does not hand over come to the host at once, as does what is large beside the host's
 * memory. The way must serve no other product before the numbers have arrived. */
base_status spmm_result_take(base_context *context, spmm_product *product, spmm_goal goal, spmm_way *way,
                             mm_record *record, spmm_overflow *overflow);

#endif
