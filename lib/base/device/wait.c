/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for a device, which may hang. */
#include "base/device/internal.h"

#include <stdlib.h>
#include <time.h>

double base_device_most_wait_seconds(void) {
    const char *text = getenv("MMPIPE_DEVICE_SECONDS");
    return text != NULL ? strtod(text, NULL) : 3600;
}

cuda_result base_device_wait_for(const cuda_driver *driver, cuda_stream stream, cuda_event event) {
    const double busy_seconds = 0.02, start = base_device_clock();
    const struct timespec pause = {.tv_nsec = 100000};
    double limit = 0;
    cuda_result result;
    while ((result = event != NULL ? driver->cuEventQuery(event) : driver->cuStreamQuery(stream)) ==
           CUDA_NOT_READY) {
        const double waited = base_device_clock() - start;
        if (waited < busy_seconds)
            continue;
        limit = limit > 0 ? limit : base_device_most_wait_seconds();
        if (waited > limit)
            return CUDA_LAUNCH_TIMEOUT;
        nanosleep(&pause, NULL);
    }
    return result;
}

base_status base_device_wait(base_context *context, base_device *device) {
    const cuda_driver *driver = device->driver;
    base_status status;
    BASE_TRY(base_device_enter(context, device));
    if (device->last == NULL)
        BASE_TRY(
            base_device_check(context, device, driver->cuEventCreate(&device->last, 0), "creating an event"));
    /* The stream without a name begins when all others are done. */
    BASE_TRY(
        base_device_check(context, device, driver->cuEventRecord(device->last, NULL), "recording an event"));
    BASE_TRY(base_device_check(context, device, base_device_wait_for(driver, NULL, device->last),
                               "waiting for its kernels"));
done:
    return status;
}

bool base_device_enter_quietly(base_device *device) {
    base_context unheard = {0};
    return device->cuda != NULL && device->lost[0] == '\0' && base_device_wait(&unheard, device) == BASE_OK;
}
