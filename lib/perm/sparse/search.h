/* SPDX-License-Identifier: BSD-3-Clause */
/* The search for an order of the columns with which a sparse permanent takes few operations. */
#ifndef PERM_SPARSE_SEARCH_H
#define PERM_SPARSE_SEARCH_H

#include "base/core/context.h"
#include "perm/sparse/tree.h"

/* What a device bears, and what costs beside operations, in operations. */
typedef struct perm_sparse_device {
    double entries;    /* alive at a time */
    double operations; /* of a block, because of the length of its code */
    int most_sliced;
    double instruction_cost;       /* of a table: to start its loop */
    double block_cost;             /* of a block */
    int log2_lanes;                /* columns that cannot be low because they keep the lanes busy */
    int log2_runs;                 /* runs that keep it busy; longer ones if there would be more … */
    int least_middle, most_middle; /* … within these limits */
    double chunk_operations;       /* at least, for the smallest part of the sum that is computed alone */
    double rate;                   /* operations a second */
} perm_sparse_device;

/* The best order found: for more and more low columns, from the last order with the best further column, by
 * random changes that are taken when they cost little more (threshold accepting: Dueck and Scheuer, Journal
 * of Computational Physics 90, 1990). The same for the same seed. `moves` changes for each number of low
 * columns; about 10 microseconds each. Returns its price; infinity when some column is empty, -1 when the
 * context's deadline came first, which is looked at every ten milliseconds. */
double perm_sparse_search(const base_context *context, const perm_sparse_pattern *pattern,
                          const perm_sparse_device *device, int64_t moves, perm_sparse_order *order);

#endif
