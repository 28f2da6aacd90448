/* The GPUs that permanents may be computed on. They are looked for when the first block is dear enough. */
#ifndef PERM_DEVICES_H
#define PERM_DEVICES_H

#include "base/device.h"

typedef struct perm_devices {
    base_device_choice choice;
    const int *index; /* count: those of --device cuda:N,…; 0: all */
    int count;

    /* private */
    base_devices *found; /* NULL: not looked for yet */
} perm_devices;

/* Looks for them; without any, found has none and says why (base_devices_reason). Fails with BASE_MACHINE
 * when there have to be some. */
base_status perm_devices_find(base_context *context, perm_devices *devices);
void perm_devices_close(perm_devices *devices); /* NULL is allowed */

/* Instructions of the FP64 units of the first device a second, at the highest clock; 0: there is none. */
double perm_devices_rate(const perm_devices *devices);

#endif
