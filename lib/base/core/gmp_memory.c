/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/core/gmp_memory.h"
#include "base/core/fault.h"

#include <gmp.h>
#include <stdlib.h>

static void (*fail)(void);

static void *allocate(size_t size) {
    void *pointer = base_fault(BASE_FAULT_ALLOC) ? NULL : malloc(size);
    if (pointer == NULL)
        fail();
    return pointer;
}

static void *reallocate(void *old, size_t old_size, size_t size) {
    (void)old_size;
    void *pointer = base_fault(BASE_FAULT_ALLOC) ? NULL : realloc(old, size);
    if (pointer == NULL)
        fail();
    return pointer;
}

static void release(void *pointer, size_t size) {
    (void)size;
    free(pointer);
}

void base_gmp_memory_install(void (*no_memory)(void)) {
    fail = no_memory;
    mp_set_memory_functions(allocate, reallocate, release);
}
