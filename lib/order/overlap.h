/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders of rows for products with dense matrices: rows that share columns come together, so that a row of
 * the dense matrix is fetched once for several of them. Columns stay where they are.
 *
 * The measure of an order is the number of distinct columns of each window of ORDER_WINDOW rows, added up:
 * the rows of the dense matrix that windows fetch. */
#ifndef ORDER_OVERLAP_H
#define ORDER_OVERLAP_H

#include "order/permutation.h"

enum { ORDER_WINDOW = 32 };

/* What an order must gain by that measure, for products to take about 1.3 times less time: caches share rows
 * between windows as well, and alike rows that come together may be long. On an H200 a gain of 3.5 (shuffled
 * communities) made products 1.0 to 1.5 times faster, 1.3 times in the mean; gains of 1.4 to 2.7 (stencils,
 * graphs, 14 real matrices) 0.4 to 1.16 times, 0.92 times in the mean. */
#define ORDER_LEAST_GAIN 3.0

typedef struct order_overlap {
    const char *by; /* "overlap", "degree", or "none" where nothing promised or gave ORDER_LEAST_GAIN */
    double gain;    /* columns before over columns after, at least 1 */
} order_overlap;

/* Tries rows by their numbers of entries, most first, and clusters: each window is filled with the row that
 * has most columns among those of the window already. Clustering is tried on a sample of windows first.
 * Where by is "none" rows keep their order. Time: O(nnz) for the sample; for clusters the sum over the
 * entries of the length of their columns, where columns of more than 64 + 8 times the mean are passed over.
 */
base_status order_for_products(base_context *context, const mm_sparse *matrix, order_permutation *order,
                               order_overlap *found);

#endif
