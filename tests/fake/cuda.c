/* SPDX-License-Identifier: BSD-3-Clause */
/* A CUDA driver, an NVRTC and a cuBLAS over host memory, for tests of what calls them. MMPIPE_FAKE_DEVICES:
 * how many devices (2). MMPIPE_FAKE_BYTES: memory of each (1 MiB). MMPIPE_FAKE_FAIL=N:RESULT: the N-th call
 * since cuInit returns RESULT; when that is a fault of the device, so do all later ones.
 * MMPIPE_FAKE_LOST=DEVICE:N: from its N-th call on that device is lost; MMPIPE_FAKE_HANG=DEVICE:N: whoever
 * waits for it then waits for ever; MMPIPE_FAKE_STALL=DEVICE:N: its N-th call never comes back, nor does a
 * later one. MMPIPE_FAKE_COPIES=FILE: a line with the bytes that were copied to devices and from them is
 * appended at the end. MMPIPE_FAKE_LAUNCHES=FILE: a line with the name and the blocks of each kernel that is
 * launched. MMPIPE_FAKE_START=N: a context takes N milliseconds, MMPIPE_FAKE_CODE=N: a module;
 * MMPIPE_FAKE_RATE=N: copies to devices and from them take a second for N MiB. MMPIPE_FAKE_BIT=N: a bit of
 * the N-th copy from a device is wrong. MMPIPE_FAKE_FASTER=N: from the N-th event on they are 1 ms
 * apart. MMPIPE_FAKE_STRICT=1: who gives a context up with memory in it ends
 * with status 98. A copy back on a stream for which the default stream does not wait is made when somebody
 * waits for it. Stricter than a driver: a call without the device's context current, a copy outside an
 * allocation or an unknown handle is an error.
 *
 * An image is the text "FAKE" and the names of its kernels. The kernel add is b[i] += a[i] for (int64_t n,
 * const double *a, double *b); fault makes the next synchronisation fail. NVRTC makes the image from a source
 * that is the list of names, or fails when the source contains #error; a source that knows the shim
 * (kernels/shim.h) is compiled by cc when the image is loaded, and its kernel has the arguments of
 * perm/sparse/code.h. Any fatbin has the kernels of kernels.h. */
#include "tests/fake/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static float clock_milliseconds;
static long copies_back, events;
static size_t bytes_to, bytes_from;

cuda_result cuInit(unsigned flags) {
    (void)flags;
    fake_begin();
    ENTER(false);
    return fake_environment("MMPIPE_FAKE_DEVICES", 2) > 0 ? CUDA_OK : CUDA_NO_DEVICE;
}

cuda_result cuGetErrorName(cuda_result result, const char **text) {
    static __thread char name[40];
    snprintf(name, sizeof name, "FAKE_ERROR_%d", result);
    *text = name;
    return CUDA_OK;
}

cuda_result cuGetErrorString(cuda_result result, const char **text) {
    *text = result == CUDA_OUT_OF_MEMORY ? "out of memory" : "fake words";
    return result == 9999 ? CUDA_INVALID_VALUE : CUDA_OK;
}

cuda_result cuDriverGetVersion(int *version) {
    ENTER(false);
    *version = 13000;
    return CUDA_OK;
}

cuda_result cuDeviceGetCount(int *count) {
    ENTER(false);
    *count = (int)fake_environment("MMPIPE_FAKE_DEVICES", 2);
    return CUDA_OK;
}

cuda_result cuDeviceGet(cuda_device *device, int index) {
    ENTER(false);
    *device = index;
    return CUDA_OK;
}

cuda_result cuDeviceGetName(char *name, int size, cuda_device device) {
    ENTER(false);
    snprintf(name, (size_t)size, "Fake GPU %d", device);
    return CUDA_OK;
}

cuda_result cuDeviceTotalMem_v2(size_t *bytes, cuda_device device) {
    (void)device;
    ENTER(false);
    *bytes = (size_t)fake_environment("MMPIPE_FAKE_BYTES", 1 << 20);
    return CUDA_OK;
}

cuda_result cuDeviceGetAttribute(int *value, int attribute, cuda_device device) {
    (void)device;
    ENTER(false);
    switch (attribute) {
    case CUDA_DEVICE_CAPABILITY_MAJOR: *value = 9; break;
    case CUDA_DEVICE_CAPABILITY_MINOR: *value = 0; break;
    case CUDA_DEVICE_WARP_SIZE: *value = 32; break;
    case CUDA_DEVICE_CLOCK_KILOHERTZ: *value = 1000000; break;
    case CUDA_DEVICE_MEMORY_CLOCK_KILOHERTZ: *value = 3201000; break;
    case CUDA_DEVICE_MEMORY_BUS_BITS: *value = 6144; break;
    case CUDA_DEVICE_SHARED_BYTES_PER_BLOCK_OPTIN: *value = 232448; break;
    case CUDA_DEVICE_VIRTUAL_MEMORY:
    case CUDA_DEVICE_MEMORY_DESCRIPTORS: *value = 1; return fake_refuse(__func__);
    default: *value = attribute; break;
    }
    return CUDA_OK;
}

