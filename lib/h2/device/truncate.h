/* SPDX-License-Identifier: BSD-3-Clause */
/* Truncated bases on a GPU; private to compress.c and truncate.c. */
#ifndef H2_DEVICE_TRUNCATE_H
#define H2_DEVICE_TRUNCATE_H

#include "h2/compress/gpu.h"
#include "h2/device/change.h"

/* One basis, as h2_truncation (change/truncate.h) has it. */
typedef struct h2_device_truncation {
    const h2_device_matrix *from;
    const h2_basis *basis;
    bool columns, gram; /* gram: weights by Gram matrices */
    base_device_module *module;

    /* out */
    int64_t *rank;           /* kept at each node */
    h2_device_change change; /* from the old coefficients to the new ones; before that the weights */
    base_device_buffer vectors;
    double cut_square;
    double begun, weights_done; /* on the clock */

    /* private */
    base_device_buffer stacks, sigma, cut, products, counts; /* counts: kept, resolved, most of a level */
} h2_device_truncation;

/* h2_truncate on the device of `from`; in: what stands before `out`, the rest zeroed. Free it after a failure
 * too. */
base_status h2_device_truncate(base_context *context, h2_device_truncation *truncation,
                               const h2_gpu_truncate_how *how);
void h2_device_truncation_free(h2_device_truncation *truncation);

#endif
