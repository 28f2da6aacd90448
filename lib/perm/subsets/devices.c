/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/subsets/devices.h"

/* FP64 units of a multiprocessor; the devices for pictures have two. */
static double count_units(int architecture) {
    switch (architecture) {
    case 60:
    case 70:
    case 80: return 32;
    case 90:
    case 100: return 64;
    default: return 2;
    }
}

double perm_devices_rate(const base_device_search *devices) {
    if (devices->found == NULL || base_devices_count(devices->found) == 0)
        return 0;
    const base_device_properties *first = base_device_get_properties(base_devices_get(devices->found, 0));
    return first->multiprocessors * count_units(first->architecture) * first->clock_hertz;
}
