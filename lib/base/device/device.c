/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/core/library.h"
#include "base/core/memory.h"
#include "base/device/internal.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static base_status load_driver(base_context *context, cuda_driver *driver) {
    static const char *const names[] = {"libcuda.so.1", NULL};
    char tried[200];
    void *library = base_library_load("MMPIPE_LIBCUDA", names, tried, sizeof tried);
    if (library == NULL)
        return base_fail(context, BASE_MACHINE, "no NVIDIA driver (%s)", tried);
    void *entry;
#define LOAD(name, symbol, parameters, arguments)                                                            \
    entry = dlsym(library, #symbol);                                                                         \
    if (entry == NULL)                                                                                       \
        return base_fail(context, BASE_MACHINE, "the NVIDIA driver is too old: it has no " #symbol);         \
    memcpy(&driver->name, &entry, sizeof entry);
    CUDA_DRIVER_FUNCTIONS(LOAD)
#undef LOAD
    return base_device_watch(context, driver);
}

/* ---- finding devices ---- */

/* Whether memory can be handed to other processes, and the number by which they know the device. Drivers that
 * do not know the questions refuse them. */
static base_status read_sharing(base_context *context, base_device *device) {
    const cuda_driver *driver = device->driver;
    base_device_properties *p = &device->properties;
    base_status status = BASE_OK;
    cuda_uuid uuid = {{0}};
    int maps = 0, gives = 0;
    cuda_result result = driver->cuDeviceGetUuid(&uuid, device->handle);
    if (result == CUDA_OK)
        result = driver->cuDeviceGetAttribute(&maps, CUDA_DEVICE_VIRTUAL_MEMORY, device->handle);
    if (result == CUDA_OK)
        result = driver->cuDeviceGetAttribute(&gives, CUDA_DEVICE_MEMORY_DESCRIPTORS, device->handle);
    if (result == CUDA_INVALID_VALUE || result == CUDA_NOT_SUPPORTED)
        goto done;
    BASE_TRY(base_device_check(context, device, result, "reading how it shares memory"));
    memcpy(p->uuid, uuid.bytes, sizeof p->uuid);
    /* Parts of a GPU (MIG) have the name of their kind in theirs; processes may see different parts. */
    p->gives_memory = maps != 0 && gives != 0 && strstr(p->name, " MIG ") == NULL;
done:
    return status;
}

static base_status read_properties(base_context *context, base_device *device) {
    const cuda_driver *driver = device->driver;
    base_device_properties *p = &device->properties;
    base_status status;
    BASE_TRY(base_device_check(context, device,
                               driver->cuDeviceGetName(p->name, sizeof p->name, device->handle),
                               "reading its name"));
    size_t bytes = 0;
    BASE_TRY(base_device_check(context, device, driver->cuDeviceTotalMem(&bytes, device->handle),
                               "reading its memory size"));
    p->memory_bytes = (int64_t)bytes;
    BASE_TRY(base_device_check(context, device, driver->cuDriverGetVersion(&p->driver_cuda),
                               "reading the driver's version"));
    int major, minor, constant, l2, shared_block, shared_multiprocessor, kilohertz, ecc, memory_kilohertz,
        memory_bits;
    const struct {
        int attribute, *value;
    } wanted[] = {{CUDA_DEVICE_CAPABILITY_MAJOR, &major},
                  {CUDA_DEVICE_CAPABILITY_MINOR, &minor},
                  {CUDA_DEVICE_MULTIPROCESSORS, &p->multiprocessors},
                  {CUDA_DEVICE_WARP_SIZE, &p->warp_size},
                  {CUDA_DEVICE_THREADS_PER_BLOCK, &p->threads_per_block},
                  {CUDA_DEVICE_THREADS_PER_MULTIPROCESSOR, &p->threads_per_multiprocessor},
                  {CUDA_DEVICE_REGISTERS_PER_MULTIPROCESSOR, &p->registers_per_multiprocessor},
                  {CUDA_DEVICE_CONSTANT_BYTES, &constant},
                  {CUDA_DEVICE_L2_BYTES, &l2},
                  {CUDA_DEVICE_SHARED_BYTES_PER_BLOCK_OPTIN, &shared_block},
                  {CUDA_DEVICE_SHARED_BYTES_PER_MULTIPROCESSOR, &shared_multiprocessor},
                  {CUDA_DEVICE_CLOCK_KILOHERTZ, &kilohertz},
                  {CUDA_DEVICE_ECC, &ecc},
                  {CUDA_DEVICE_MEMORY_CLOCK_KILOHERTZ, &memory_kilohertz},
                  {CUDA_DEVICE_MEMORY_BUS_BITS, &memory_bits}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        BASE_TRY(base_device_check(
            context, device,
            driver->cuDeviceGetAttribute(wanted[i].value, wanted[i].attribute, device->handle),
            "reading attribute %d", wanted[i].attribute));
    p->architecture = 10 * major + minor;
    p->constant_bytes = constant;
    p->l2_bytes = l2;
    p->shared_bytes_per_block = shared_block;
    p->shared_bytes_per_multiprocessor = shared_multiprocessor;
    p->clock_hertz = 1e3 * kilohertz;
    p->memory_rate = 2e3 * memory_kilohertz * memory_bits / 8; /* twice a clock */
    p->ecc = ecc != 0;
    BASE_TRY(read_sharing(context, device));
done:
    return status;
}

/* Appends the device with the driver's index to the list. */
static base_status add_device(base_context *context, base_devices *devices, int index) {
    base_device *device = &devices->device[devices->count];
    device->driver = &devices->driver;
    pthread_mutex_init(&device->start, NULL);
    device->properties.index = index;
    base_status status;
    BASE_TRY(base_device_check(context, device, devices->driver.cuDeviceGet(&device->handle, index),
                               "looking for it"));
    BASE_TRY(read_properties(context, device));
    devices->count++;
done:
    return status;
}

static base_status check_indices(base_context *context, const int *indices, int count, int present) {
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < i; k++)
            if (indices[k] == indices[i])
                return base_fail(context, BASE_USAGE, "cuda:%d is named twice", indices[i]);
        if (indices[i] < 0 || indices[i] >= present)
            return base_fail(context, BASE_MACHINE, "there is no cuda:%d, only %d NVIDIA GPU%s here",
                             indices[i], present, present == 1 ? "" : "s");
    }
    return BASE_OK;
}