cuda_result cuDevicePrimaryCtxRetain(cuda_context *context, cuda_device device) {
    ENTER(false);
    fake_rest(1e-3 * (double)fake_environment("MMPIPE_FAKE_START", 0));
    *context = &fake_contexts[device];
    fake_contexts[device].device = device;
    fake_contexts[device].uses++;
    return CUDA_OK;
}

cuda_result cuDevicePrimaryCtxRelease_v2(cuda_device device) {
    const char *path = getenv("MMPIPE_FAKE_COPIES");
    FILE *file = path != NULL ? fopen(path, "a") : NULL;
    if (--fake_contexts[device].uses == 0 && fake_contexts[device].used_bytes > 0 &&
        fake_environment("MMPIPE_FAKE_STRICT", 0) != 0) {
        fprintf(stderr, "fake: %zu bytes of device %d are not given back\n", fake_contexts[device].used_bytes,
                device);
        _exit(98);
    }
    if (file != NULL) {
        fprintf(file, "%zu %zu\n", bytes_to, bytes_from);
        fclose(file);
    }
    return CUDA_OK;
}

cuda_result cuCtxSetCurrent(cuda_context context) {
    ENTER(false);
    fake_current = context;
    return CUDA_OK;
}

/* A fault of a kernel shows when somebody waits. */
static cuda_result synchronize(void) {
    ENTER(true);
    if (fake_pending != 0)
        fake_sticky = fake_pending;
    return (cuda_result)fake_sticky;
}

cuda_result cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes) {
    ENTER(true);
    *total_bytes = (size_t)fake_environment("MMPIPE_FAKE_BYTES", 1 << 20);
    *free_bytes = *total_bytes - fake_current->used_bytes;
    return CUDA_OK;
}

cuda_result cuMemAlloc_v2(cuda_pointer *pointer, size_t bytes) {
    ENTER(true);
    if (bytes == 0)
        return CUDA_INVALID_VALUE;
    if (bytes > (size_t)fake_environment("MMPIPE_FAKE_BYTES", 1 << 20) - fake_current->used_bytes)
        return CUDA_OUT_OF_MEMORY;
    *pointer = (cuda_pointer)(uintptr_t)fake_add_object(bytes, bytes);
    fake_current->used_bytes += bytes;
    return *pointer != 0 ? CUDA_OK : CUDA_OUT_OF_MEMORY;
}

cuda_result cuMemFree_v2(cuda_pointer pointer) {
    return fake_current != NULL ? fake_remove_object(fake_host(pointer)) : 201;
}

cuda_result cuDeviceGetUuid(cuda_uuid *uuid, cuda_device device) {
    ENTER_UNLESS_REFUSED(false);
    memset(uuid->bytes, 'u', sizeof uuid->bytes);
    uuid->bytes[15] = (char)device;
    return CUDA_OK;
}

cuda_result cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags) {
    ENTER(true);
    *pointer = fake_add_object(bytes, 0);
    return *pointer != NULL && flags == CUDA_HOST_PORTABLE ? CUDA_OK : CUDA_OUT_OF_MEMORY;
}

cuda_result cuMemFreeHost(void *pointer) {
    return fake_remove_object(pointer);
}

static cuda_result copy(void *to, const void *from, cuda_pointer address, size_t bytes) {
    ENTER(true);
    if (!fake_is_inside(address, bytes))
        return CUDA_INVALID_VALUE;
    if (fake_environment("MMPIPE_FAKE_RATE", 0) > 0)
        fake_rest((double)bytes / (1 << 20) / (double)fake_environment("MMPIPE_FAKE_RATE", 0));
    memmove(to, from, bytes);
    pthread_mutex_lock(&fake_lock);
    bytes_to += (cuda_pointer)(uintptr_t)to == address ? bytes : 0;
    bytes_from += (cuda_pointer)(uintptr_t)from == address ? bytes : 0;
    pthread_mutex_unlock(&fake_lock);
    return CUDA_OK;
}

cuda_result cuMemcpyHtoD_v2(cuda_pointer to, const void *from, size_t bytes) {
    return copy(fake_host(to), from, to, bytes);
}

cuda_result cuMemcpyDtoH_v2(void *to, cuda_pointer from, size_t bytes) {
    cuda_result result = fake_pending != 0 ? synchronize() : CUDA_OK;
    return result != CUDA_OK ? result : copy(to, fake_host(from), from, bytes);
}

cuda_result cuMemcpyHtoDAsync_v2(cuda_pointer to, const void *from, size_t bytes, cuda_stream stream) {
    return stream != NULL && fake_find_object(stream) == NULL ? 400 : copy(fake_host(to), from, to, bytes);
}

