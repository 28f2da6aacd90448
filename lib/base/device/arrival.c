/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/device/arrival.h"
#include "base/core/memory.h"
#include "base/device/internal.h"

#include <stdlib.h>

struct base_device_arrival {
    base_device *device;
    cuda_stream stream;       /* for which the default stream does not wait */
    base_device_event *ready; /* what is copied is there */
    void *room;
    int64_t bytes;
};

base_status base_device_arrival_open(base_context *context, base_device *device, int64_t bytes,
                                     base_device_arrival **result) {
    base_status status;
    base_device_arrival *arrival = NULL;
    *result = NULL;
    BASE_TRY(base_device_enter(context, device));
    arrival = base_alloc_zero(context, 1, sizeof *arrival);
    if (arrival == NULL)
        BASE_TRY(BASE_MACHINE);
    arrival->device = device;
    arrival->bytes = bytes;
    BASE_TRY(base_device_check(context, device,
                               device->driver->cuStreamCreate(&arrival->stream, CUDA_STREAM_APART),
                               "creating a stream"));
    BASE_TRY(base_device_event_open(context, device, &arrival->ready));
    BASE_TRY(base_device_alloc_pinned(context, device, bytes, 1, &arrival->room));
    *result = arrival;
done:
    if (status != BASE_OK)
        base_device_arrival_close(arrival);
    return status;
}

void base_device_arrival_close(base_device_arrival *arrival) {
    if (arrival == NULL)
        return;
    const cuda_driver *driver = arrival->device->driver;
    /* The device may be given up for lost while the copy is under way: then the room stays. */
    if (base_device_enter_quietly(arrival->device) && arrival->stream != NULL &&
        base_device_wait_for(driver, arrival->stream, NULL) == CUDA_OK) {
        driver->cuStreamDestroy(arrival->stream);
        base_device_free_pinned(arrival->device, arrival->room);
    }
    base_device_event_close(arrival->ready);
    free(arrival);
}

int64_t base_device_arrival_room(const base_device_arrival *arrival) {
    return arrival != NULL ? arrival->bytes : 0;
}

base_status base_device_arrival_begin(base_context *context, base_device_arrival *arrival,
                                      const base_device_buffer *buffer, int64_t bytes) {
    base_status status;
    base_device_stream own = {arrival->device, arrival->stream};
    if (bytes > arrival->bytes)
        BASE_TRY(base_fail(context, BASE_MACHINE, "a copy of %lld bytes into room for %lld", (long long)bytes,
                           (long long)arrival->bytes));
    BASE_TRY(base_device_event_record(context, arrival->ready, NULL));
    BASE_TRY(base_device_event_hold(context, arrival->ready, &own));
    BASE_TRY(base_device_download(context, buffer, 0, arrival->room, bytes, &own));
done:
    return status;
}

/* A failure is not the device's here: who works with it meets it, too. */
base_status base_device_arrival_wait(base_context *context, base_device_arrival *arrival, void **bytes) {
    const cuda_driver *driver = arrival->device->driver;
    cuda_result result = driver->cuCtxSetCurrent(arrival->device->cuda);
    if (result == CUDA_OK)
        result = base_device_wait_for(driver, arrival->stream, NULL);
    *bytes = arrival->room;
    return result == CUDA_OK
               ? BASE_OK
               : base_device_fail_driver(context, driver, result, "waiting for a copy from a GPU");
}
