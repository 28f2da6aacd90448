/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared libraries that a program looks for when it needs them, so that one that does not need them starts
 * without and runs where they are missing. */
#ifndef BASE_CORE_LIBRARY_H
#define BASE_CORE_LIBRARY_H

#include "base/core/context.h"

#include <stddef.h>

/* A function or variable of the library and the pointer that takes its address. */
typedef struct base_symbol {
    const char *name;
    void *place;
} base_symbol;

typedef struct base_library {
    const char *what;           /* for messages: "HDF5" */
    const char *variable;       /* of the environment; names the file instead of `names` */
    const char *const *names;   /* to try in turn, up to a NULL */
    const base_symbol *symbols; /* all must be there, up to one whose name is NULL */
} base_library;

/* Opens the first library of `names` that is there and sets the places of all its symbols. It stays open.
 * Fails with BASE_MACHINE, naming what is missing. Not for several threads at once. */
base_status base_library_open(base_context *context, const base_library *library);

/* For a library that a program can do without: the first of `names`, the last of which is NULL, that can be
 * loaded; NULL, with the reason in `tried`. If the environment has `variable`, it names the only one that is
 * tried. */
void *base_library_load(const char *variable, const char *const *names, char *tried, size_t tried_bytes);

/* A function of it, or NULL. */
void *base_library_find(void *library, const char *name);

#endif
