/* The GPUs that the programs of tests/gpu run on. */
#ifndef TESTS_SUPPORT_GPU_DEVICES_H
#define TESTS_SUPPORT_GPU_DEVICES_H

#include "base/device/device.h"
#include "tests/support/tap.h"

/* Opens all GPUs of this machine; where there is none the tests are skipped with the reason. The caller
 * closes *devices in either case. */
static inline bool gpu_devices_open(base_context *context, base_devices **devices) {
    const bool opened = base_devices_open(context, BASE_DEVICE_AUTO, NULL, 0, devices) == BASE_OK;
    if (opened && base_devices_count(*devices) > 0)
        return true;
    tap_skip(1, opened ? base_devices_reason(*devices) : context->error.cause);
    return false;
}

#endif
