/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/source/ring.h"
#include "base/core/memory.h"

#include <stdlib.h>

base_status mm_ring_init(base_context *context, mm_ring *ring) {
    base_status status = BASE_OK;
    *ring = (mm_ring){.memory = base_alloc(context, MM_RING_BLOCKS, MM_RING_BLOCK_BYTES)};
    if (ring->memory == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int i = 0; i < MM_RING_BLOCKS; i++)
        ring->blocks[i].data = ring->memory + (size_t)i * MM_RING_BLOCK_BYTES;
    pthread_mutex_init(&ring->mutex, NULL);
    pthread_cond_init(&ring->filled, NULL);
    pthread_cond_init(&ring->emptied, NULL);
done:
    return status;
}

void mm_ring_free(mm_ring *ring) {
    if (ring->memory == NULL)
        return;
    pthread_cond_destroy(&ring->emptied);
    pthread_cond_destroy(&ring->filled);
    pthread_mutex_destroy(&ring->mutex);
    free(ring->memory);
    ring->memory = NULL;
}

mm_ring_block *mm_ring_empty(mm_ring *ring) {
    pthread_mutex_lock(&ring->mutex);
    while (!ring->closed && ring->produced - ring->consumed == MM_RING_BLOCKS)
        pthread_cond_wait(&ring->emptied, &ring->mutex);
    bool closed = ring->closed;
    pthread_mutex_unlock(&ring->mutex);
    return closed ? NULL : &ring->blocks[ring->produced % MM_RING_BLOCKS];
}

void mm_ring_put(mm_ring *ring) {
    pthread_mutex_lock(&ring->mutex);
    ring->produced++;
    pthread_cond_signal(&ring->filled);
    pthread_mutex_unlock(&ring->mutex);
}

mm_ring_block *mm_ring_full(mm_ring *ring) {
    pthread_mutex_lock(&ring->mutex);
    while (ring->produced == ring->consumed)
        pthread_cond_wait(&ring->filled, &ring->mutex);
    pthread_mutex_unlock(&ring->mutex);
    return &ring->blocks[ring->consumed % MM_RING_BLOCKS];
}

void mm_ring_give_back(mm_ring *ring) {
    pthread_mutex_lock(&ring->mutex);
    ring->consumed++;
    pthread_cond_signal(&ring->emptied);
    pthread_mutex_unlock(&ring->mutex);
}

void mm_ring_close(mm_ring *ring) {
    pthread_mutex_lock(&ring->mutex);
    ring->closed = true;
    pthread_cond_signal(&ring->emptied);
    pthread_mutex_unlock(&ring->mutex);
}
