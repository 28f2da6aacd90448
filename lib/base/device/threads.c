/* SPDX-License-Identifier: BSD-3-Clause */
/* One host thread for each device. */
#include "base/core/memory.h"
#include "base/core/thread.h"
#include "base/device/internal.h"

#include <stdlib.h>

typedef struct device_thread {
    pthread_t id;
    base_context context;
    base_status status;
    base_device *device;
    int position;
    base_device_work *work;
    void *data;
} device_thread;

static void *run_device_thread(void *argument) {
    device_thread *thread = argument;
    thread->status = thread->work(&thread->context, thread->device, thread->position, thread->data);
    return NULL;
}

base_status base_devices_each(base_context *context, base_devices *devices, base_device_work *work,
                              void *data) {
    base_status status = BASE_OK;
    int started = 0;
    device_thread *threads = base_alloc_zero(context, devices->count, sizeof *threads);
    if (threads == NULL)
        return BASE_MACHINE;
    for (; started < devices->count; started++) {
        device_thread *thread = &threads[started];
        thread->context = *context;
        thread->device = &devices->device[started];
        thread->position = started;
        thread->work = work;
        thread->data = data;
        if (base_thread_start(&thread->id, run_device_thread, thread) != 0) {
            status = base_fail(context, BASE_MACHINE, "cannot start a thread for cuda:%d",
                               thread->device->properties.index);
            break;
        }
    }
    for (int i = 0; i < started; i++)
        pthread_join(threads[i].id, NULL);
    for (int i = 0; i < started && status == BASE_OK; i++)
        if (threads[i].status != BASE_OK) {
            status = threads[i].status;
            context->error = threads[i].context.error;
        }
    free(threads);
    return status;
}

static base_status start_device(base_context *context, base_device *device, int position, void *data) {
    (void)position;
    (void)data;
    return base_device_start(context, device);
}

static void *start_devices(void *argument) {
    base_devices *devices = argument;
    base_devices_each(&devices->starter_context, devices, start_device, NULL);
    return NULL;
}

void base_devices_start_early(const base_context *context, base_devices *devices) {
    devices->starter_context = *context;
    devices->has_starter =
        devices->count > 0 && base_thread_start(&devices->starter, start_devices, devices) == 0;
}
