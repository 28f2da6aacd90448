/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this folder share, and nobody else sees: the device as the driver knows it. */
#ifndef BASE_DEVICE_INTERNAL_H
#define BASE_DEVICE_INTERNAL_H

#include "base/device/cuda_driver.h"
#include "base/device/device.h"

#include <pthread.h>

struct base_device {
    const cuda_driver *driver;
    cuda_device handle;
    pthread_mutex_t start;
    cuda_context cuda; /* NULL until the device is started */
    base_device_properties properties;
    int64_t used_bytes, peak_bytes;
    base_device_module *modules; /* those of base_device_get_module */
    cuda_event last;             /* of base_device_wait; NULL until it is called */
    int64_t *mailbox;            /* NULL until it is asked for */
    char *piece[2];              /* pinned memory for large copies; likewise */
    char last_kernel[56];
    double start_seconds;        /* that creating the context took */
    double code_seconds;         /* that loading modules took */
    bool hangs;                  /* a kernel may still run: what the driver would wait for */
    char lost[BASE_CAUSE_BYTES]; /* why the device must not be used any more; empty while it may */
};

struct base_devices {
    cuda_driver driver;
    int count;
    base_device device[BASE_DEVICES];
    char reason[256];    /* why count is 0 */
    double find_seconds; /* that loading the driver and looking for them took */
    int threads;         /* of who opened them */
    pthread_t starter;
    base_context starter_context;
    bool has_starter;
    bool is_aside; /* for memory that was left: its start may be that of a device that runs */
};

struct base_device_stream {
    base_device *device;
    cuda_stream handle;
};

/* Starts the device, makes it current in this thread; fails when the device is lost. Every call begins so. */
base_status base_device_enter(base_context *context, base_device *device);

/* Waits for the event, or, if it is NULL, for the stream. What takes long is looked at again and again, so
 * that a device that hangs does not keep its thread for ever: CUDA_LAUNCH_TIMEOUT after
 * MMPIPE_DEVICE_SECONDS. */
cuda_result base_device_wait_for(const cuda_driver *driver, cuda_stream stream, cuda_event event);

/* Seconds of a clock that never goes back. */
double base_device_clock(void);

/* A device that has not answered for so long never will: MMPIPE_DEVICE_SECONDS. */
double base_device_most_wait_seconds(void);

/* After base_devices_watch: has every call of the driver's functions watched from now on. */
base_status base_device_watch(base_context *context, cuda_driver *driver);

/* Around a call of another library that waits for the device: some tens of nanoseconds, where nobody watches
 * too. `name` must stay. */
typedef struct base_device_call base_device_call;
base_device_call *base_device_call_begin(const char *name);
void base_device_call_end(base_device_call *call);

/* For calls that release things and have nobody to tell. Waits for all kernels: some of these calls of the
 * driver do so without an end, others, as unmapping, not at all. False: leave it, the device is not usable.
 */
bool base_device_enter_quietly(base_device *device);

/* BASE_OK for CUDA_OK; otherwise fails with device, the printf-style description of what was tried, and the
 * driver's words, and marks the device as lost unless the error is known to leave it whole. */
base_status base_device_check(base_context *context, base_device *device, cuda_result result,
                              const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Fails with BASE_MACHINE: what was tried, and the words of the driver. */
base_status base_device_fail_driver(base_context *context, const cuda_driver *driver, cuda_result result,
                                    const char *what);

static inline cuda_stream base_device_stream_handle(const base_device_stream *stream) {
    return stream != NULL ? stream->handle : NULL;
}

/* The code of a fatbin that is not inside the program, from its file; *image is released with free, also
 * after a failure. */
base_status base_device_read_code(base_context *context, const base_device_fatbin *fatbin,
                                  unsigned char **image);

/* Measures and keeps, before devices are closed if one was started, in a few hundredths of a
 * second, 16 MiB of its memory and 32 MiB of the host's; nothing where that is known, where
 * MMPIPE_DEVICE_COSTS is set, and where the device was lost. Failures are not told. */
void base_device_measure_costs(base_devices *devices);

/* Forgets the device's modules; its context is gone or goes next. */
void base_device_forget_modules(base_device *device);

#endif
