/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels chosen by measuring the most promising ones, and remembered in the cache of base/device/cache.h
 * under a hash of the pattern, the shape, the precision and the machine. */
#ifndef SPMM_PRODUCT_TUNE_H
#define SPMM_PRODUCT_TUNE_H

#include "spmm/plan/plan.h"
#include "spmm/product/product.h"

enum { SPMM_TUNED = 8 }; /* variants that are measured */

/* Makes plan->chosen the one remembered, or the fastest of the SPMM_TUNED cheapest variants of all kernels,
 * which are added to the plan. By times of all variants for 600 products (draw_spmm_matrices.py 80, H200)
 * that takes 0.1 percent longer than the fastest in the mean; five kernels in their cheapest variant
 * take 1.1. C is not needed: it is overwritten with the product. *remembered tells which of the two it was.
 * The time of eleven products and a preparation for each variant. */
base_status spmm_tune(base_context *context, const spmm_machine *machine, const spmm_problem *problem,
                      const spmm_handling *handling, const spmm_operands *operands, spmm_plan *plan,
                      bool *remembered);

#endif
