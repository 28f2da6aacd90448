/* SPDX-License-Identifier: BSD-3-Clause */
/* The frontier dynamic program of frontier.h on an NVIDIA GPU, by the kernels of perm/frontier/gpu.h. Layers
 * are arrays of all sets that the planner's bound counts, so memory and work are known before it runs; a
 * state gets the terms of the processor's kernels in their order. */
#ifndef PERM_FRONTIER_DEVICE_H
#define PERM_FRONTIER_DEVICE_H

#include "base/device/device.h"
#include "perm/frontier/frontier.h"

/* Whether this build has the kernels. */
bool perm_frontier_device_is_built(void);

typedef struct perm_frontier_device_cost {
    double states, transitions; /* over all rows */
    double bytes;               /* of the device's memory */
    double moved_bytes;         /* values read and written */
    const char *reason;         /* why no device can do it; NULL: it fits */
} perm_frontier_device_cost;

/* The sets of a layer: `used` of `open` columns. */
typedef struct perm_layer_sizes {
    int open, used;
    double states;  /* C(open, used) */
    int64_t starts; /* of the rank's table */
} perm_layer_sizes;

/* The sizes of the table after `k` rows. */
perm_layer_sizes perm_layer_get_sizes(const perm_schedule *schedule, int64_t k);

/* Memory and work; PERM_DOUBLE and PERM_EXACT are there. */
void perm_frontier_device_price(const perm_schedule *schedule, perm_arithmetic arithmetic,
                                perm_frontier_device_cost *cost);

/* Whether it has no reason against it and the memory. */
bool perm_frontier_device_fits(const base_device *device, const perm_frontier_device_cost *cost);

/* Expected seconds, but for the start of the device. */
double perm_frontier_device_seconds(const perm_frontier_device_cost *cost);

/* perm_frontier_run on a device, for what has a price. A signal or the context's deadline stops it within a
 * step, and `work`, which may be NULL, has nothing of it then. */
base_status perm_frontier_device_run(base_context *context, base_device *device, const perm_matrix *matrix,
                                     const perm_schedule *schedule, perm_arithmetic arithmetic,
                                     perm_work *work, perm_value *value, perm_frontier_stats *stats);

#endif
