/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of a device: buffers, copies, pinned memory of the host. */
#include "base/device/internal.h"

#include <stdio.h>
#include <string.h>

/* "139.8 GiB", for messages. */
static const char *format_bytes(int64_t bytes, char text[32]) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    int unit = 0;
    for (; value >= 1024 && unit < 6; unit++)
        value /= 1024;
    snprintf(text, 32, "%.*f %s", unit > 0, value, units[unit]);
    return text;
}

static base_status refuse_alloc(base_context *context, const base_device *device, int64_t bytes,
                                int64_t free_bytes) {
    const base_device_properties *p = &device->properties;
    char wanted[32], available[32], total[32], used[32];
    return base_fail(context, BASE_MACHINE,
                     "cuda:%d (%s): out of device memory: %s wanted, %s of %s free, %s in use here", p->index,
                     p->name, format_bytes(bytes, wanted), format_bytes(free_bytes, available),
                     format_bytes(p->memory_bytes, total), format_bytes(device->used_bytes, used));
}

static base_status multiply_size(base_context *context, int64_t count, int64_t size, int64_t *bytes) {
    if (count < 0 || size < 0 || __builtin_mul_overflow(count, size, bytes))
        return base_fail(context, BASE_MACHINE, "no memory for %lld objects of %lld bytes", (long long)count,
                         (long long)size);
    return BASE_OK;
}

base_status base_device_alloc(base_context *context, base_device *device, int64_t count, int64_t size,
                              base_device_buffer *buffer) {
    base_status status;
    int64_t bytes = 0;
    memset(buffer, 0, sizeof *buffer);
    BASE_TRY(base_device_enter(context, device));
    BASE_TRY(multiply_size(context, count, size, &bytes));
    if (bytes > 0) {
        size_t free_bytes = 0, total_bytes = 0;
        const cuda_driver *driver = device->driver;
        const cuda_result result = driver->cuMemAlloc(&buffer->address, (size_t)bytes);
        if (result != CUDA_OK)
            buffer->address = 0;
        if (result == CUDA_OUT_OF_MEMORY) {
            BASE_TRY(base_device_check(context, device, driver->cuMemGetInfo(&free_bytes, &total_bytes),
                                       "reading its free memory"));
            BASE_TRY(refuse_alloc(context, device, bytes, (int64_t)free_bytes));
        }
        BASE_TRY(base_device_check(context, device, result, "allocating %lld bytes", (long long)bytes));
    }
    buffer->device = device;
    buffer->bytes = bytes;
    device->used_bytes += bytes;
    if (device->used_bytes > device->peak_bytes)
        device->peak_bytes = device->used_bytes;
done:
    return status;
}

/* Of base_device_alloc_shared. */
static void unmap(base_device_buffer *buffer) {
    const cuda_driver *driver = buffer->device->driver;
    driver->cuMemUnmap(buffer->address, (size_t)buffer->mapped_bytes);
    driver->cuMemAddressFree(buffer->address, (size_t)buffer->mapped_bytes);
    driver->cuMemRelease(buffer->memory);
}

void base_device_free(base_device_buffer *buffer) {
    base_device *device = buffer->device;
    if (device != NULL) {
        const bool is_alive = buffer->address != 0 && base_device_enter_quietly(device);
        if (is_alive && buffer->mapped_bytes > 0)
            unmap(buffer);
        else if (is_alive)
            device->driver->cuMemFree(buffer->address);
        device->used_bytes -= buffer->mapped_bytes > 0 ? buffer->mapped_bytes : buffer->bytes;
    }
    memset(buffer, 0, sizeof *buffer);
}

base_status base_device_get_memory(base_context *context, base_device *device, int64_t *free_bytes,
                                   int64_t *used_bytes, int64_t *peak_bytes) {
    base_status status;
    size_t available = 0, total = 0;
    BASE_TRY(base_device_enter(context, device));
    BASE_TRY(base_device_check(context, device, device->driver->cuMemGetInfo(&available, &total),
                               "reading its free memory"));
    if (free_bytes != NULL)
        *free_bytes = (int64_t)available;
    if (used_bytes != NULL)
        *used_bytes = device->used_bytes;
    if (peak_bytes != NULL)
        *peak_bytes = device->peak_bytes;
done:
    return status;
}

/* ---- copies ---- */

/* Every copy begins so: the bytes must lie inside the buffer. */
static base_status enter_copy(base_context *context, const base_device_buffer *buffer, int64_t offset,
                              int64_t bytes) {
    if (buffer->device == NULL || offset < 0 || bytes < 0 || bytes > buffer->bytes - offset)
        return base_fail(context, BASE_MACHINE,
                         "device copy of %lld bytes at byte %lld of a buffer of %lld bytes", (long long)bytes,
                         (long long)offset, (long long)buffer->bytes);
    return base_device_enter(context, buffer->device);
}

