/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of bytes on their way from one thread to another, in order, through a ring of fixed size: the
 * producer runs ahead by at most the ring. Private to unpack.c. */
#ifndef MM_SOURCE_RING_H
#define MM_SOURCE_RING_H

#include "base/core/context.h"

#include <pthread.h>
#include <stddef.h>

enum { MM_RING_BLOCKS = 8, MM_RING_BLOCK_BYTES = 256 * 1024 };

typedef struct mm_ring_block {
    int tag; /* the users' own */
    size_t size;
    char *data; /* MM_RING_BLOCK_BYTES of room */
} mm_ring_block;

typedef struct mm_ring {
    pthread_mutex_t mutex;
    pthread_cond_t filled, emptied;
    mm_ring_block blocks[MM_RING_BLOCKS];
    unsigned produced, consumed; /* so far */
    bool closed;                 /* the consumer wants no more */
    char *memory;
} mm_ring;

base_status mm_ring_init(base_context *context, mm_ring *ring);
void mm_ring_free(mm_ring *ring); /* after both threads are done with it */

/* Producer: an empty block to fill, waiting for one; NULL once the ring is closed. Then hands it on. */
mm_ring_block *mm_ring_empty(mm_ring *ring);
void mm_ring_put(mm_ring *ring);

/* Consumer: the next full block, waiting for it; valid until it is given back. */
mm_ring_block *mm_ring_full(mm_ring *ring);
void mm_ring_give_back(mm_ring *ring);
void mm_ring_close(mm_ring *ring);

#endif