/* What Open MPI, MPICH and Intel MPI, MVAPICH and Slurm call a process's number on its machine and how many
 * there are; Slurm writes "4" or "4(x2)". */
static const char *const local_variables[][2] = {{"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
                                                 {"MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
                                                 {"MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE"},
                                                 {"SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE"}};

/* How many of the devices that are present this process should take, and the first of them: all, or its own
 * where MPI or Slurm have started several processes on the machine. */
static int find_share(int present, int *first) {
    int rank = 0, size = 1;
    for (size_t i = 0; i < sizeof local_variables / sizeof *local_variables; i++) {
        const char *rank_text = getenv(local_variables[i][0]), *size_text = getenv(local_variables[i][1]);
        if (rank_text == NULL || size_text == NULL)
            continue;
        rank = atoi(rank_text);
        size = atoi(size_text);
        break;
    }
    if (size < 1 || rank < 0 || rank >= size) {
        rank = 0;
        size = 1;
    }
    if (size >= present) {
        *first = rank % present;
        return 1;
    }
    *first = (int)((int64_t)rank * present / size);
    return (int)((int64_t)(rank + 1) * present / size) - *first;
}

static base_status find_devices(base_context *context, base_devices *devices, const int *indices, int count) {
    const cuda_driver *driver = &devices->driver;
    base_status status;
    BASE_TRY(load_driver(context, &devices->driver));
    int present = 0;
    cuda_result result = driver->cuInit(0);
    if (result == CUDA_OK)
        result = driver->cuDeviceGetCount(&present);
    if (result == CUDA_NO_DEVICE || (result == CUDA_OK && present == 0))
        BASE_TRY(base_fail(context, BASE_MACHINE, "no NVIDIA GPU (the driver finds none)"));
    if (result != CUDA_OK)
        BASE_TRY(base_device_fail_driver(context, driver, result, "the NVIDIA driver does not start"));
    BASE_TRY(check_indices(context, indices, count, present));
    int first = 0, wanted = count > 0 ? count : find_share(present, &first);
    for (int i = 0; i < wanted && i < BASE_DEVICES; i++)
        BASE_TRY(add_device(context, devices, count > 0 ? indices[i] : first + i));
done:
    return status;
}

base_status base_devices_open(base_context *context, base_device_choice choice, const int *indices, int count,
                              base_devices **result) {
    *result = NULL;
    base_devices *devices = base_alloc_zero(context, 1, sizeof *devices);
    if (devices == NULL)
        return BASE_MACHINE;
    if (choice == BASE_DEVICE_CPU) {
        snprintf(devices->reason, sizeof devices->reason, "the CPU was asked for");
        *result = devices;
        return BASE_OK;
    }
    base_error before = context->error;
    const double start = base_device_clock();
    base_status status = find_devices(context, devices, indices, count);
    devices->find_seconds = base_device_clock() - start;
    devices->threads = context->threads;
    if (status != BASE_OK && choice == BASE_DEVICE_AUTO) {
        snprintf(devices->reason, sizeof devices->reason, "%.*s", (int)sizeof devices->reason - 1,
                 context->error.cause);
        context->error = before;
        devices->count = 0;
        status = BASE_OK;
    }
    if (status == BASE_OK)
        *result = devices;
    else
        free(devices);
    return status;
}

bool base_devices_close(base_devices *devices) {
    bool hangs = false;
    if (devices == NULL)
        return false;
    if (devices->has_starter)
        pthread_join(devices->starter, NULL);
    base_device_measure_costs(devices);
    for (int i = 0; i < devices->count; i++)
        hangs = hangs || devices->device[i].hangs;
    /* If one hangs, what another one gives back may wait for it. */
    for (int i = 0; i < devices->count && !hangs; i++) {
        base_device *device = &devices->device[i];
        base_device_free_pinned(device, device->mailbox);
        base_device_free_pinned(device, device->piece[0]);
        base_device_free_pinned(device, device->piece[1]);
        if (device->last != NULL && base_device_enter_quietly(device))
            devices->driver.cuEventDestroy(device->last);
        if (device->cuda != NULL)
            devices->driver.cuDevicePrimaryCtxRelease(device->handle);
        base_device_forget_modules(device);
    }
    free(devices);
    return hangs;
}

int base_devices_count(const base_devices *devices) {
    return devices->count;
}

base_device *base_devices_get(base_devices *devices, int position) {
    return &devices->device[position];
}

const char *base_devices_reason(const base_devices *devices) {
    return devices->reason;
}

const base_device_properties *base_device_get_properties(const base_device *device) {
    return &device->properties;
}
