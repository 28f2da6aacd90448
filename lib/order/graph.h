/* SPDX-License-Identifier: BSD-3-Clause */
/* The graph of a square matrix; internal to lib/order. */
#ifndef ORDER_GRAPH_H
#define ORDER_GRAPH_H

#include "mm/matrix/sparse.h"

/* The pattern of A + Aᵀ without its diagonal, lists of neighbours in ascending order. Fails with BASE_FAILED
 * when the matrix is not square. O(nnz + n). */
base_status order_graph_make(base_context *context, const mm_sparse *matrix, mm_sparse *graph);

#endif
