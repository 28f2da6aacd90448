/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies from a device to pinned memory that go on while the device computes. Whoever wants the numbers waits
 * for them, on any thread. */
#ifndef BASE_DEVICE_ARRIVAL_H
#define BASE_DEVICE_ARRIVAL_H

#include "base/device/device.h"

typedef struct base_device_arrival base_device_arrival;

/* Room for so many bytes, one copy at a time. To pin memory takes longer than to copy it a few times. */
base_status base_device_arrival_open(base_context *context, base_device *device, int64_t bytes,
                                     base_device_arrival **arrival);
void base_device_arrival_close(base_device_arrival *arrival); /* waits for its copy; NULL is allowed */

/* Bytes that it has room for; NULL has none. */
int64_t base_device_arrival_room(const base_device_arrival *arrival);

/* Begins to copy the first `bytes` of a buffer as soon as all that was submitted to the device before is
 * done. What is submitted later does not wait for it. The buffer must not change until it was waited for, nor
 * may another copy begin. */
base_status base_device_arrival_begin(base_context *context, base_device_arrival *arrival,
                                      const base_device_buffer *buffer, int64_t bytes);

/* Waits for the copy, whose bytes lie in the room. On any thread, while another one works with the device. */
base_status base_device_arrival_wait(base_context *context, base_device_arrival *arrival, void **bytes);

#endif
