#include "base/core/library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static void *open_first(const char *const *names) {
    for (; *names != NULL; names++) {
        void *handle = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
        if (handle != NULL)
            return handle;
    }
    return NULL;
}

base_status base_library_open(base_context *context, const base_library *library) {
    const char *chosen = getenv(library->variable);
    const char *const only[] = {chosen, NULL};
    const bool is_chosen = chosen != NULL && *chosen != '\0';
    void *handle = open_first(is_chosen ? only : library->names);
    if (handle == NULL)
        return base_fail(
            context, BASE_MACHINE,
            "this needs the library %s, which is not there (%s). Install it, or name its file in %s",
            library->what, is_chosen ? chosen : library->names[0], library->variable);
    for (const base_symbol *symbol = library->symbols; symbol->name != NULL; symbol++) {
        void *address = dlsym(handle, symbol->name);
        if (address == NULL)
            return base_fail(context, BASE_MACHINE, "the library %s has no %s: it is too old or too new",
                             library->what, symbol->name);
        memcpy(symbol->place, &address, sizeof address);
    }
    return BASE_OK;
}
