/* SPDX-License-Identifier: BSD-3-Clause */
/* Truncated bases on a GPU, a step of compression. */
#ifndef H2_DEVICE_TRUNCATE_H
#define H2_DEVICE_TRUNCATE_H

#include "h2/compress/gpu.h"
#include "h2/device/change.h"

/* One basis, as h2_truncation (change/truncate.h) has it. */
typedef struct h2_device_truncation {
    const h2_device_matrix *from;
    const h2_basis *basis;
    bool columns, gram;                             /* gram: weights by Gram matrices */
    const struct h2_device_truncation_steps *large; /* for ranks above 64 (large.h), else NULL */
    base_device_module *module;

    /* out */
    int64_t *rank;           /* kept at each node */
    h2_device_change change; /* from the old coefficients to the new ones; before that the weights */
    base_device_buffer vectors;
    base_device_buffer
        level_vectors[H2_MOST_LEVELS]; /* large: of a level's nodes but leaves, whose T has them */
    int64_t *vector_place;             /* large: of each node in its level's */
    double cut_square;
    double begun, weights_done; /* on the clock */

    /* private */
    base_device_buffer stacks, sigma, cut, products, counts; /* counts: kept, resolved, most of a level */
} h2_device_truncation;

/* Weights, then bases, level by level, of a truncation whose memory there is. */
typedef struct h2_device_truncation_steps {
    base_status (*weigh)(base_context *context, const h2_device_truncation *truncation);
    base_status (*truncate)(base_context *context, h2_device_truncation *truncation,
                            const h2_gpu_truncate_how *how);
} h2_device_truncation_steps;

/* h2_truncate on the device of `from`; in: what stands before `out`, the rest zeroed. Free it after a failure
 * too. */
base_status h2_device_truncate(base_context *context, h2_device_truncation *truncation,
                               const h2_gpu_truncate_how *how);

/* Where the kernels find what is known of the nodes. */
static inline h2_gpu_truncate_state h2_device_truncate_state(const h2_device_truncation *t) {
    int *counts = (int *)t->counts.address;
    const int64_t nodes = t->from->matrix->tree.nodes;
    return (h2_gpu_truncate_state){.weights = (const double *)t->change.t.address,
                                   .t = (double *)t->change.t.address,
                                   .vectors = (double *)t->vectors.address,
                                   .stacks = (double *)t->stacks.address,
                                   .sigma = (double *)t->sigma.address,
                                   .cut = (double *)t->cut.address,
                                   .products = (double *)t->products.address,
                                   .rank = counts,
                                   .found = counts + nodes,
                                   .most = counts + 2 * nodes};
}

void h2_device_truncation_free(h2_device_truncation *truncation);

#endif
