/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/device/compile.h"
#include "base/core/library.h"
#include "base/core/memory.h"
#include "base/device/cache.h"
#include "base/device/internal.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct _nvrtcProgram *nvrtc_program;

/* F(result, name, parameters): what is used of NVRTC, as its manual declares it; result 0 is success. */
#define NVRTC_FUNCTIONS(F)                                                                                   \
    F(const char *, nvrtcGetErrorString, (int result))                                                       \
    F(int, nvrtcVersion, (int *major, int *minor))                                                           \
    F(int, nvrtcGetNumSupportedArchs, (int *count))                                                          \
    F(int, nvrtcGetSupportedArchs, (int *architectures))                                                     \
    F(int, nvrtcCreateProgram,                                                                               \
      (nvrtc_program * program, const char *text, const char *name, int headers, const char *const *header,  \
       const char *const *header_name))                                                                      \
    F(int, nvrtcDestroyProgram, (nvrtc_program * program))                                                   \
    F(int, nvrtcCompileProgram, (nvrtc_program program, int options, const char *const *option))             \
    F(int, nvrtcGetProgramLogSize, (nvrtc_program program, size_t * bytes))                                  \
    F(int, nvrtcGetProgramLog, (nvrtc_program program, char *log))                                           \
    F(int, nvrtcGetCUBINSize, (nvrtc_program program, size_t * bytes))                                       \
    F(int, nvrtcGetCUBIN, (nvrtc_program program, char *image))                                              \
    F(int, nvrtcGetPTXSize, (nvrtc_program program, size_t * bytes))                                         \
    F(int, nvrtcGetPTX, (nvrtc_program program, char *image))

typedef struct nvrtc_library {
#define NVRTC_MEMBER(result, name, parameters) result(*name) parameters;
    NVRTC_FUNCTIONS(NVRTC_MEMBER)
#undef NVRTC_MEMBER
    int major, minor;
    char target[40];   /* --gpu-architecture=sm_90 */
    bool machine_code; /* the target gives a cubin, otherwise PTX */
} nvrtc_library;

enum { OPTIONS = 32, ARCHITECTURES = 64 };

