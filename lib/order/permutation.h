/* SPDX-License-Identifier: BSD-3-Clause */
/* An order of the rows and columns of a matrix. The functions that find one take a matrix by columns; only
 * the pattern counts, and the result depends on nothing else.
 *
 * One file a method: degree.h, rcm.h on the graph of graph.h, suitesparse.h (AMD, COLAMD, METIS), overlap.h
 * for products with dense matrices, permanent.h and frontier.h for permanents; record.h orders a record by
 * any of them. The frontier's search is frontier_search.h: costs (frontier_cost.c), greedy orders, local
 * search, and an estimate of what the states will be (frontier_expect.c). */
#ifndef ORDER_PERMUTATION_H
#define ORDER_PERMUTATION_H

#include "mm/matrix/sparse.h"

typedef struct order_permutation {
    int64_t *row, *col; /* row[k], col[k]: the row and column at place k; NULL: as they are */
} order_permutation;

void order_permutation_free(order_permutation *order); /* NULL is allowed */

/* The same order for rows and columns; takes `list` over, also where it fails. */
base_status order_permutation_both(base_context *context, int64_t *list, int64_t length,
                                   order_permutation *order);

/* Fails with BASE_MACHINE where so many bytes for each row and column, of which there may be many more than
 * entries, are more than the context allows. */
base_status order_check_memory(base_context *context, const mm_record *record, int line_bytes);

#endif
