/* SPDX-License-Identifier: BSD-3-Clause */
/* Searches on devices as a method of work.h. */
#ifndef FLIP_JOB_DEVICE_WORK_H
#define FLIP_JOB_DEVICE_WORK_H

#include "flip/device/device.h"
#include "flip/job/work.h"

typedef struct flip_work_devices {
    base_devices *devices;
    const flip_search_options *options;
    const flip_device_options *device_options;

    /* private, zero at first */
    int64_t target, steps, keep;
    flip_device_search *search;
    flip_pools pools;
} flip_work_devices;

flip_work_method flip_work_on_devices(flip_work_devices *data);

#endif
