/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes of matrices that do not fit a device: bases lie there, and coupling blocks come from the host's
 * memory in parts, each of H2_DEVICE_PART_BYTES or a quarter of the memory that is free. Dense blocks stay
 * where they are. large.h has the steps, for all ranks. */
#ifndef H2_DEVICE_PARTS_H
#define H2_DEVICE_PARTS_H

#include "h2/device/change.h"
#include "h2/device/truncate.h"

/* Bytes that a device must have free for this: bases before and after the change, three times rank² numbers
 * (weights or T, and vectors) a node for each basis, a workspace for one node, lists. */
int64_t h2_device_parts_bytes(const h2_matrix *matrix);

/* h2_change_blocks, from the matrix in the host's memory to the result there. */
base_status h2_device_change_in_parts(base_context *context, base_device *device, const h2_matrix *matrix,
                                      const h2_device_change *row, const h2_device_change *col,
                                      h2_matrix *result);

/* The steps of a truncation (truncation->large). */
base_status h2_device_weigh_in_parts(base_context *context, const h2_device_truncation *truncation);

#endif
