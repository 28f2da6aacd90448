/* SPDX-License-Identifier: BSD-3-Clause */
/* One way of running every method whose result is a sum over independent chunks: threads, parts, checkpoints,
 * the time limit, and a watch on what the machine computes.
 *
 * Each chunk's numbers are hashed by the thread that computed them and checked when they are added, and must
 * be possible (no residue beyond its prime, no sum beyond the sum of absolute values). With work->verify a
 * random sample of chunks is computed once more by another kernel. What fails is done again, and said; what
 * fails again is the machine's failure.
 *
 * The room: chunks.c runs on threads, worker.c on devices, step.c is what happens to each chunk;
 * device_sums.h makes the chunked form of any sum that devices add up. partial_result.h is what there is of a
 * record's permanent, blocks and their runs; json_keys.h and partial_result_json.c write it into lines;
 * work.h keeps it in checkpoints. Methods (method/method.h) make a perm_chunked; solve/run.c runs it. */
#ifndef PERM_CHUNKS_CHUNKS_H
#define PERM_CHUNKS_CHUNKS_H

#include "perm/chunks/work.h"

/* A method ready to run. */
typedef struct perm_chunked {
    const char *kernel; /* its name */
    void *method;
    int64_t chunks;
    int64_t partial_bytes; /* what a chunk leaves */
    double chunk_subsets;  /* its work, for the progress that `run` adds to */
    double terms;          /* of the whole, to report; 0: the subsets of all columns but one */
    /* What the whole takes one core, if its terms are those of dense/dense.h: a share of that goes into a
     * sample of their errors (solve/error_sampler.h). 0: there is none. */
    double sampled_seconds;

    /* Any thread; the same numbers whenever. */
    void (*run)(base_context *context, const void *method, int64_t chunk, void *partial);
    bool (*is_possible)(const void *method, const void *partial);
    /* Whether another kernel finds the same for a chunk, within the bounds of both. */
    bool (*agrees)(base_context *context, const void *method, int64_t chunk, const void *partial);
    /* Sets what a sum must know before chunks are added: modulus, relative and absolute error. */
    void (*prepare)(const void *method, perm_sum *sum);
    base_status (*add)(base_context *context, const void *method, int64_t chunk, const void *partial,
                       perm_sum *sum);
    /* Whether the value of the whole is right by other means; may be NULL. */
    base_status (*confirm)(base_context *context, const void *method, const perm_value *value, bool *agrees);
    void (*release)(void *method);

    /* Methods on devices have these instead of `run` and `agrees`, and a worker for each device: a thread of
     * its own, which computes `batch` chunks that follow each other at a time and has up to
     * PERM_CHUNKED_SLOTS batches under way: `submit` starts one, `collect` waits for it. One more slot is for
     * single chunks that must be computed again. `compare` does what `agrees` does for chunks that follow
     * each other; --verify looks at so many, `together`, at a time, which keep a device busy. */
    int workers;
    int64_t batch, together;
    base_status (*submit)(base_context *context, void *method, int worker, int slot, int64_t first,
                          int64_t count);
    base_status (*collect)(base_context *context, void *method, int worker, int slot, void *partials);
    base_status (*compare)(base_context *context, void *method, int worker, int64_t first, int64_t count,
                           const void *partials, bool *agrees);
} perm_chunked;

enum { PERM_CHUNKED_SLOTS = 2 };

void perm_chunked_free(perm_chunked *chunked);

/* Computes the chunks of the sum that are not there yet, on context->threads threads. `work` may be NULL.
 * Fails with BASE_STOPPED as perm_work_pause does, the sum being what the state has. */
base_status perm_chunks_run(base_context *context, const perm_chunked *chunked, perm_work *work,
                            perm_sum *sum);

#endif
