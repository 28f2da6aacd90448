/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels chosen by measuring the most promising ones, and remembered in the cache of base/device/cache.h
 * under a hash of the pattern, the shape, the precision and the machine. */
#ifndef SPMM_PRODUCT_TUNE_H
#define SPMM_PRODUCT_TUNE_H

#include "spmm/plan/plan.h"
#include "spmm/product/product.h"

enum { SPMM_TUNED = 5 }; /* kernels that are measured */

/* Makes plan->chosen the one remembered, or the fastest of the SPMM_TUNED cheapest. C is not needed: it is
 * overwritten with the product. *remembered tells which of the two it was. The time of a dozen products and
 * three preparations. */
base_status spmm_tune(base_context *context, const spmm_machine *machine, const spmm_problem *problem,
                      const spmm_operands *operands, spmm_plan *plan, bool *remembered);

#endif
