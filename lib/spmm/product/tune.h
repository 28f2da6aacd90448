/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels chosen by measuring the most promising ones, and remembered in the cache of base/device/cache.h
 * under a hash of the pattern, the shape, the precision and the machine. */
#ifndef SPMM_PRODUCT_TUNE_H
#define SPMM_PRODUCT_TUNE_H

#include "spmm/plan/plan.h"
#include "spmm/product/product.h"

enum { SPMM_TUNED = 12 }; /* variants that are measured */

/* What they are measured by, the least first: the price, and five percent of it for each cheaper variant of
 * the same kernel, as these are alike. */
static inline double spmm_tune_rank(double seconds, int variant) {
    return seconds * (1 + 0.05 * variant);
}

/* Makes plan->chosen the one remembered, or the fastest of SPMM_TUNED variants of all kernels, which are
 * added to the plan. By times of all variants for 600 products (draw_spmm_matrices.py 80, H200) that takes
 * 0.7 (16 bits) to 1.1 percent longer than the fastest in the mean. C is not needed: it is overwritten with
 * the product. *remembered tells which of the two it was. For each variant the time of a preparation, of
 * two products and of 3 to 20 measured ones, the more the shorter they are. */
base_status spmm_tune(base_context *context, const spmm_machine *machine, const spmm_problem *problem,
                      const spmm_handling *handling, const spmm_operands *operands, spmm_plan *plan,
                      bool *remembered);

#endif
