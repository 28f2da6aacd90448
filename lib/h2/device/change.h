/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes of bases on a GPU: what orthogonalization and compression share. */
#ifndef H2_DEVICE_CHANGE_H
#define H2_DEVICE_CHANGE_H

#include "h2/device/device.h"
#include "h2/orthog/gpu.h"

/* Seconds of the parts of a change, with the lists that the host makes for them: norms and weights, bases,
 * coupling blocks. */
typedef struct h2_device_times {
    double weights, bases, blocks;
} h2_device_times;

/* T (new rank × old, binary64) of each node of a basis, as h2_change (change/change.h) has it. */
typedef struct h2_device_change {
    int64_t *offset; /* of each node's, in numbers; nodes + 1 */
    base_device_buffer t;
} h2_device_change;

/* Room for so many numbers a node. */
base_status h2_device_change_alloc(base_context *context, base_device *device, const h2_matrix *matrix,
                                   const int64_t *room, h2_device_change *change);
void h2_device_change_free(h2_device_change *change); /* a zeroed one is allowed */

/* Whether ranks, stacks and leaves are small enough for the device's kernels; and whether they are too large
 * for those that keep a node in shared memory, so that large.h has the steps. */
bool h2_device_can_change(const h2_matrix *matrix);
bool h2_device_is_large(const h2_matrix *matrix);

/* h2_change_blocks on a device, of a matrix that is not large; `from` and `to` may be the same. */
base_status h2_device_change_blocks(base_context *context, base_device_module *module,
                                    const h2_device_matrix *from, const h2_device_change *row,
                                    const h2_device_change *col, const h2_device_matrix *to);

/* The results, with the dense blocks of what they are made from, take its place. */
base_status h2_device_replace(base_context *context, h2_device_matrix *on_device, h2_matrix *matrix,
                              h2_device_matrix *other, h2_matrix *result);

#endif