static cuda_result copy_back(void *to, cuda_pointer from, size_t bytes) {
    const cuda_result result = copy(to, fake_host(from), from, bytes);
    pthread_mutex_lock(&fake_lock);
    if (++copies_back == fake_environment("MMPIPE_FAKE_BIT", 0) && bytes > 5)
        ((char *)to)[5] ^= 1;
    pthread_mutex_unlock(&fake_lock);
    return result;
}

/* The copy that a stream apart has not made yet. */
static cuda_result finish_copy(cuda_stream stream) {
    void *to = stream != NULL ? stream->to : NULL;
    if (to == NULL)
        return CUDA_OK;
    stream->to = NULL;
    return copy_back(to, stream->from, stream->bytes);
}

cuda_result cuMemcpyDtoHAsync_v2(void *to, cuda_pointer from, size_t bytes, cuda_stream stream) {
    if (stream != NULL && fake_find_object(stream) == NULL)
        return 400;
    if (stream == NULL || !stream->apart)
        return copy_back(to, from, bytes);
    const cuda_result result = finish_copy(stream);
    memset(to, 0xa5, bytes); /* nobody may look there any more */
    stream->to = to;
    stream->from = from;
    stream->bytes = bytes;
    return result;
}

cuda_result cuMemcpyDtoDAsync_v2(cuda_pointer to, cuda_pointer from, size_t bytes, cuda_stream stream) {
    (void)stream;
    return fake_is_inside(from, bytes) ? copy(fake_host(to), fake_host(from), to, bytes) : CUDA_INVALID_VALUE;
}

cuda_result cuMemsetD8Async(cuda_pointer to, unsigned char value, size_t bytes, cuda_stream stream) {
    (void)stream;
    ENTER(true);
    if (!fake_is_inside(to, bytes))
        return CUDA_INVALID_VALUE;
    memset(fake_host(to), value, bytes);
    return CUDA_OK;
}

cuda_result cuStreamCreate(cuda_stream *stream, unsigned flags) {
    ENTER(true);
    *stream = fake_add_object(sizeof **stream, 0);
    if (*stream == NULL || flags > CUDA_STREAM_APART)
        return CUDA_OUT_OF_MEMORY;
    **stream = (struct CUstream_st){.apart = flags == CUDA_STREAM_APART};
    return CUDA_OK;
}

cuda_result cuStreamDestroy_v2(cuda_stream stream) {
    return fake_remove_object(stream);
}

cuda_result cuStreamSynchronize(cuda_stream stream) {
    if (stream != NULL && fake_find_object(stream) == NULL)
        return 400;
    const cuda_result copied = finish_copy(stream);
    return copied != CUDA_OK ? copied : synchronize();
}

/* Of the wait, not of the stream: everything is done at once here. */
cuda_result cuStreamQuery(cuda_stream stream) {
    return fake_has_come("MMPIPE_FAKE_HANG") ? CUDA_NOT_READY : cuStreamSynchronize(stream);
}

cuda_result cuStreamWaitEvent(cuda_stream stream, cuda_event event, unsigned flags) {
    (void)stream;
    ENTER(true);
    return fake_find_object(event) != NULL && flags == 0 ? CUDA_OK : 400;
}

cuda_result cuEventCreate(cuda_event *event, unsigned flags) {
    ENTER(true);
    *event = fake_add_object(sizeof **event, 0);
    if (*event != NULL)
        (*event)->milliseconds = 0; /* not recorded */
    return *event != NULL && flags == 0 ? CUDA_OK : CUDA_OUT_OF_MEMORY;
}

cuda_result cuEventDestroy_v2(cuda_event event) {
    return fake_remove_object(event);
}

/* The clock goes on by 2 milliseconds from one event to the next. */
cuda_result cuEventRecord(cuda_event event, cuda_stream stream) {
    const long faster = fake_environment("MMPIPE_FAKE_FASTER", 0);
    (void)stream;
    ENTER(true);
    pthread_mutex_lock(&fake_lock);
    event->milliseconds = clock_milliseconds += faster > 0 && ++events >= faster ? 1 : 2;
    pthread_mutex_unlock(&fake_lock);
    return CUDA_OK;
}

cuda_result cuEventQuery(cuda_event event) {
    if (fake_has_come("MMPIPE_FAKE_HANG"))
        return CUDA_NOT_READY;
    return fake_find_object(event) == NULL ? 400 : synchronize();
}

cuda_result cuEventElapsedTime(float *milliseconds, cuda_event first, cuda_event last) {
    ENTER(true);
    if (first->milliseconds == 0 || last->milliseconds == 0)
        return 400;
    *milliseconds = last->milliseconds - first->milliseconds;
    return CUDA_OK;
}
