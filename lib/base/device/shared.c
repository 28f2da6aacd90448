/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of a device that other processes may map: physical memory with a handle, which is exported as a
 * descriptor, and a range of addresses apart from it (CUDA Driver API, virtual memory management). */
#include "base/core/memory.h"
#include "base/device/internal.h"

#include <stdlib.h>
#include <string.h>

enum { SLACK_BYTES = 256 }; /* behind the end, which kernels may read */

static cuda_memory_kind kind_of(const base_device *device) {
    return (cuda_memory_kind){.type = CUDA_MEMORY_PINNED,
                              .handle_types = CUDA_MEMORY_DESCRIPTOR,
                              .place = {CUDA_MEMORY_ON_DEVICE, device->handle}};
}

/* Rounds up to what can be mapped, with slack. Who imports memory gets the same size as who made it. */
static cuda_result round_bytes(const base_device *device, int64_t *bytes) {
    size_t step = 1;
    const cuda_memory_kind kind = kind_of(device);
    const cuda_result result =
        device->driver->cuMemGetAllocationGranularity(&step, &kind, CUDA_GRANULARITY_MINIMUM);
    *bytes = (*bytes + SLACK_BYTES + (int64_t)step - 1) / (int64_t)step * (int64_t)step;
    return result;
}

/* Gives physical memory an address, or releases it. */
static cuda_result map(base_device *device, cuda_memory memory, int64_t bytes, base_device_buffer *buffer) {
    const cuda_driver *driver = device->driver;
    const cuda_memory_access access = {{CUDA_MEMORY_ON_DEVICE, device->handle}, CUDA_ACCESS_READ_WRITE};
    const size_t size = (size_t)bytes;
    cuda_pointer address = 0;
    bool is_mapped = false;
    cuda_result result = driver->cuMemAddressReserve(&address, size, 0, 0, 0);
    const bool is_reserved = result == CUDA_OK;
    if (is_reserved)
        result = driver->cuMemMap(address, size, 0, memory, 0);
    if (result == CUDA_OK) {
        is_mapped = true;
        result = driver->cuMemSetAccess(address, size, &access, 1);
    }
    if (result != CUDA_OK) {
        if (is_mapped)
            driver->cuMemUnmap(address, size);
        if (is_reserved)
            driver->cuMemAddressFree(address, size);
        driver->cuMemRelease(memory);
        return result;
    }
    *buffer = (base_device_buffer){
        .device = device, .address = address, .bytes = bytes, .memory = memory, .mapped_bytes = bytes};
    device->used_bytes += bytes;
    if (device->used_bytes > device->peak_bytes)
        device->peak_bytes = device->used_bytes;
    return CUDA_OK;
}

static cuda_result create(base_device *device, int64_t bytes, base_device_buffer *buffer) {
    cuda_memory memory = 0;
    const cuda_memory_kind kind = kind_of(device);
    cuda_result result = round_bytes(device, &bytes);
    if (result == CUDA_OK)
        result = device->driver->cuMemCreate(&memory, (size_t)bytes, &kind, 0);
    return result == CUDA_OK ? map(device, memory, bytes, buffer) : result;
}

base_status base_device_alloc_shared(base_context *context, base_device *device, int64_t count, int64_t size,
                                     base_device_buffer *buffer) {
    base_status status;
    int64_t bytes = 0;
    memset(buffer, 0, sizeof *buffer);
    if (count < 0 || size < 0 || __builtin_mul_overflow(count, size, &bytes) || bytes > INT64_MAX / 2)
        return base_device_alloc(context, device, count, size, buffer); /* which refuses it */
    BASE_TRY(base_device_enter(context, device));
    if (device->properties.gives_memory) {
        const cuda_result result = create(device, bytes, buffer);
        if (result == CUDA_OK) {
            buffer->bytes = bytes;
            goto done;
        }
        /* A driver or a container may refuse what the device can do. */
        device->properties.gives_memory = result == CUDA_OUT_OF_MEMORY;
    }
    /* Says how much there is, or what else is wrong with the device. */
    BASE_TRY(base_device_alloc(context, device, bytes + SLACK_BYTES, 1, buffer));
done:
    return status;
}

base_status base_device_export(base_context *context, const base_device_buffer *buffer, int *descriptor) {
    base_device *device = buffer->device;
    base_status status = BASE_OK;
    *descriptor = -1;
    if (buffer->mapped_bytes == 0)
        goto done;
    BASE_TRY(base_device_enter(context, device));
    if (device->driver->cuMemExportToShareableHandle(descriptor, buffer->memory, CUDA_MEMORY_DESCRIPTOR, 0) !=
        CUDA_OK) {
        *descriptor = -1;
        device->properties.gives_memory = false;
    }
done:
    return status;
}

