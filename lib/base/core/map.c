/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/core/map.h"
#include "base/core/fault.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { MAPS = 32, NAME_BYTES = 512 };

/* `memory` is set last and cleared first: a signal handler may look at any moment. */
typedef struct map {
    atomic_bool taken;
    _Atomic(const char *) memory; /* NULL: not mapped yet, or no more */
    int64_t bytes;
    bool is_shared;
    char name[NAME_BYTES];
} map;

static map maps[MAPS];

static map *take_map(void) {
    if (base_fault(BASE_FAULT_MAP))
        return NULL;
    for (int i = 0; i < MAPS; i++)
        if (!atomic_exchange(&maps[i].taken, true))
            return &maps[i];
    return NULL;
}

/* Notes whose memory it is. */
static char *note(map *own, const char *name, void *memory, int64_t bytes, bool is_shared) {
    if (memory == MAP_FAILED) {
        own->taken = false;
        return NULL;
    }
    own->bytes = bytes;
    own->is_shared = is_shared;
    snprintf(own->name, sizeof own->name, "%s", name);
    own->memory = memory;
    return memory;
}

char *base_map_reserve(const char *name, int64_t bytes) {
    map *own = take_map();
    if (own == NULL)
        return NULL;
    void *memory = mmap(NULL, (size_t)bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return note(own, name, memory, bytes, false);
}

char *base_map_shared(const char *name, int descriptor, int64_t offset, int64_t bytes, void *room) {
    map *own = take_map();
    if (own == NULL)
        return NULL;
    void *memory = mmap(room, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, (off_t)offset);
    return note(own, name, memory, bytes, true);
}

bool base_map_part(char *to, int descriptor, int64_t offset, int64_t bytes) {
    return !base_fault(BASE_FAULT_MAP) && mmap(to, (size_t)bytes, PROT_READ | PROT_WRITE,
                                               MAP_PRIVATE | MAP_FIXED, descriptor, offset) == (void *)to;
}

void base_free_mapped(void *memory, int64_t mapped) {
    if (mapped <= 0 || memory == NULL) { /* munmap(NULL, …) would remove what lies at the lowest addresses */
        free(memory);
        return;
    }
    for (int i = 0; i < MAPS; i++)
        if (maps[i].memory == memory) {
            maps[i].memory = NULL;
            maps[i].taken = false;
        }
    munmap(memory, (size_t)mapped);
}

static const map *find(const void *address) {
    for (int i = 0; i < MAPS; i++) {
        const char *memory = maps[i].memory;
        if (memory != NULL && (const char *)address >= memory &&
            (const char *)address < memory + maps[i].bytes)
            return &maps[i];
    }
    return NULL;
}

const char *base_map_name(const void *address) {
    const map *map = find(address);
    return map != NULL ? map->name : NULL;
}

bool base_map_is_shared(const void *address) {
    const map *map = find(address);
    return map != NULL && map->is_shared;
}
