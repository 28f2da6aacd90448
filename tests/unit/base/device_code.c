/* SPDX-License-Identifier: BSD-3-Clause */
/* Code for devices, over tests/fake: images and fatbins, kernels in them, NVRTC and its cache. */
#include "base/device/compile.h"
#include "base/device/device.h"
#include "tests/fake/loader.h"
#include "tests/support/tap.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const base_device_fatbin base_probe_fatbin;

static void test_code(void) {
    base_context context;
    base_devices *devices = fake_open_devices(&context, 1);
    base_device *device = base_devices_get(devices, 0);
    base_device_module *module;
    const base_device_fatbin none = {"kernels/perm/dense.cu", NULL, 0};
    tap_ok(base_device_load_fatbin(&context, device, &none, &module) == BASE_MACHINE && module == NULL &&
               fake_says(&context, "kernels/perm/dense.cu: built without CUDA kernels"),
           "a build without nvcc says so");
    tap_ok(base_device_load_image(&context, device, "OLD", "old.cu", &module) == BASE_MACHINE &&
               fake_says(&context, "old.cu has no code for compute capability 9.0"),
           "code for another architecture");
    tap_ok(base_device_load_image(&context, device, "junk", "junk.cu", &module) == BASE_MACHINE &&
               fake_says(&context, "loading junk.cu: fake log: fake words (FAKE_ERROR_200)"),
           "code that the driver refuses, with its log");
    base_device_function function;
    tap_ok(base_device_load_image(&context, device, "FAKE add", "fake.cu", &module) == BASE_OK,
           "none of these makes the device unusable");
    tap_ok(base_device_get_function(&context, module, "sub", &function) == BASE_MACHINE &&
               fake_says(&context, "looking for the kernel sub in fake.cu"),
           "a kernel that is not there");
    int blocks;
    base_device_launch_config config = {.shared_bytes = 232449};
    tap_ok(base_device_get_function(&context, module, "add", &function) == BASE_OK &&
               base_device_launch(&context, &function, &config, NULL, NULL) == BASE_MACHINE &&
               fake_says(&context, "add wants 232449 bytes of shared memory, a block has 232448") &&
               base_device_get_occupancy(&context, &function, 32, -1, &blocks) == BASE_MACHINE,
           "too much shared memory");
    base_device_module_close(module);
    base_devices_close(devices);
    tap_ok(fake_alive() == 0, "everything is released");
}

/* A fatbin begins with a magic number, the bytes of this header and the bytes behind it. */
static void test_embedding(void) {
    if (base_probe_fatbin.image == NULL) {
        tap_ok(base_probe_fatbin.bytes == 0, "built without nvcc");
        tap_skip(1, "built without nvcc");
        return;
    }
    uint32_t magic;
    uint16_t header_bytes;
    uint64_t body_bytes;
    memcpy(&magic, base_probe_fatbin.image, sizeof magic);
    memcpy(&header_bytes, (const char *)base_probe_fatbin.image + 6, sizeof header_bytes);
    memcpy(&body_bytes, (const char *)base_probe_fatbin.image + 8, sizeof body_bytes);
    tap_ok(strcmp(base_probe_fatbin.name, "kernels/base/probe.cu") == 0 &&
               (uintptr_t)base_probe_fatbin.image % 8 == 0,
           "device code is embedded, aligned for the driver");
    tap_ok(magic == 0xba55ed50 && header_bytes + body_bytes == base_probe_fatbin.bytes, "and whole");
}

static base_status build(base_context *context, base_device *device, const char *text,
                         const char *const *options, bool *from_cache) {
    const base_device_source source = {"generated.cu", text, options};
    base_device_module *module;
    base_status status = base_device_build(context, device, &source, &module, from_cache);
    base_device_module_close(module);
    return status;
}

