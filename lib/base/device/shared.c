/* Memory of a device that other processes may map: physical memory with a handle, which is exported as a
 * descriptor, and a range of addresses apart from it (CUDA Driver API, virtual memory management). */
#include "base/device/internal.h"

#include <string.h>

enum { SLACK_BYTES = 256 }; /* behind the end, which kernels may read */

static cuda_memory_kind kind_of(const base_device *device) {
    return (cuda_memory_kind){.type = CUDA_MEMORY_PINNED,
                              .handle_types = CUDA_MEMORY_DESCRIPTOR,
                              .place = {CUDA_MEMORY_ON_DEVICE, device->handle}};
}

/* Rounds up to what can be mapped, with slack. Who imports memory gets the same size as who made it. */
static base_status round_bytes(base_context *context, base_device *device, int64_t *bytes) {
    base_status status;
    size_t step = 1;
    const cuda_memory_kind kind = kind_of(device);
    BASE_TRY(base_device_check(
        context, device,
        device->driver->cuMemGetAllocationGranularity(&step, &kind, CUDA_GRANULARITY_MINIMUM),
        "asking how it maps memory"));
    *bytes = (*bytes + SLACK_BYTES + (int64_t)step - 1) / (int64_t)step * (int64_t)step;
done:
    return status;
}

/* Gives physical memory an address, or releases it. */
static base_status map(base_context *context, base_device *device, cuda_memory memory, int64_t bytes,
                       base_device_buffer *buffer) {
    const cuda_driver *driver = device->driver;
    const cuda_memory_access access = {{CUDA_MEMORY_ON_DEVICE, device->handle}, CUDA_ACCESS_READ_WRITE};
    const size_t size = (size_t)bytes;
    cuda_pointer address = 0;
    base_status status;
    bool is_mapped = false;
    BASE_TRY(base_device_check(context, device, driver->cuMemAddressReserve(&address, size, 0, 0, 0),
                               "reserving %lld bytes of addresses", (long long)bytes));
    BASE_TRY(base_device_check(context, device, driver->cuMemMap(address, size, 0, memory, 0),
                               "mapping %lld bytes", (long long)bytes));
    is_mapped = true;
    BASE_TRY(base_device_check(context, device, driver->cuMemSetAccess(address, size, &access, 1),
                               "mapping %lld bytes", (long long)bytes));
    *buffer = (base_device_buffer){
        .device = device, .address = address, .bytes = bytes, .memory = memory, .mapped_bytes = bytes};
    device->used_bytes += bytes;
    if (device->used_bytes > device->peak_bytes)
        device->peak_bytes = device->used_bytes;
done:
    if (status != BASE_OK) {
        if (is_mapped)
            driver->cuMemUnmap(address, size);
        if (address != 0)
            driver->cuMemAddressFree(address, size);
        driver->cuMemRelease(memory);
    }
    return status;
}

base_status base_device_alloc_shared(base_context *context, base_device *device, int64_t count, int64_t size,
                                     base_device_buffer *buffer) {
    base_status status;
    cuda_memory memory = 0;
    int64_t bytes = 0;
    memset(buffer, 0, sizeof *buffer);
    if (count < 0 || size < 0 || __builtin_mul_overflow(count, size, &bytes) || bytes > INT64_MAX / 2)
        return base_device_alloc(context, device, count, size, buffer); /* which refuses it */
    if (!device->properties.gives_memory)
        return base_device_alloc(context, device, bytes + SLACK_BYTES, 1, buffer);
    BASE_TRY(base_device_enter(context, device));
    BASE_TRY(round_bytes(context, device, &bytes));
    const cuda_memory_kind kind = kind_of(device);
    const cuda_result result = device->driver->cuMemCreate(&memory, (size_t)bytes, &kind, 0);
    if (result == CUDA_OUT_OF_MEMORY || result == CUDA_NOT_SUPPORTED)
        return base_device_alloc(context, device, bytes, 1, buffer); /* which says how much there is */
    BASE_TRY(base_device_check(context, device, result, "allocating %lld bytes", (long long)bytes));
    BASE_TRY(map(context, device, memory, bytes, buffer));
    buffer->bytes = count * size;
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
    BASE_TRY(base_device_check(
        context, device,
        device->driver->cuMemExportToShareableHandle(descriptor, buffer->memory, CUDA_MEMORY_DESCRIPTOR, 0),
        "making a descriptor of its memory"));
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
    BASE_TRY(round_bytes(context, device, &mapped));
    BASE_TRY(base_device_check(context, device,
                               device->driver->cuMemImportFromShareableHandle(
                                   &memory, (void *)(intptr_t)descriptor, CUDA_MEMORY_DESCRIPTOR),
                               "taking memory over"));
    BASE_TRY(map(context, device, memory, mapped, buffer));
    buffer->bytes = bytes;
done:
    return status;
}
