/* SPDX-License-Identifier: BSD-3-Clause */
/* A frontier dynamic program between two steps, as pieces of a state (mm/stream/state.h): how far it has come
 * and its scales first, then the layer, a few megabytes at a time. */
#ifndef PERM_FRONTIER_SNAPSHOT_H
#define PERM_FRONTIER_SNAPSHOT_H

#include "mm/stream/state.h"
#include "perm/frontier/layer.h"
#include "perm/frontier/scale.h"

typedef struct perm_frontier_snapshot {
    const perm_schedule *schedule;
    perm_arithmetic arithmetic;
    int64_t step; /* the next one */
    perm_pool *pool;
    const perm_layer *layer;
    perm_frontier_scale *scale;
    perm_frontier_stats *stats;
    int64_t segment; /* private: the next one to give */
} perm_frontier_snapshot;

/* An mm_state_more of the snapshot. */
base_status perm_frontier_snapshot_give(base_context *context, void *snapshot, int64_t number, char **piece,
                                        int64_t *bytes);

/* Takes the pieces back: step, scale, stats and the states of an empty layer; `pieces` becomes empty, and
 * memory is given back on the way. Fails with BASE_USAGE when they are of another schedule or arithmetic. */
base_status perm_frontier_snapshot_take(base_context *context, mm_state_pieces *pieces,
                                        perm_frontier_snapshot *snapshot, perm_layer *layer);

/* Whether the pieces are those of a frontier in this arithmetic. */
bool perm_frontier_snapshot_is_of(const mm_state_pieces *pieces, perm_arithmetic arithmetic);

#endif
