/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams and events: the order in which a device works. */
#include "base/core/memory.h"
#include "base/device/internal.h"

#include <stdlib.h>
#include <time.h>

static double read_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct base_device_event {
    base_device *device;
    cuda_event handle;
};

base_status base_device_stream_open(base_context *context, base_device *device, base_device_stream **result) {
    base_status status;
    base_device_stream *stream = NULL;
    *result = NULL;
    BASE_TRY(base_device_enter(context, device));
    stream = base_alloc_zero(context, 1, sizeof *stream);
    if (stream == NULL)
        BASE_TRY(BASE_MACHINE);
    stream->device = device;
    BASE_TRY(base_device_check(context, device, device->driver->cuStreamCreate(&stream->handle, 0),
                               "creating a stream"));
    *result = stream;
done:
    if (status != BASE_OK)
        free(stream);
    return status;
}

void base_device_stream_close(base_device_stream *stream) {
    if (stream == NULL)
        return;
    if (base_device_enter_quietly(stream->device))
        stream->device->driver->cuStreamDestroy(stream->handle);
    free(stream);
}

/* A device that has not answered for so long never will. */
static double most_wait_seconds(void) {
    const char *text = getenv("MMPIPE_DEVICE_SECONDS");
    return text != NULL ? strtod(text, NULL) : 3600;
}

/* What takes long is looked at again and again, so that a device that hangs does not keep its thread for
 * ever. */
static cuda_result wait_for(const cuda_driver *driver, cuda_stream stream, cuda_event event) {
    const double busy_seconds = 0.02, start = read_clock();
    const struct timespec pause = {.tv_nsec = 100000};
    double limit = 0;
    cuda_result result;
    while ((result = event != NULL ? driver->cuEventQuery(event) : driver->cuStreamQuery(stream)) ==
           CUDA_NOT_READY) {
        const double waited = read_clock() - start;
        if (waited < busy_seconds)
            continue;
        limit = limit > 0 ? limit : most_wait_seconds();
        if (waited > limit)
            return CUDA_LAUNCH_TIMEOUT;
        nanosleep(&pause, NULL);
    }
    return result;
}

base_status base_device_stream_wait(base_context *context, base_device_stream *stream) {
    base_device *device = stream->device;
    base_status status;
    BASE_TRY(base_device_enter(context, device));
    BASE_TRY(base_device_check(context, device, wait_for(device->driver, stream->handle, NULL),
                               "waiting for a stream"));
done:
    return status;
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
    BASE_TRY(
        base_device_check(context, device, wait_for(driver, NULL, device->last), "waiting for its kernels"));
done:
    return status;
}

base_status base_device_event_open(base_context *context, base_device *device, base_device_event **result) {
    base_status status;
    base_device_event *event = NULL;
    *result = NULL;
    BASE_TRY(base_device_enter(context, device));
    event = base_alloc_zero(context, 1, sizeof *event);
    if (event == NULL)
        BASE_TRY(BASE_MACHINE);
    event->device = device;
    BASE_TRY(base_device_check(context, device, device->driver->cuEventCreate(&event->handle, 0),
                               "creating an event"));
    *result = event;
done:
    if (status != BASE_OK)
        free(event);
    return status;
}

void base_device_event_close(base_device_event *event) {
    if (event == NULL)
        return;
    if (base_device_enter_quietly(event->device))
        event->device->driver->cuEventDestroy(event->handle);
    free(event);
}

base_status base_device_event_record(base_context *context, base_device_event *event,
                                     base_device_stream *stream) {
    base_device *device = event->device;
    base_status status;
    BASE_TRY(base_device_enter(context, device));
    BASE_TRY(base_device_check(
        context, device, device->driver->cuEventRecord(event->handle, base_device_stream_handle(stream)),
        "recording an event"));
done:
    return status;
}

base_status base_device_event_hold(base_context *context, base_device_event *event,
                                   base_device_stream *stream) {
    base_device *device = event->device;
    base_status status;
    BASE_TRY(base_device_enter(context, device));
    BASE_TRY(base_device_check(
        context, device,
        device->driver->cuStreamWaitEvent(base_device_stream_handle(stream), event->handle, 0),
        "making a stream wait"));
done:
    return status;
}

base_status base_device_event_seconds(base_context *context, base_device_event *first,
                                      base_device_event *last, double *seconds) {
    base_device *device = last->device;
    base_status status;
    float milliseconds = 0;
    BASE_TRY(base_device_enter(context, device));
    BASE_TRY(base_device_check(context, device, wait_for(device->driver, NULL, last->handle),
                               "waiting for an event"));
    BASE_TRY(base_device_check(context, device,
                               device->driver->cuEventElapsedTime(&milliseconds, first->handle, last->handle),
                               "reading a time"));
    *seconds = 1e-3 * (double)milliseconds;
done:
    return status;
}
