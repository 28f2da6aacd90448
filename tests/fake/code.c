/* SPDX-License-Identifier: BSD-3-Clause */
/* The fake driver's images and kernels. */
#include "tests/fake/driver.h"
#include "tests/fake/kernels.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct CUfunc_st functions[] = {{.name = "add"}, {.name = "fault"}};

/* Compiles a source that knows the shim; NULL: it does not, or it fails. */
static void *compile(const char *source, struct CUfunc_st *function) {
    char folder[] = "/tmp/mmpipe-fake.XXXXXX", path[64], command[1024];
    void *library = NULL;
    const char *root = getenv("MMPIPE_SOURCE");
    if (strstr(source, "SHIM_KERNEL") == NULL || mkdtemp(folder) == NULL)
        return NULL;
    snprintf(path, sizeof path, "%s/code.c", folder);
    FILE *file = fopen(path, "w");
    if (file != NULL) {
        fprintf(file,
                "#include \"shim.h\"\n%s\n"
                "static void thread(void *data) {\n"
                "    void **a = data;\n"
                "    perm_sparse(*(long long *)a[0], *(long long *)a[1], *(double **)a[2]);\n}\n"
                "void run(unsigned grid, unsigned block, unsigned shared_bytes, void **arguments) {\n"
                "    shim_launch(thread, arguments, (shim_index){grid, 1, 1}, (shim_index){block, 1, 1}, "
                "shared_bytes);\n}\n",
                source);
        fclose(file);
        snprintf(command, sizeof command,
                 "LD_PRELOAD= cc -std=gnu11 -O1 -w -fPIC -shared -ffp-contract=off -I'%s/kernels' -o "
                 "%s/code.so %s "
                 "-lm",
                 root != NULL ? root : ".", folder, path);
        if (system(command) == 0) {
            snprintf(path, sizeof path, "%s/code.so", folder);
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        }
    }
    if (library != NULL) {
        void *entry = dlsym(library, "run");
        memcpy(&function->run, &entry, sizeof entry);
        function->name = "perm_sparse";
    }
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 ? library : NULL;
}

static bool is_fatbin(const void *image) {
    return memcmp(image, (const unsigned char[]){0x50, 0xed, 0x55, 0xba}, 4) == 0;
}

cuda_result cuModuleLoadDataEx(cuda_module *module, const void *image, unsigned options, int *option,
                               void **value) {
    ENTER(true);
    fake_rest(1e-3 * (double)fake_environment("MMPIPE_FAKE_CODE", 0));
    if (is_fatbin(image))
        image = "FAKE fatbin";
    if (strncmp(image, "FAKE", 4) != 0) {
        if (options == 2 && option[0] == CUDA_JIT_ERROR_LOG && option[1] == CUDA_JIT_ERROR_LOG_BYTES)
            snprintf(value[0], (size_t)(uintptr_t)value[1], "fake log\n");
        return strncmp(image, "OLD", 3) == 0 ? CUDA_NO_BINARY_FOR_GPU : CUDA_INVALID_IMAGE;
    }
    *module = fake_add_object(sizeof **module + strlen(image) + 1, 0);
    if (*module == NULL)
        return CUDA_OUT_OF_MEMORY;
    memset(*module, 0, sizeof **module);
    strcpy((*module)->image, image);
    (*module)->library = compile((*module)->image + 4, &(*module)->function);
    return CUDA_OK;
}

cuda_result cuModuleUnload(cuda_module module) {
    if (module != NULL && module->library != NULL)
        dlclose(module->library);
    return fake_remove_object(module);
}

