/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "perm/chunks/internal.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

void perm_chunked_free(perm_chunked *chunked) {
    if (chunked->method != NULL && chunked->release != NULL)
        chunked->release(chunked->method);
    *chunked = (perm_chunked){.chunks = 0};
}

/* NULL, or what is wrong with the numbers of a chunk. */
static const char *compute(const perm_chunks_runner *run, int64_t chunk, void *partial, uint64_t *hash) {
    const perm_chunked *chunked = run->chunked;
    chunked->run(run->context, chunked->method, chunk, partial);
    if (!perm_chunks_seal(run, chunk, partial, hash))
        return "has impossible numbers";
    if (perm_chunks_is_sampled(run, chunk) && !chunked->agrees(run->context, chunked->method, chunk, partial))
        return "differs from what another kernel computes";
    return NULL;
}

static void run_chunks(perm_chunks_runner *run, void *partial) {
    for (;;) {
        int64_t chunk, count;
        bool done = false;
#pragma omp critical(perm_chunks)
        count = perm_chunks_take(run, 1, &chunk);
        if (count == 0)
            return;
        for (int try = 1; !done; try++) {
            uint64_t hash = 0;
            const char *wrong = compute(run, chunk, partial, &hash);
#pragma omp critical(perm_chunks)
            done = perm_chunks_finish(run, chunk, try, partial, hash, wrong);
        }
    }
}

static base_status confirm(base_context *context, const perm_chunked *chunked, const perm_sum *sum) {
    bool agrees = true;
    perm_value value;
    perm_value_init(&value);
    perm_sum_finish(sum, &value);
    base_status status = chunked->confirm(context, chunked->method, &value, &agrees);
    if (status == BASE_OK && !agrees)
        status = base_fail(context, BASE_MACHINE,
                           "a permanent is another one modulo a prime: this machine computes wrongly");
    perm_value_free(&value);
    return status;
}

/* Computes the chunks on the processor's threads. */
static base_status run_threads(perm_chunks_runner *run) {
    const int64_t stride = (run->chunked->partial_bytes + 63) / 64 * 64, left = run->sum->left;
    const int threads = left < run->context->threads ? (int)left : run->context->threads;
    char *partials = base_alloc_aligned(run->context, threads * stride, 1);
    if (partials == NULL)
        return BASE_MACHINE;
#pragma omp parallel num_threads(threads)
    run_chunks(run, partials + omp_get_thread_num() * stride);
    free(partials);
    return run->status;
}

static int count_lost(const perm_chunks_runner *run) {
    int lost = 0;
    for (int worker = 0; worker < run->chunked->workers; worker++)
        lost += run->is_lost[worker];
    return lost;
}

static void note_loss(const perm_chunks_runner *run) {
    char line[sizeof run->lost_error.cause + 64];
    snprintf(line, sizeof line, "%s: the other devices do its work", run->lost_error.cause);
    if (run->work != NULL && run->work->note != NULL)
        run->work->note(run->work->data, line);
}

/* A thread for each device. The chunks of one that fails are done by the others, if there are any. */
static base_status run_devices(perm_chunks_runner *run) {
    const int workers = run->chunked->workers;
    int lost = 0;
    run->is_lost = base_alloc_zero(run->context, workers, sizeof *run->is_lost);
    if (run->is_lost == NULL)
        return BASE_MACHINE;
    do {
        run->next = run->sum->first;
#pragma omp parallel num_threads(workers)
        for (int worker = omp_get_thread_num(); worker < workers; worker += omp_get_num_threads())
            if (!run->is_lost[worker])
                perm_chunks_run_worker(run, worker);
        const int now = count_lost(run);
        if (now == lost || run->status != BASE_OK)
            break;
        lost = now;
        if (run->sum->left > 0 && lost < workers)
            note_loss(run);
    } while (run->sum->left > 0 && lost < workers);
    if (run->status == BASE_OK && run->sum->left > 0) {
        run->context->error = run->lost_error;
        run->status = BASE_MACHINE;
    }
    free(run->is_lost);
    return run->status;
}

base_status perm_chunks_run(base_context *context, const perm_chunked *chunked, perm_work *work,
                            perm_sum *sum) {
    perm_chunks_runner run = {context, chunked, work, sum, sum->first, BASE_OK, NULL, {0}};
    const bool can_stop = work != NULL && work->checkpoint.path != NULL && context->progress != NULL;
    if (sum->left == 0)
        return BASE_OK;
    base_progress_start(context, chunked->kernel, (double)sum->left * chunked->chunk_subsets, "subsets");
    if (can_stop)
        context->progress->can_stop = 1;
    perm_work_set_adding(work, true);
    base_status status = chunked->workers > 0 ? run_devices(&run) : run_threads(&run);
    if (status == BASE_MACHINE)
        perm_work_rescue(context, work);
    perm_work_set_adding(work, false);
    if (can_stop)
        context->progress->can_stop = 0;
    base_progress_finish(context);
    if (status == BASE_OK && work != NULL && work->verify && chunked->confirm != NULL &&
        perm_sum_is_complete(sum))
        status = confirm(context, chunked, sum);
    return status;
}
