/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fake/loader.h"
#include "tests/support/tap.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char fake_path[1024];
int (*fake_alive)(void), (*fake_compilations)(void);
void (*fake_reset)(void);

bool fake_load(void) {
    const char *build = getenv("MMPIPE_BUILD");
    snprintf(fake_path, sizeof fake_path, "%s/tests/fake/libcuda.so", build != NULL ? build : ".");
    void *fake = dlopen(fake_path, RTLD_NOW);
    if (fake == NULL)
        return false;
    void *entry = dlsym(fake, "fake_alive");
    memcpy(&fake_alive, &entry, sizeof entry);
    entry = dlsym(fake, "fake_compilations");
    memcpy(&fake_compilations, &entry, sizeof entry);
    entry = dlsym(fake, "fake_reset");
    memcpy(&fake_reset, &entry, sizeof entry);
    return true;
}

bool fake_says(const base_context *context, const char *text) {
    bool found = strstr(context->error.cause, text) != NULL;
    if (!found)
        tap_note("the cause is: %s", context->error.cause);
    return found;
}

base_devices *fake_open_devices(base_context *context, int count) {
    static const int indices[] = {1, 0};
    base_devices *devices;
    base_context_init(context);
    if (base_devices_open(context, BASE_DEVICE_CUDA, indices, count, &devices) != BASE_OK)
        tap_ok(false, "open: %s", context->error.cause);
    return devices;
}
