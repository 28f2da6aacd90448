/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams and events: the order in which a device works. */
#include "base/core/memory.h"
#include "base/device/internal.h"

#include <stdlib.h>

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

base_status base_device_stream_wait(base_context *context, base_device_stream *stream) {
    base_device *device = stream->device;
    base_status status;
    BASE_TRY(base_device_enter(context, device));
    BASE_TRY(base_device_check(context, device, base_device_wait_for(device->driver, stream->handle, NULL),
                               "waiting for a stream"));
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
    BASE_TRY(base_device_check(context, device, base_device_wait_for(device->driver, NULL, last->handle),
                               "waiting for an event"));
    BASE_TRY(base_device_check(context, device,
                               device->driver->cuEventElapsedTime(&milliseconds, first->handle, last->handle),
                               "reading a time"));
    *seconds = 1e-3 * (double)milliseconds;
done:
    return status;
}
