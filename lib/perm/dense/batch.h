/* SPDX-License-Identifier: BSD-3-Clause */
/* Many dense permanents on devices at a time: the chunks of dense.h for each, with the numbers that
 * device.h gives. */
#ifndef PERM_DENSE_BATCH_H
#define PERM_DENSE_BATCH_H

#include "perm/dense/device.h"

/* Blocks up to this order share launches. */
enum { PERM_DENSE_BATCH_LARGEST = 32 };

typedef struct perm_dense_batch_item {
    const perm_dense *dense;     /* with chunks, and n of its problem up to PERM_DENSE_BATCH_LARGEST */
    perm_dense_partial *partial; /* chunk_count */
} perm_dense_batch_item;

/* Launches under way on a device. */
enum { PERM_DENSE_BATCH_SLOTS = 3 };

/* A device's memory, and as much pinned here. */
typedef struct perm_dense_batch_room {
    base_device_buffer buffer;
    char *host;
} perm_dense_batch_room;

typedef struct perm_dense_batch_slot {
    base_device_stream *stream; /* NULL: not used yet */
    perm_dense_batch_room columns, sums;
} perm_dense_batch_slot;

/* What stays on the devices between batches; begins with zero bytes. */
typedef struct perm_dense_batch {
    struct perm_dense_batch_device {
        base_device_module *module; /* NULL: not used yet */
        perm_dense_batch_slot slot[PERM_DENSE_BATCH_SLOTS];
    } device[BASE_DEVICES];
    base_devices *devices;
} perm_dense_batch;

/* To be called before the devices are closed. */
void perm_dense_batch_free(perm_dense_batch *batch);

/* Computes all of them; reorders the items. Matrices of one order share launches, one thread for each
 * device. */
base_status perm_dense_batch_run(base_context *context, perm_dense_batch *batch, base_devices *devices,
                                 perm_dense_batch_item *item, int64_t count);

#endif
