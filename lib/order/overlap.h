/* Orders of rows for products with dense matrices: rows that share columns come together, so that a row of
 * the dense matrix is fetched once for several of them. Columns stay where they are.
 *
 * The measure of an order is the number of distinct columns of each window of ORDER_WINDOW rows, added up:
 * the rows of the dense matrix that windows fetch. */
#ifndef ORDER_OVERLAP_H
#define ORDER_OVERLAP_H

#include "order/permutation.h"

enum { ORDER_WINDOW = 32 };
#define ORDER_LEAST_GAIN 1.3

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
