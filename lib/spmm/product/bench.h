/* SPDX-License-Identifier: BSD-3-Clause */
/* Measuring products, on whatever they run. */
#ifndef SPMM_PRODUCT_BENCH_H
#define SPMM_PRODUCT_BENCH_H

#include "spmm/product/product.h"

typedef struct spmm_times {
    double warm_seconds; /* median of products one after the other */
    double cold_seconds; /* median of products after the caches were cleared */
    int warm, cold;      /* measured: 20 and 10, fewer when they take long */
} spmm_times;

/* Warm products alone: their median. */
base_status spmm_bench_warm(base_context *context, spmm_product *product, const spmm_operands *operands,
                            double most_seconds, double *seconds);

/* Products of operands with beta 0 after two that are not measured; C is stored. BASE_FAILED when the product
 * is divided. At most about `most_seconds` for each kind, but three products. */
base_status spmm_bench(base_context *context, spmm_product *product, const spmm_operands *operands,
                       double most_seconds, spmm_times *times);

/* The largest |C - exact C| / (|A| |B|) over up to `rows` rows, spread evenly: C as computed, `exact` with A
 * and B (row-major without gaps) as they were given, in doubles. */
double spmm_error(const spmm_problem *problem, const void *c, int64_t c_row, const spmm_csr *exact_a,
                  const double *exact_b, int64_t rows);

#endif
