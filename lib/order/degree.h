/* Rows and columns by their numbers of entries, fewest first, ties in the order there was: the columns that a
 * Gray code changes most often touch the fewest rows. */
#ifndef ORDER_DEGREE_H
#define ORDER_DEGREE_H

#include "mm/sparse.h"

typedef struct order_degree {
    int64_t *row, *col; /* row[k], col[k]: the row and column at place k */
} order_degree;

/* Of a matrix by columns. O(nnz + nrow + ncol). */
base_status order_degree_sort(base_context *context, const mm_sparse *matrix, order_degree *order);
void order_degree_free(order_degree *order); /* NULL is allowed */

#endif
