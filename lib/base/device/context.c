/* SPDX-License-Identifier: BSD-3-Clause */
/* The context of a device: made when the device is first used, entered by every call, and given up for lost
 * after errors that the driver does not recover from. */
#include "base/device/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The failures that tell of the call, not of the device. After any other one the device's memory is in doubt.
 */
static bool leaves_device_whole(cuda_result result) {
    switch (result) {
    case CUDA_INVALID_VALUE:
    case CUDA_OUT_OF_MEMORY:
    case CUDA_INVALID_IMAGE:
    case CUDA_NO_BINARY_FOR_GPU:
    case CUDA_INVALID_PTX:
    case CUDA_JIT_COMPILER_NOT_FOUND:
    case CUDA_UNSUPPORTED_PTX_VERSION:
    case CUDA_JIT_COMPILATION_DISABLED:
    case CUDA_NOT_FOUND:
    case CUDA_LAUNCH_OUT_OF_RESOURCES:
    case CUDA_COOPERATIVE_TOO_LARGE:
    case CUDA_NOT_SUPPORTED: return true;
    default: return false;
    }
}

base_status base_device_fail_driver(base_context *context, const cuda_driver *driver, cuda_result result,
                                    const char *what) {
    const char *words = NULL, *name = NULL;
    if (driver->cuGetErrorString(result, &words) != CUDA_OK || words == NULL)
        words = "unknown error";
    if (driver->cuGetErrorName(result, &name) == CUDA_OK && name != NULL)
        return base_fail(context, BASE_MACHINE, "%s: %s (%s)", what, words, name);
    return base_fail(context, BASE_MACHINE, "%s: %s (CUDA error %d)", what, words, result);
}

base_status base_device_check(base_context *context, base_device *device, cuda_result result,
                              const char *format, ...) {
    if (result == CUDA_OK)
        return BASE_OK;
    char what[320];
    size_t length = (size_t)snprintf(what, sizeof what, "cuda:%d (%s): ", device->properties.index,
                                     device->properties.name);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what + length, sizeof what - length, format, arguments);
    va_end(arguments);
    bool whole = leaves_device_whole(result);
    length = strlen(what);
    if (!whole && device->last_kernel[0] != '\0')
        snprintf(what + length, sizeof what - length, " (last kernel: %s)", device->last_kernel);
    base_device_fail_driver(context, device->driver, result, what);
    device->hangs = device->hangs || result == CUDA_LAUNCH_TIMEOUT;
    if (!whole)
        snprintf(device->lost, sizeof device->lost, "%s", context->error.cause);
    return BASE_MACHINE;
}

double base_device_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

base_status base_device_enter(base_context *context, base_device *device) {
    base_status status = BASE_OK;
    const cuda_driver *driver = device->driver;
    pthread_mutex_lock(&device->start);
    if (device->cuda == NULL && device->lost[0] == '\0') {
        const double start = base_device_clock();
        cuda_result result = driver->cuDevicePrimaryCtxRetain(&device->cuda, device->handle);
        device->start_seconds = base_device_clock() - start;
        if (result != CUDA_OK)
            device->cuda = NULL;
        status = base_device_check(context, device, result, "creating a context");
    } else if (device->lost[0] != '\0') {
        status = base_fail(context, BASE_MACHINE, "after an earlier failure: %s", device->lost);
    }
    pthread_mutex_unlock(&device->start);
    if (status != BASE_OK)
        return status;
    return base_device_check(context, device, driver->cuCtxSetCurrent(device->cuda), "using the device");
}

base_status base_device_start(base_context *context, base_device *device) {
    return base_device_enter(context, device);
}

bool base_device_is_started(base_device *device) {
    pthread_mutex_lock(&device->start);
    const bool is_started = device->cuda != NULL;
    pthread_mutex_unlock(&device->start);
    return is_started;
}
