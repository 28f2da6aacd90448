#include "perm/devices.h"

base_status perm_devices_find(base_context *context, perm_devices *devices) {
    return devices->found
               ? BASE_OK
               : base_devices_open(context, devices->choice, devices->index, devices->count, &devices->found);
}

void perm_devices_close(perm_devices *devices) {
    if (!devices)
        return;
    base_devices_close(devices->found);
    devices->found = NULL;
}

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

double perm_devices_rate(const perm_devices *devices) {
    if (!devices->found || base_devices_count(devices->found) == 0)
        return 0;
    const base_device_properties *first = base_device_get_properties(base_devices_get(devices->found, 0));
    return first->multiprocessors * count_units(first->architecture) * first->clock_hertz;
}
