/* SPDX-License-Identifier: BSD-3-Clause */
/* Device code: modules from an image or a compiled source, their functions, and launches. */
#include "base/core/memory.h"
#include "base/device/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FOUND = 32 };

struct base_device_module {
    base_device *device;
    cuda_module handle;
    char name[96];
    const base_device_fatbin *fatbin;  /* of base_device_get_module … */
    base_device_module *next;          /* … and the one loaded before */
    base_device_function found[FOUND]; /* the first that were asked for: the driver takes microseconds */
    int found_count;
};

/* Turns the driver's log into one line for a message: ": " and its text, or nothing. */
static void clean_log(char *log) {
    size_t length = strlen(log);
    while (length > 0 && (log[length - 1] == '\n' || log[length - 1] == ' '))
        log[--length] = '\0';
    for (char *next = log; *next != '\0'; next++)
        if (*next == '\n' || *next == '\t')
            *next = ' ';
}

base_status base_device_load_image(base_context *context, base_device *device, const void *image,
                                   const char *name, base_device_module **result) {
    base_status status;
    base_device_module *module = NULL;
    char log[256] = "";
    *result = NULL;
    BASE_TRY(base_device_enter(context, device));
    module = base_alloc_zero(context, 1, sizeof *module);
    if (module == NULL)
        BASE_TRY(BASE_MACHINE);
    module->device = device;
    snprintf(module->name, sizeof module->name, "%s", name);
    int option[] = {CUDA_JIT_ERROR_LOG, CUDA_JIT_ERROR_LOG_BYTES};
    void *value[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
    const double start = base_device_clock();
    cuda_result loaded = device->driver->cuModuleLoadDataEx(&module->handle, image, 2, option, value);
    device->code_seconds += base_device_clock() - start;
    clean_log(log);
    if (loaded == CUDA_NO_BINARY_FOR_GPU)
        BASE_TRY(base_device_check(context, device, loaded, "%s has no code for compute capability %d.%d",
                                   module->name, device->properties.architecture / 10,
                                   device->properties.architecture % 10));
    BASE_TRY(base_device_check(context, device, loaded, "loading %s%s%s", module->name,
                               log[0] != '\0' ? ": " : "", log));
    *result = module;
done:
    if (status != BASE_OK)
        free(module);
    return status;
}

base_status base_device_load_fatbin(base_context *context, base_device *device,
                                    const base_device_fatbin *fatbin, base_device_module **module) {
    base_status status = BASE_OK;
    unsigned char *image = NULL;
    *module = NULL;
    if (fatbin->image == NULL)
        BASE_TRY(base_device_read_code(context, fatbin, &image));
    BASE_TRY(
        base_device_load_image(context, device, image != NULL ? image : fatbin->image, fatbin->name, module));
done:
    free(image);
    return status;
}

void base_device_module_close(base_device_module *module) {
    if (module == NULL)
        return;
    if (base_device_enter_quietly(module->device))
        module->device->driver->cuModuleUnload(module->handle);
    free(module);
}

base_status base_device_get_module(base_context *context, base_device *device,
                                   const base_device_fatbin *fatbin, base_device_module **module) {
    base_status status = BASE_OK;
    for (*module = device->modules; *module != NULL; *module = (*module)->next)
        if ((*module)->fatbin == fatbin)
            goto done;
    BASE_TRY(base_device_load_fatbin(context, device, fatbin, module));
    (*module)->fatbin = fatbin;
    (*module)->next = device->modules;
    device->modules = *module;
done:
    return status;
}

void base_device_forget_modules(base_device *device) {
    while (device->modules != NULL) {
        base_device_module *module = device->modules;
        device->modules = module->next;
        free(module);
    }
}

base_status base_device_get_function(base_context *context, base_device_module *module, const char *name,
                                     base_device_function *function) {
    base_device *device = module->device;
    base_status status = BASE_OK;
    memset(function, 0, sizeof *function);
    cuda_function handle = NULL;
    for (int k = 0; k < module->found_count; k++)
        if (strcmp(module->found[k].name, name) == 0) {
            *function = module->found[k];
            goto done;
        }
    BASE_TRY(base_device_enter(context, device));
    BASE_TRY(base_device_check(context, device,
                               device->driver->cuModuleGetFunction(&handle, module->handle, name),
                               "looking for the kernel %s in %s", name, module->name));
    function->device = device;
    function->handle = handle;
    snprintf(function->name, sizeof function->name, "%s", name);
    if (module->found_count < FOUND)
        module->found[module->found_count++] = *function;
done:
    return status;
}

base_status base_device_get_function_info(base_context *context, const base_device_function *function,
                                          base_device_function_info *info) {
    base_device *device = function->device;
    base_status status;
    int shared = 0, constant = 0, local = 0;
    memset(info, 0, sizeof *info);
    BASE_TRY(base_device_enter(context, device));
    const struct {
        int attribute, *value;
    } wanted[] = {{CUDA_FUNCTION_REGISTERS, &info->registers},
                  {CUDA_FUNCTION_THREADS_PER_BLOCK, &info->threads_per_block},
                  {CUDA_FUNCTION_LOCAL_BYTES, &local},
                  {CUDA_FUNCTION_SHARED_BYTES, &shared},
                  {CUDA_FUNCTION_CONSTANT_BYTES, &constant}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        BASE_TRY(base_device_check(
            context, device,
            device->driver->cuFuncGetAttribute(wanted[i].value, wanted[i].attribute, function->handle),
            "reading attribute %d of %s", wanted[i].attribute, function->name));
    info->local_bytes = local;
    info->shared_bytes = shared;
    info->constant_bytes = constant;
done:
    return status;
}

/* Dynamic shared memory must fit an int for the driver; the device says how much it really has. */
static base_status check_shared(base_context *context, const base_device_function *function, int64_t bytes) {
    const base_device_properties *p = &function->device->properties;
    if (bytes < 0 || bytes > p->shared_bytes_per_block)
        return base_fail(context, BASE_MACHINE,
                         "cuda:%d (%s): %s wants %lld bytes of shared memory, a block has %lld", p->index,
                         p->name, function->name, (long long)bytes, (long long)p->shared_bytes_per_block);
    return BASE_OK;
}

base_status base_device_allow_shared(base_context *context, const base_device_function *function,
                                     int64_t bytes) {
    base_device *device = function->device;
    base_status status;
    BASE_TRY(check_shared(context, function, bytes));
    BASE_TRY(base_device_enter(context, device));
    BASE_TRY(base_device_check(
        context, device,
        device->driver->cuFuncSetAttribute(function->handle, CUDA_FUNCTION_DYNAMIC_SHARED_BYTES, (int)bytes),
        "giving %s %lld bytes of shared memory", function->name, (long long)bytes));
done:
    return status;
}

base_status base_device_get_occupancy(base_context *context, const base_device_function *function,
                                      int threads, int64_t shared_bytes, int *blocks) {
    base_device *device = function->device;
    base_status status;
    *blocks = 0;
    BASE_TRY(check_shared(context, function, shared_bytes));
    BASE_TRY(base_device_enter(context, device));
    BASE_TRY(base_device_check(
        context, device,
        device->driver->cuOccupancyMaxActiveBlocks(blocks, function->handle, threads, (size_t)shared_bytes),
        "asking how many blocks of %s fit", function->name));
done:
    return status;
}

base_status base_device_launch(base_context *context, const base_device_function *function,
                               const base_device_launch_config *config, base_device_stream *stream,
                               void **arguments) {
    base_device *device = function->device;
    base_status status;
    unsigned grid[3], block[3];
    for (int i = 0; i < 3; i++) {
        grid[i] = config->grid[i] > 0 ? config->grid[i] : 1;
        block[i] = config->block[i] > 0 ? config->block[i] : 1;
    }
    BASE_TRY(check_shared(context, function, config->shared_bytes));
    BASE_TRY(base_device_enter(context, device));
    memcpy(device->last_kernel, function->name, sizeof device->last_kernel);
    cuda_launch_attribute attributes[2];
    unsigned count = 0;
    if (config->follows && device->properties.architecture >= 90)
        attributes[count++] = (cuda_launch_attribute){.id = CUDA_LAUNCH_FOLLOWS, .value.number = 1};
    if (config->is_cooperative)
        attributes[count++] = (cuda_launch_attribute){.id = CUDA_LAUNCH_COOPERATIVE, .value.number = 1};
    const cuda_launch launch = {.grid = {grid[0], grid[1], grid[2]},
                                .block = {block[0], block[1], block[2]},
                                .shared_bytes = (unsigned)config->shared_bytes,
                                .stream = base_device_stream_handle(stream),
                                .attributes = attributes,
                                .count = count};
    BASE_TRY(base_device_check(context, device,
                               device->driver->cuLaunchKernelEx(&launch, function->handle, arguments, NULL),
                               "launching %s with %u x %u x %u blocks of %u x %u x %u threads",
                               function->name, grid[0], grid[1], grid[2], block[0], block[1], block[2]));
done:
    return status;
}
