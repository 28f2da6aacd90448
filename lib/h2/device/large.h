/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of orthogonalization and compression for ranks above 64 and leaves of more than 128 points, by
 * lists of products and factorizations (kernels/h2/large). Workspaces are made in pieces where memory is
 * short. */
#ifndef H2_DEVICE_LARGE_H
#define H2_DEVICE_LARGE_H

#include "h2/device/change.h"
#include "h2/device/products.h"
#include "h2/device/truncate.h"

/* Orthonormal bases of the ranks that `result` has, and the change, for which room is made. Returns before it
 * is done. */
base_status h2_device_orthogonalize_large(base_context *context, const h2_device_matrix *from,
                                          const h2_device_matrix *to, const h2_basis *basis,
                                          const h2_basis *result, h2_device_change *change);

/* h2_device_change_blocks of blocks first … end - 1, which `from` and `to` have. */
base_status h2_device_change_large_blocks(base_context *context, const h2_device_matrix *from,
                                          const h2_device_change *row, const h2_device_change *col,
                                          const h2_device_matrix *to, int64_t first, int64_t end);

/* What the nodes' own blocks weigh: those that `blocks` has, first … end - 1, of parts from block 0 on; then,
 * from the root down, what the parents' weigh. */
base_status h2_device_weigh_large_blocks(base_context *context, const h2_device_truncation *truncation,
                                         const h2_device_matrix *blocks, int64_t first, int64_t end);
base_status h2_device_weigh_large_parents(base_context *context, const h2_device_truncation *truncation);

/* The weights of a truncation, and its bases: both are truncation->large. */
base_status h2_device_weigh_large(base_context *context, const h2_device_truncation *truncation);
base_status h2_device_truncate_large(base_context *context, h2_device_truncation *truncation,
                                     const h2_gpu_truncate_how *how);
static const h2_device_truncation_steps h2_device_large_steps = {h2_device_weigh_large,
                                                                 h2_device_truncate_large};

/* The leaves' bases in the new coefficients. */
base_status h2_device_store_large_leaves(base_context *context, const h2_device_truncation *truncation,
                                         const h2_device_matrix *result, const h2_basis *to);

#endif
