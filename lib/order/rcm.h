/* SPDX-License-Identifier: BSD-3-Clause */
/* Reverse Cuthill-McKee order of A + Aᵀ, for a small bandwidth: components one after another, each in
 * breadth-first order from an end of a long path, neighbours by ascending degree, and all of it reversed.
 *
 * Cuthill, McKee: Reducing the bandwidth of sparse symmetric matrices (1969); George, Liu: An implementation
 * of a pseudoperipheral node finder (1979). */
#ifndef ORDER_RCM_H
#define ORDER_RCM_H

#include "order/permutation.h"

/* Fails with BASE_FAILED when the matrix is not square. O(nnz log nnz), with a few passes more for each
 * component with long paths. */
base_status order_rcm(base_context *context, const mm_sparse *matrix, order_permutation *order);

#endif
