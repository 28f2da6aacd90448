/* SPDX-License-Identifier: BSD-3-Clause */
/* The GPUs that permanents may be computed on. They are looked for when the first block is dear enough. */
#ifndef PERM_SUBSETS_DEVICES_H
#define PERM_SUBSETS_DEVICES_H

#include "base/device/device.h"

/* Instructions of the FP64 units of the first device a second, at the highest clock; 0: there is none. */
double perm_devices_rate(const base_device_search *devices);

#endif
