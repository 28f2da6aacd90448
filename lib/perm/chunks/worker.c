/* SPDX-License-Identifier: BSD-3-Clause */
/* The chunks of methods on devices: a worker keeps its device busy with one batch while it looks at what the
 * one before has left. */
#include "base/core/memory.h"
#include "perm/chunks/internal.h"

#include <stdlib.h>

/* A batch under way. */
typedef struct batch {
    int64_t first, count; /* 0: none */
} batch;

/* Of a chunk that was collected: the hash of its numbers, and NULL or what is wrong with them. */
typedef struct verdict {
    uint64_t hash;
    const char *wrong;
} verdict;

typedef struct worker {
    perm_chunks_runner *run;
    base_context context; /* of this thread */
    int number;
    batch batch[PERM_CHUNKED_SLOTS];
    char *partials;    /* of a batch … */
    verdict *verdicts; /* … and of each of its chunks */
    bool *agrees;
} worker;

static base_status submit(worker *worker, int slot, int64_t first, int64_t count) {
    const perm_chunked *chunked = worker->run->chunked;
    return chunked->submit(&worker->context, chunked->method, worker->number, slot, first, count);
}

static base_status collect(worker *worker, int slot, void *partials) {
    const perm_chunked *chunked = worker->run->chunked;
    return chunked->collect(&worker->context, chunked->method, worker->number, slot, partials);
}

static bool is_over(const worker *worker) {
    bool over;
#pragma omp critical(perm_chunks)
    over = worker->run->status != BASE_OK;
    return over;
}

/* Looks at chunks that were collected, and compares those that --verify has sampled. */
static base_status judge(worker *worker, int64_t first, int64_t count, void *partials) {
    base_status status = BASE_OK;
    perm_chunks_runner *run = worker->run;
    const perm_chunked *chunked = run->chunked;
    verdict *verdicts = worker->verdicts;
    char *partial = partials;
    for (int64_t k = 0; k < count; k++)
        verdicts[k].wrong =
            perm_chunks_seal(run, first + k, partial + k * chunked->partial_bytes, &verdicts[k].hash)
                ? NULL
                : "has impossible numbers";
    for (int64_t k = 0, next; k < count; k = next) {
        for (next = k; next < count && perm_chunks_is_sampled(run, first + next); next++)
            ;
        if (next == k) {
            next++;
            continue;
        }
        BASE_TRY(chunked->compare(&worker->context, chunked->method, worker->number, first + k, next - k,
                                  partial + k * chunked->partial_bytes, worker->agrees));
        for (int64_t at = k; at < next; at++)
            if (!worker->agrees[at - k])
                verdicts[at].wrong = "differs from what another kernel computes";
    }
done:
    return status;
}

/* Adds a chunk that was judged, which is computed again while something is wrong with it. */
static base_status take_in(worker *worker, int64_t chunk, void *partial, verdict verdict) {
    base_status status = BASE_OK;
    bool done = false;
    for (int try = 1;; try++) {
#pragma omp critical(perm_chunks)
        done = perm_chunks_finish(worker->run, chunk, try, partial, verdict.hash, verdict.wrong);
        if (done)
            break;
        BASE_TRY(submit(worker, PERM_CHUNKED_SLOTS, chunk, 1));
        BASE_TRY(collect(worker, PERM_CHUNKED_SLOTS, partial));
        BASE_TRY(judge(worker, chunk, 1, partial));
        verdict = worker->verdicts[0]; /* of a chunk that was added before */
    }
done:
    return status;
}

/* Ends a slot's batch and starts the next one. Where the run is over, nobody waits for what is under way. */
static base_status turn(worker *worker, int slot) {
    base_status status = BASE_OK;
    const perm_chunked *chunked = worker->run->chunked;
    batch *batch = &worker->batch[slot];
    const struct batch before = *batch;
    batch->count = 0;
    if (is_over(worker))
        goto done;
    if (before.count > 0)
        BASE_TRY(collect(worker, slot, worker->partials));
#pragma omp critical(perm_chunks)
    batch->count = perm_chunks_take(worker->run, chunked->batch, &batch->first);
    if (batch->count > 0)
        BASE_TRY(submit(worker, slot, batch->first, batch->count));
    BASE_TRY(judge(worker, before.first, before.count, worker->partials));
    for (int64_t k = 0; k < before.count; k++)
        BASE_TRY(take_in(worker, before.first + k, worker->partials + k * chunked->partial_bytes,
                         worker->verdicts[k]));
done:
    return status;
}

void perm_chunks_run_worker(perm_chunks_runner *run, int number) {
    base_status status = BASE_MACHINE;
    worker worker = {.run = run, .context = *run->context, .number = number};
    bool busy = true;
    worker.partials = base_alloc(&worker.context, run->chunked->batch, run->chunked->partial_bytes);
    worker.verdicts = base_alloc(&worker.context, run->chunked->batch, sizeof *worker.verdicts);
    worker.agrees = base_alloc(&worker.context, run->chunked->batch, sizeof *worker.agrees);
    if (worker.partials == NULL || worker.verdicts == NULL || worker.agrees == NULL)
        goto done;
    for (int slot = 0; busy; slot = (slot + 1) % PERM_CHUNKED_SLOTS) {
        BASE_TRY(turn(&worker, slot));
        busy = false;
        for (int k = 0; k < PERM_CHUNKED_SLOTS; k++)
            busy = busy || worker.batch[k].count > 0;
    }
done:
    free(worker.partials);
    free(worker.verdicts);
    free(worker.agrees);
#pragma omp critical(perm_chunks)
    if (status == BASE_MACHINE && run->is_lost != NULL) {
        run->is_lost[number] = true;
        run->lost_error = worker.context.error;
    } else if (status != BASE_OK && (run->status == BASE_OK || run->status == BASE_STOPPED)) {
        run->context->error = worker.context.error;
        run->status = status;
    }
}
