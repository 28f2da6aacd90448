/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/core/gmp_memory.h"
#include "base/core/fault.h"

#include <gmp.h>
#include <pthread.h>
#include <stdlib.h>

/* A number of up to two words: most entries of small matrices. malloc keeps a handful of such blocks at hand,
 * while a matrix takes and gives back hundreds. */
enum { SMALL_BYTES = 2 * sizeof(mp_limb_t), MOST_KEPT = 4096 };

/* Small blocks of malloc that this thread has given back. */
typedef struct block {
    struct block *next;
} block;

typedef struct kept_blocks {
    block *first;
    int count;
} kept_blocks;

static _Thread_local kept_blocks kept;
static pthread_key_t key; /* of threads that keep some: they are freed when one ends */

static void (*fail)(void);

static void free_kept(void *data) {
    kept_blocks *blocks = data;
    while (blocks->first != NULL) {
        block *next = blocks->first->next;
        free(blocks->first);
        blocks->first = next;
    }
    blocks->count = 0;
}

static void *take_kept(void) {
    block *taken = kept.first;
    kept.first = taken->next;
    kept.count--;
    return taken;
}

/* Of a block that is taken: all small ones are of one size. */
static size_t size_of(size_t size) {
    return size > SMALL_BYTES ? size : SMALL_BYTES;
}

static void *allocate(size_t size) {
    void *pointer = NULL;
    if (!base_fault(BASE_FAULT_ALLOC))
        pointer = size <= SMALL_BYTES && kept.first != NULL ? take_kept() : malloc(size_of(size));
    if (pointer == NULL)
        fail();
    return pointer;
}

static void *reallocate(void *old, size_t old_size, size_t size) {
    void *pointer = NULL;
    if (!base_fault(BASE_FAULT_ALLOC))
        pointer = size_of(old_size) == size_of(size) ? old : realloc(old, size_of(size));
    if (pointer == NULL)
        fail();
    return pointer;
}

static void release(void *pointer, size_t size) {
    if (size > SMALL_BYTES || kept.count == MOST_KEPT) {
        free(pointer);
        return;
    }
    if (kept.count == 0 && pthread_setspecific(key, &kept) != 0) {
        free(pointer);
        return;
    }
    *(block *)pointer = (block){kept.first};
    kept.first = pointer;
    kept.count++;
}

void base_gmp_memory_install(void (*no_memory)(void)) {
    fail = no_memory;
    if (pthread_key_create(&key, free_kept) == 0)
        mp_set_memory_functions(allocate, reallocate, release);
}
