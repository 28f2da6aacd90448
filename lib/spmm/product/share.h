/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to lib/spmm: the part of a product that one device has. */
#ifndef SPMM_PRODUCT_SHARE_H
#define SPMM_PRODUCT_SHARE_H

#include "spmm/product/product.h"

/* Rows first … end-1 of the problem; all of them take no copy of row starts. */
base_status spmm_share_open(base_context *context, const spmm_kernel *kernel, const spmm_machine *machine,
                            const spmm_problem *problem, int64_t first, int64_t end, spmm_share *share);
void spmm_share_close(const spmm_kernel *kernel, spmm_share *share);

/* `operands` are those of the whole product. */
base_status spmm_share_load(base_context *context, const spmm_kernel *kernel, const spmm_share *share,
                            const spmm_operands *operands);
base_status spmm_share_run(base_context *context, const spmm_kernel *kernel, const spmm_share *share,
                           const spmm_operands *operands);

#endif
