/* The sizes of the layers of a frontier on a device; private to device.c and device_cost.c. */
#ifndef PERM_FRONTIER_DEVICE_LAYER_H
#define PERM_FRONTIER_DEVICE_LAYER_H

#include "perm/frontier/device.h"

/* The sets of a layer: `used` of `open` columns. */
typedef struct perm_layer_sizes {
    int open, used;
    double states;  /* C(open, used) */
    int64_t starts; /* of the rank's table */
} perm_layer_sizes;

/* After `k` rows. */
perm_layer_sizes perm_layer_get_sizes(const perm_schedule *schedule, int64_t k);

#endif