base_status base_device_upload(base_context *context, const base_device_buffer *buffer, int64_t offset,
                               const void *host, int64_t bytes, base_device_stream *stream) {
    base_device *device = buffer->device;
    base_status status;
    BASE_TRY(enter_copy(context, buffer, offset, bytes));
    if (bytes == 0)
        goto done;
    cuda_pointer to = buffer->address + (uint64_t)offset;
    if (stream == NULL) /* the copy waits for all kernels, and without an end for one that hangs */
        BASE_TRY(base_device_wait(context, device));
    const cuda_driver *driver = device->driver;
    cuda_result result = stream == NULL ? driver->cuMemcpyHtoD(to, host, (size_t)bytes)
                                        : driver->cuMemcpyHtoDAsync(to, host, (size_t)bytes, stream->handle);
    BASE_TRY(base_device_check(context, device, result, "copying %lld bytes to it", (long long)bytes));
done:
    return status;
}

base_status base_device_download(base_context *context, const base_device_buffer *buffer, int64_t offset,
                                 void *host, int64_t bytes, base_device_stream *stream) {
    base_device *device = buffer->device;
    base_status status;
    BASE_TRY(enter_copy(context, buffer, offset, bytes));
    if (bytes == 0)
        goto done;
    cuda_pointer from = buffer->address + (uint64_t)offset;
    if (stream == NULL)
        BASE_TRY(base_device_wait(context, device));
    const cuda_driver *driver = device->driver;
    cuda_result result = stream == NULL
                             ? driver->cuMemcpyDtoH(host, from, (size_t)bytes)
                             : driver->cuMemcpyDtoHAsync(host, from, (size_t)bytes, stream->handle);
    BASE_TRY(base_device_check(context, device, result, "copying %lld bytes from it", (long long)bytes));
done:
    return status;
}

base_status base_device_copy(base_context *context, const base_device_buffer *to, int64_t to_offset,
                             const base_device_buffer *from, int64_t from_offset, int64_t bytes,
                             base_device_stream *stream) {
    base_status status;
    BASE_TRY(enter_copy(context, from, from_offset, bytes));
    BASE_TRY(enter_copy(context, to, to_offset, bytes));
    if (to->device != from->device)
        BASE_TRY(base_fail(context, BASE_MACHINE, "device copy between cuda:%d and cuda:%d",
                           from->device->properties.index, to->device->properties.index));
    if (bytes > 0)
        BASE_TRY(base_device_check(
            context, to->device,
            to->device->driver->cuMemcpyDtoDAsync(to->address + (uint64_t)to_offset,
                                                  from->address + (uint64_t)from_offset, (size_t)bytes,
                                                  base_device_stream_handle(stream)),
            "copying %lld bytes", (long long)bytes));
done:
    return status;
}

base_status base_device_fill(base_context *context, const base_device_buffer *buffer, int64_t offset,
                             unsigned char value, int64_t bytes, base_device_stream *stream) {
    base_device *device = buffer->device;
    base_status status;
    BASE_TRY(enter_copy(context, buffer, offset, bytes));
    if (bytes > 0)
        BASE_TRY(base_device_check(context, device,
                                   device->driver->cuMemsetD8Async(buffer->address + (uint64_t)offset, value,
                                                                   (size_t)bytes,
                                                                   base_device_stream_handle(stream)),
                                   "setting %lld bytes", (long long)bytes));
done:
    return status;
}

base_status base_device_alloc_pinned(base_context *context, base_device *device, int64_t count, int64_t size,
                                     void **host) {
    base_status status;
    int64_t bytes = 0;
    *host = NULL;
    BASE_TRY(base_device_enter(context, device));
    BASE_TRY(multiply_size(context, count, size, &bytes));
    BASE_TRY(base_device_check(
        context, device,
        device->driver->cuMemHostAlloc(host, bytes > 0 ? (size_t)bytes : 1, CUDA_HOST_PORTABLE),
        "allocating %lld bytes of pinned host memory", (long long)bytes));
done:
    if (status != BASE_OK)
        *host = NULL;
    return status;
}

void base_device_free_pinned(base_device *device, void *host) {
    if (host != NULL && base_device_enter_quietly(device))
        device->driver->cuMemFreeHost(host);
}

base_status base_device_get_mailbox(base_context *context, base_device *device, int64_t **mailbox) {
    base_status status = BASE_OK;
    void *host = device->mailbox;
    if (host == NULL)
        BASE_TRY(base_device_alloc_pinned(context, device, BASE_DEVICE_MAILBOX, sizeof **mailbox, &host));
    *mailbox = device->mailbox = host;
done:
    return status;
}