static void test_build(const char *cache) {
    static const char *const no_fused[] = {"--fmad=false", NULL};
    base_context context;
    base_devices *devices = fake_open_devices(&context, 1);
    base_device *device = base_devices_get(devices, 0);
    bool hit = true;
    setenv("MMPIPE_CACHE", cache, 1);
    setenv("MMPIPE_LIBNVRTC", "/nowhere/libnvrtc.so", 1);
    tap_ok(build(&context, device, "add", NULL, &hit) == BASE_MACHINE &&
               fake_says(&context, "no NVRTC to compile kernels with (/nowhere/libnvrtc.so not found)"),
           "no NVRTC");
    setenv("MMPIPE_LIBNVRTC", fake_path, 1);
    tap_ok(build(&context, device, "add", NULL, &hit) == BASE_OK && !hit && fake_compilations() == 1,
           "compiled");
    tap_ok(build(&context, device, "add", NULL, &hit) == BASE_OK && hit && fake_compilations() == 1,
           "from the cache");
    tap_ok(build(&context, device, "add ", NULL, &hit) == BASE_OK && !hit, "another source is compiled");
    tap_ok(build(&context, device, "add", no_fused, &hit) == BASE_OK && !hit, "other options");
    setenv("MMPIPE_FAKE_NVRTC", "12", 1);
    tap_ok(build(&context, device, "add", NULL, &hit) == BASE_OK && !hit, "another compiler");
    unsetenv("MMPIPE_FAKE_NVRTC");
    tap_ok(build(&context, device, "#error", NULL, &hit) == BASE_MACHINE &&
               fake_says(&context, "NVRTC 13.0 cannot compile generated.cu: fake.cu(3): error: #error here"),
           "an error of the compiler comes with its log");
    setenv("MMPIPE_CACHE", "/dev/null/cache", 1);
    tap_ok(build(&context, device, "add", NULL, &hit) == BASE_OK && !hit &&
               build(&context, device, "add", NULL, &hit) == BASE_OK && !hit,
           "without a cache everything works");
    base_devices_close(devices);

    const base_device_source source = {"generated.cu", "add", NULL};
    const struct {
        int architecture;
        const char *target; /* NULL: refused */
    } targets[] = {{80, "sm_80"}, {90, "sm_90"}, {87, "compute_86"}, {120, "compute_90"}, {75, NULL}};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        void *image;
        int64_t bytes;
        base_status status = base_device_compile(&context, &source, targets[i].architecture, &image, &bytes);
        if (targets[i].target != NULL)
            tap_ok(status == BASE_OK && strstr(image, targets[i].target) != NULL, "code for %d is %s",
                   targets[i].architecture, targets[i].target);
        else
            tap_ok(status == BASE_MACHINE &&
                       fake_says(&context, "NVRTC 13.0 does not support compute capability 7.5"),
                   "no code for %d", targets[i].architecture);
        free(image);
    }
}

/* The true NVRTC, where it is installed, needs no device. */
static void test_true_compiler(void) {
    static const char text[] =
        "extern \"C\" __global__ void square(double *a) { a[threadIdx.x] *= a[threadIdx.x]; }";
    base_context context;
    void *image;
    int64_t bytes;
    base_device_source source = {"square.cu", text, NULL};
    base_context_init(&context);
    unsetenv("MMPIPE_LIBNVRTC");
    base_status status = base_device_compile(&context, &source, 90, &image, &bytes);
    if (status != BASE_OK && strstr(context.error.cause, "no NVRTC") != NULL) {
        tap_skip(3, context.error.cause);
        return;
    }
    tap_ok(status == BASE_OK && bytes > 500 && memcmp(image, "\177ELF", 4) == 0,
           "NVRTC compiles to machine code: %s", status == BASE_OK ? "ELF" : context.error.cause);
    free(image);
    tap_ok(base_device_compile(&context, &source, 999, &image, &bytes) == BASE_OK &&
               strstr(image, ".entry square") != NULL,
           "and to PTX for devices to come");
    free(image);
    source.text = "extern \"C\" __global__ void broken() { undeclared = 1; }";
    tap_ok(base_device_compile(&context, &source, 90, &image, &bytes) == BASE_MACHINE &&
               fake_says(&context, "identifier \"undeclared\" is undefined"),
           "and explains errors");
}

int main(void) {
    if (!fake_load()) {
        tap_ok(false, "%s: %s", fake_path, dlerror());
        return tap_done();
    }
    setenv("MMPIPE_LIBCUDA", fake_path, 1);
    setenv("MMPIPE_FAKE_DEVICES", "2", 1);
    test_code();
    test_embedding();
    char cache[] = "/tmp/mmpipe-cache.XXXXXX", command[64];
    if (mkdtemp(cache) != NULL) {
        test_build(cache);
        snprintf(command, sizeof command, "rm -rf '%s'", cache);
        tap_ok(system(command) == 0, "remove %s", cache);
    }
    test_true_compiler();
    return tap_done();
}
