/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows and columns by their numbers of entries, fewest first, ties in the order there was: the columns that a
 * Gray code changes most often touch the fewest rows. */
#ifndef ORDER_DEGREE_H
#define ORDER_DEGREE_H

#include "order/permutation.h"

/* O(nnz + nrow + ncol). */
base_status order_degree_sort(base_context *context, const mm_sparse *matrix, order_permutation *order);

#endif
