/* Many dense permanents on devices at a time: the chunks of dense.h for each, with the numbers that
 * dense_device.h gives. */
#ifndef PERM_DENSE_BATCH_H
#define PERM_DENSE_BATCH_H

#include "perm/dense_device.h"

/* The largest n that is worth it: larger ones keep a device busy alone. */
enum { PERM_DENSE_BATCH_LARGEST = 32 };

typedef struct perm_dense_batch_item {
    const perm_dense *dense;     /* with chunks, and n of its problem up to PERM_DENSE_BATCH_LARGEST */
    perm_dense_partial *partial; /* chunk_count */
} perm_dense_batch_item;

/* Computes all of them; reorders the items. Matrices of one order share launches, one thread for each
 * device. */
base_status perm_dense_batch_run(base_context *context, base_devices *devices, perm_dense_batch_item *item,
                                 int64_t count);

#endif
