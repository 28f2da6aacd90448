/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/coding/libarchive.h"
#include "base/core/library.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

mm_libarchive_functions mm_libarchive;
static char missing[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    static const char *const names[] = {"libarchive.so.13", "libarchive.so", NULL};
    char tried[160];
    void *library = base_library_load("MMPIPE_LIBARCHIVE", names, tried, sizeof tried), *entry;
    if (library == NULL) {
        snprintf(missing, sizeof missing, "no libarchive (%s)", tried);
        return;
    }
#define LOAD(name)                                                                                           \
    entry = base_library_find(library, "archive_" #name);                                                    \
    if (entry == NULL)                                                                                       \
        snprintf(missing, sizeof missing, "libarchive is too old: it has no archive_" #name);                \
    memcpy(&mm_libarchive.archive_##name, &entry, sizeof entry);
    MM_LIBARCHIVE_FUNCTIONS(LOAD)
#undef LOAD
}

const char *mm_libarchive_missing(void) {
    pthread_once(&once, load);
    return missing[0] != '\0' ? missing : NULL;
}