static base_status load_compiler(base_context *context, nvrtc_library *nvrtc) {
    static const char *const sonames[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                          "libnvrtc.so"};
    enum { SONAMES = sizeof sonames / sizeof sonames[0], FOLDERS = 4 };
    const char *const roots[FOLDERS] = {NULL, getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
    char path[FOLDERS * SONAMES][512], tried[200];
    const char *names[FOLDERS * SONAMES + 1];
    int count = 0;
    for (int i = 0; i < FOLDERS; i++)
        for (int k = 0; k < SONAMES; k++) {
            if (i > 0 && roots[i] == NULL)
                continue;
            snprintf(path[count], sizeof path[count], "%s%s%s", i > 0 ? roots[i] : "", i > 0 ? "/lib64/" : "",
                     sonames[k]);
            names[count] = path[count];
            count++;
        }
    names[count] = NULL;
    void *library = base_library_load("MMPIPE_LIBNVRTC", names, tried, sizeof tried);
    if (library == NULL)
        return base_fail(context, BASE_MACHINE, "no NVRTC to compile kernels with (%s)", tried);
    void *entry;
#define LOAD(result, name, parameters)                                                                       \
    entry = dlsym(library, #name);                                                                           \
    if (entry == NULL)                                                                                       \
        return base_fail(context, BASE_MACHINE, "NVRTC is too old: it has no " #name);                       \
    memcpy(&nvrtc->name, &entry, sizeof entry);
    NVRTC_FUNCTIONS(LOAD)
#undef LOAD
    return BASE_OK;
}

static base_status check(base_context *context, const nvrtc_library *nvrtc, int result, const char *what) {
    if (result == 0)
        return BASE_OK;
    return base_fail(context, BASE_MACHINE, "NVRTC %d.%d: %s: %s", nvrtc->major, nvrtc->minor, what,
                     nvrtc->nvrtcGetErrorString(result));
}

/* Machine code for the device if the compiler knows it; else PTX of the newest architecture below it, which
 * the driver translates. */
static base_status choose_target(base_context *context, nvrtc_library *nvrtc, int architecture) {
    int known[ARCHITECTURES], count = 0, best = 0;
    base_status status;
    BASE_TRY(check(context, nvrtc, nvrtc->nvrtcVersion(&nvrtc->major, &nvrtc->minor), "version"));
    BASE_TRY(check(context, nvrtc, nvrtc->nvrtcGetNumSupportedArchs(&count), "architectures"));
    if (count > ARCHITECTURES)
        BASE_TRY(base_fail(context, BASE_MACHINE, "NVRTC knows %d architectures, too many", count));
    BASE_TRY(check(context, nvrtc, nvrtc->nvrtcGetSupportedArchs(known), "architectures"));
    for (int i = 0; i < count; i++)
        if (known[i] <= architecture && known[i] > best)
            best = known[i];
    if (best == 0)
        BASE_TRY(base_fail(context, BASE_MACHINE, "NVRTC %d.%d does not support compute capability %d.%d",
                           nvrtc->major, nvrtc->minor, architecture / 10, architecture % 10));
    nvrtc->machine_code = best == architecture;
    snprintf(nvrtc->target, sizeof nvrtc->target, "--gpu-architecture=%s_%d",
             nvrtc->machine_code ? "sm" : "compute", best);
done:
    return status;
}

static base_status start_compiler(base_context *context, nvrtc_library *nvrtc, int architecture) {
    base_status status;
    BASE_TRY(load_compiler(context, nvrtc));
    BASE_TRY(choose_target(context, nvrtc, architecture));
done:
    return status;
}

base_status base_device_check_compiler(base_context *context, int architecture) {
    nvrtc_library nvrtc;
    return start_compiler(context, &nvrtc, architecture);
}

/* Fails with the compiler's log from its first error on, as one line. */
static base_status fail_with_log(base_context *context, const nvrtc_library *nvrtc, nvrtc_program program,
                                 const char *name, int result) {
    size_t bytes = 0;
    char *log = NULL;
    const char *words = nvrtc->nvrtcGetErrorString(result);
    if (nvrtc->nvrtcGetProgramLogSize(program, &bytes) == 0 && bytes > 1)
        log = base_alloc_zero(context, (int64_t)bytes + 1, 1);
    if (log != NULL && nvrtc->nvrtcGetProgramLog(program, log) == 0 && log[0] != '\0') {
        char *error = strstr(log, "error");
        while (error != NULL && error > log && error[-1] != '\n')
            error--;
        words = error != NULL ? error : log;
        for (char *next = log; *next != '\0'; next++)
            if (*next == '\n')
                *next = ' ';
    }
    base_fail(context, BASE_MACHINE, "NVRTC %d.%d cannot compile %s: %s", nvrtc->major, nvrtc->minor, name,
              words);
    free(log);
    return BASE_MACHINE;
}

static base_status run_compiler(base_context *context, const nvrtc_library *nvrtc,
                                const base_device_source *source, void **image, int64_t *image_bytes) {
    base_status status;
    nvrtc_program program = NULL;
    const char *option[OPTIONS] = {nvrtc->target};
    int options = 1;
    size_t bytes = 0;
    *image = NULL;
    for (int i = 0; source->options != NULL && source->options[i] != NULL; i++) {
        if (options == OPTIONS)
            return base_fail(context, BASE_MACHINE, "%s: too many options of NVRTC", source->name);
        option[options++] = source->options[i];
    }
    BASE_TRY(check(context, nvrtc,
                   nvrtc->nvrtcCreateProgram(&program, source->text, source->name, 0, NULL, NULL),
                   "creating a program"));
    int result = nvrtc->nvrtcCompileProgram(program, options, option);
    if (result != 0)
        BASE_TRY(fail_with_log(context, nvrtc, program, source->name, result));
    result = nvrtc->machine_code ? nvrtc->nvrtcGetCUBINSize(program, &bytes)
                                 : nvrtc->nvrtcGetPTXSize(program, &bytes);
    BASE_TRY(check(context, nvrtc, result, "size of the code"));
    *image = base_alloc(context, (int64_t)bytes, 1);
    if (*image == NULL)
        BASE_TRY(BASE_MACHINE);
    result =
        nvrtc->machine_code ? nvrtc->nvrtcGetCUBIN(program, *image) : nvrtc->nvrtcGetPTX(program, *image);
    BASE_TRY(check(context, nvrtc, result, "reading the code"));
    *image_bytes = (int64_t)bytes;
done:
    if (program != NULL)
        nvrtc->nvrtcDestroyProgram(&program);
    if (status != BASE_OK) {
        free(*image);
        *image = NULL;
    }
    return status;
}

base_status base_device_compile(base_context *context, const base_device_source *source, int architecture,
                                void **image, int64_t *bytes) {
    base_status status;
    nvrtc_library nvrtc = {0};
    *image = NULL;
    *bytes = 0;
    BASE_TRY(start_compiler(context, &nvrtc, architecture));
    BASE_TRY(run_compiler(context, &nvrtc, source, image, bytes));
done:
    return status;
}

/* All that decides the machine code: compiler, target, options, source. */
static base_device_cache_key make_key(const nvrtc_library *nvrtc, const base_device_source *source) {
    char version[40];
    const char *texts[OPTIONS + 4];
    int count = 0;
    snprintf(version, sizeof version, "NVRTC %d.%d", nvrtc->major, nvrtc->minor);
    texts[count++] = version;
    texts[count++] = nvrtc->target;
    texts[count++] = source->text;
    for (int i = 0; source->options != NULL && source->options[i] != NULL && i < OPTIONS; i++)
        texts[count++] = source->options[i];
    return base_device_cache_make_key(texts, count);
}

base_status base_device_build(base_context *context, base_device *device, const base_device_source *source,
                              base_device_module **module, bool *from_cache) {
    base_status status;
    nvrtc_library nvrtc = {0};
    void *image = NULL;
    int64_t bytes = 0;
    *module = NULL;
    BASE_TRY(start_compiler(context, &nvrtc, base_device_get_properties(device)->architecture));
    base_device_cache_key key = make_key(&nvrtc, source);
    bool hit = base_device_cache_read(context, &key, &image, &bytes);
    if (from_cache != NULL)
        *from_cache = hit;
    if (!hit)
        BASE_TRY(run_compiler(context, &nvrtc, source, &image, &bytes));
    BASE_TRY(base_device_load_image(context, device, image, source->name, module));
    /* Only what the driver accepted is worth keeping. */
    if (!hit)
        base_device_cache_write(context, &key, image, bytes);
done:
    free(image);
    return status;
}