cuda_result cuModuleGetFunction(cuda_function *function, cuda_module module, const char *name) {
    ENTER(true);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strcmp(functions[i].name, name) == 0 && strstr(module->image, name) != NULL) {
            *function = &functions[i];
            return CUDA_OK;
        }
    for (int i = 0; i < FAKE_FUNCTIONS && strcmp(module->image, "FAKE fatbin") == 0 && fake_has_kernel(name);
         i++)
        if (module->kernel[i].name == NULL || strcmp(module->kernel[i].name, name) == 0) {
            snprintf(module->kernel[i].copied, sizeof module->kernel[i].copied, "%s", name);
            module->kernel[i].name = module->kernel[i].copied;
            *function = &module->kernel[i];
            return CUDA_OK;
        }
    if (module->function.name == NULL || strcmp(module->function.name, name) != 0)
        return CUDA_NOT_FOUND;
    *function = &module->function;
    return CUDA_OK;
}

cuda_result cuFuncGetAttribute(int *value, int attribute, cuda_function function) {
    (void)function;
    ENTER(true);
    *value = 100 + attribute;
    return CUDA_OK;
}

cuda_result cuFuncSetAttribute(cuda_function function, int attribute, int value) {
    (void)function;
    ENTER(true);
    return attribute == CUDA_FUNCTION_DYNAMIC_SHARED_BYTES && value >= 0 ? CUDA_OK : CUDA_INVALID_VALUE;
}

static int count_resident(int threads) {
    return threads > 0 ? 2048 / threads : 0;
}

cuda_result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, cuda_function function, int threads,
                                                        size_t shared_bytes) {
    (void)function;
    (void)shared_bytes;
    ENTER(true);
    *blocks = count_resident(threads);
    return CUDA_OK;
}

static bool is_cooperative(const cuda_launch *launch) {
    bool is = false;
    for (const cuda_launch_attribute *a = launch->attributes; a < launch->attributes + launch->count; a++)
        is = is || (a->id == CUDA_LAUNCH_COOPERATIVE && a->value.number);
    return is;
}

/* MMPIPE_FAKE_LAUNCHES: appends the kernel's name, the number of its blocks and whether they are cooperative.
 */
static void note_launch(const char *name, const cuda_launch *launch) {
    const unsigned *grid = launch->grid;
    const char *path = getenv("MMPIPE_FAKE_LAUNCHES");
    FILE *file = path != NULL ? fopen(path, "a") : NULL;
    if (file == NULL)
        return;
    fprintf(file, "%s %llu%s\n", name, 1ull * grid[0] * grid[1] * grid[2],
            is_cooperative(launch) ? " cooperative" : "");
    fclose(file);
}

cuda_result cuLaunchKernelEx(const cuda_launch *launch, cuda_function function, void **arguments,
                             void **extra) {
    ENTER(true);
    const unsigned *grid = launch->grid, *block = launch->block;
    int64_t threads = (int64_t)grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2];
    if (threads == 0 || extra != NULL)
        return CUDA_INVALID_VALUE;
    if (is_cooperative(launch) &&
        threads > (int64_t)block[0] * count_resident((int)block[0]) * CUDA_DEVICE_MULTIPROCESSORS)
        return CUDA_COOPERATIVE_TOO_LARGE; /* this many multiprocessors: what is asked of an attribute is its
                                              number */
    note_launch(function->name, launch);
    if (strcmp(function->name, "fault") == 0) {
        fake_pending = CUDA_ILLEGAL_ADDRESS;
        return CUDA_OK;
    }
    if (function->run != NULL) {
        function->run(grid[0], block[0], launch->shared_bytes, arguments);
        return CUDA_OK;
    }
    if (fake_has_kernel(function->name)) {
        fake_run_kernel(function->name, grid, block[0], launch->shared_bytes, arguments);
        return CUDA_OK;
    }
    int64_t n;
    cuda_pointer a, b;
    memcpy(&n, arguments[0], sizeof n);
    memcpy(&a, arguments[1], sizeof a);
    memcpy(&b, arguments[2], sizeof b);
    if (!fake_is_inside(a, (size_t)n * sizeof(double)) || !fake_is_inside(b, (size_t)n * sizeof(double)))
        return CUDA_ILLEGAL_ADDRESS;
    const double *from = fake_host(a);
    double *to = fake_host(b);
    for (int64_t i = 0; i < n && i < threads; i++)
        to[i] += from[i];
    return CUDA_OK;
}
