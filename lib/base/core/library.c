/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/core/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *base_library_load(const char *variable, const char *const *names, char *tried, size_t tried_bytes) {
    const char *chosen = getenv(variable);
    const char *const only[] = {chosen, NULL};
    if (chosen != NULL && chosen[0] != '\0')
        names = only;
    snprintf(tried, tried_bytes, "%s not found", names[0]);
    for (int i = 0; names[i] != NULL; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library != NULL)
            return library;
        /* A library that is there but broken deserves the loader's own words. */
        const char *words = dlerror();
        if (words != NULL && strstr(words, "cannot open shared object file") == NULL)
            snprintf(tried, tried_bytes, "%s", words);
    }
    return NULL;
}

void *base_library_find(void *library, const char *name) {
    return dlsym(library, name);
}

base_status base_library_open(base_context *context, const base_library *library) {
    char tried[256];
    void *handle = base_library_load(library->variable, library->names, tried, sizeof tried);
    if (handle == NULL)
        return base_fail(
            context, BASE_MACHINE,
            "this needs the library %s, which cannot be loaded (%s). Install it, or name its file in %s",
            library->what, tried, library->variable);
    for (const base_symbol *symbol = library->symbols; symbol->name != NULL; symbol++) {
        void *address = base_library_find(handle, symbol->name);
        if (address == NULL)
            return base_fail(context, BASE_MACHINE, "the library %s has no %s: it is too old or too new",
                             library->what, symbol->name);
        memcpy(symbol->place, &address, sizeof address);
    }
    return BASE_OK;
}
