/* Searches on devices as jobs: pools, limits, progress. */
#ifndef FLIP_DEVICE_WORK_H
#define FLIP_DEVICE_WORK_H

#include "flip/device.h"
#include "flip/work.h"

/* As flip_work_search, without a state. */
base_status flip_device_work(base_context *context, base_devices *devices, flip_work *work,
                             const flip_scheme *scheme, const flip_search_options *options,
                             const flip_device_options *device_options, flip_pools *result, bool *reached);

#endif
