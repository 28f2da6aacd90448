/* SPDX-License-Identifier: BSD-3-Clause */
/* Chunks under way. For chunks.c, step.c, worker.c and solve/batch_blocks.c. */
#ifndef PERM_CHUNKS_INTERNAL_H
#define PERM_CHUNKS_INTERNAL_H

#include "perm/chunks/chunks.h"

/* How often a chunk is tried. */
enum { PERM_CHUNK_TRIES = 3 };

/* What the threads share. */
typedef struct perm_chunks_runner {
    base_context *context;
    const perm_chunked *chunked;
    perm_work *work;
    perm_sum *sum;
    int64_t next; /* chunk to look at */
    base_status status;
    bool *is_lost;         /* of each worker of a device: it has failed; NULL without such */
    base_error lost_error; /* of the last one */
} perm_chunks_runner;

/* The next chunks without a value, at most `most` that follow each other; 0 when there is none or the run is
 * over. */
int64_t perm_chunks_take(perm_chunks_runner *run, int64_t most, int64_t *first);

/* Whether --verify looks at a chunk. */
bool perm_chunks_is_sampled(const perm_chunks_runner *run, int64_t chunk);

/* To be called by the thread that computed it, at once: its hash, and whether its numbers are possible. */
bool perm_chunks_seal(const perm_chunks_runner *run, int64_t chunk, void *partial, uint64_t *hash);

/* Adds a chunk to the sum, unless `wrong` says what is wrong with it or its numbers have changed since: then
 * false, and it must be computed again; after the last try the run fails. One thread at a time. */
bool perm_chunks_finish(perm_chunks_runner *run, int64_t chunk, int try, const void *partial, uint64_t hash,
                        const char *wrong);

/* What a worker of a device does. */
void perm_chunks_run_worker(perm_chunks_runner *run, int worker);

#endif