base_status base_device_import(base_context *context, base_device *device, int descriptor, int64_t bytes,
                               base_device_buffer *buffer) {
    base_status status;
    cuda_memory memory = 0;
    int64_t mapped = bytes;
    memset(buffer, 0, sizeof *buffer);
    BASE_TRY(base_device_enter(context, device));
    cuda_result result = round_bytes(device, &mapped);
    if (result == CUDA_OK)
        result = device->driver->cuMemImportFromShareableHandle(&memory, (void *)(intptr_t)descriptor,
                                                                CUDA_MEMORY_DESCRIPTOR);
    if (result == CUDA_OK)
        result = map(device, memory, mapped, buffer);
    BASE_TRY(base_device_check(context, device, result,
                               "taking over the memory that another program left there (with --verify, "
                               "programs hand over memory of the host)"));
    buffer->bytes = bytes;
done:
    return status;
}

/* ---- for who has not looked for devices ---- */

base_device *base_devices_find_uuid(base_devices *devices, const unsigned char uuid[16]) {
    for (int i = 0; i < devices->count; i++)
        if (memcmp(devices->device[i].properties.uuid, uuid, 16) == 0)
            return &devices->device[i];
    return NULL;
}

/* What another part of this program, or another program, has left. */
typedef struct left_memory {
    base_devices *devices;
    base_device_buffer buffer;
} left_memory;

static base_status open_left(base_context *context, const unsigned char uuid[16], int descriptor,
                             int64_t bytes, left_memory *left) {
    base_status status;
    BASE_TRY(base_devices_open(context, BASE_DEVICE_AUTO, NULL, 0, &left->devices));
    left->devices->is_aside = true;
    base_device *device = base_devices_find_uuid(left->devices, uuid);
    if (device == NULL)
        BASE_TRY(base_fail(context, BASE_MACHINE,
                           "the record lies in the memory of a GPU that is not there%s%s",
                           left->devices->count == 0 ? ": " : "", left->devices->reason));
    BASE_TRY(base_device_import(context, device, descriptor, bytes, &left->buffer));
done:
    return status;
}

static void close_left(left_memory *left) {
    base_device_free(&left->buffer);
    base_devices_close(left->devices);
}

base_status base_device_fetch(base_context *context, const unsigned char uuid[16], int descriptor,
                              int64_t bytes, void *to) {
    base_status status;
    left_memory left = {.devices = NULL};
    BASE_TRY(open_left(context, uuid, descriptor, bytes, &left));
    BASE_TRY(base_device_download_pieces(context, &left.buffer, to, bytes));
done:
    close_left(&left);
    return status;
}

struct base_device_reader {
    left_memory left;
    struct {
        base_device_stream *stream;
        void *room;
    } piece[BASE_DEVICE_READER_PIECES];
};

base_status base_device_reader_open(base_context *context, const unsigned char uuid[16], int descriptor,
                                    int64_t bytes, int64_t piece_bytes, base_device_reader **result) {
    base_status status = BASE_OK;
    base_device_reader *reader = base_alloc_zero(context, 1, sizeof *reader);
    *result = reader;
    if (reader == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(open_left(context, uuid, descriptor, bytes, &reader->left));
    for (int i = 0; i < BASE_DEVICE_READER_PIECES; i++) {
        base_device *device = reader->left.buffer.device;
        BASE_TRY(base_device_stream_open(context, device, &reader->piece[i].stream));
        BASE_TRY(base_device_alloc_pinned(context, device, piece_bytes, 1, &reader->piece[i].room));
    }
done:
    return status;
}

void base_device_reader_close(base_device_reader *reader) {
    if (reader == NULL)
        return;
    for (int i = 0; i < BASE_DEVICE_READER_PIECES; i++) {
        base_device_stream_close(reader->piece[i].stream);
        if (reader->piece[i].room != NULL)
            base_device_free_pinned(reader->left.buffer.device, reader->piece[i].room);
    }
    close_left(&reader->left);
    free(reader);
}

char *base_device_reader_room(base_device_reader *reader, int piece) {
    return reader->piece[piece].room;
}

base_status base_device_reader_begin(base_context *context, base_device_reader *reader, int piece,
                                     int64_t offset, int64_t place, int64_t bytes) {
    return bytes == 0 ? BASE_OK
                      : base_device_download(context, &reader->left.buffer, offset,
                                             (char *)reader->piece[piece].room + place, bytes,
                                             reader->piece[piece].stream);
}

base_status base_device_reader_wait(base_context *context, base_device_reader *reader, int piece) {
    return base_device_stream_wait(context, reader->piece[piece].stream);
}
