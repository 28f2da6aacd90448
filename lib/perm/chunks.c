#include "perm/chunks.h"
#include "base/fault.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* How often a chunk is tried, and how many of the chunks --verify looks at: all of a few, one of so many. */
enum { TRIES = 3, FEW_CHUNKS = 8, SAMPLE = 64 };

/* What the threads share. */
typedef struct runner {
    base_context *context;
    const perm_chunked *chunked;
    perm_work *work;
    perm_sum *sum;
    int64_t next; /* chunk to look at */
    base_status status;
} runner;

void perm_chunked_free(perm_chunked *chunked) {
    if (chunked->release)
        chunked->release(chunked->method);
    *chunked = (perm_chunked){.chunks = 0};
}

static bool is_sampled(const runner *run, int64_t chunk) {
    uint32_t random[4];
    base_random_block(run->context->seed, (uint64_t)run->chunked->chunks, (uint64_t)chunk, random);
    return run->work && run->work->verify &&
           (run->sum->end - run->sum->first <= FEW_CHUNKS || random[0] % SAMPLE == 0);
}

static uint64_t hash_partial(const runner *run, int64_t chunk, const void *partial) {
    return XXH3_64bits_withSeed(partial, (size_t)run->chunked->partial_bytes, (uint64_t)chunk);
}

/* A bit in the middle of the first number, double or integer. */
static void flip_bit(char *partial) {
    partial[5] ^= 1;
}

/* NULL, or what is wrong with the numbers of a chunk. */
static const char *compute(const runner *run, int64_t chunk, char *partial, uint64_t *hash) {
    const perm_chunked *chunked = run->chunked;
    chunked->run(run->context, chunked->method, chunk, partial);
    if (base_fault(BASE_FAULT_KERNEL))
        flip_bit(partial);
    *hash = hash_partial(run, chunk, partial);
    if (base_fault(BASE_FAULT_CHUNK))
        flip_bit(partial);
    if (!chunked->is_possible(chunked->method, partial))
        return "has impossible numbers";
    if (is_sampled(run, chunk) && !chunked->agrees(run->context, chunked->method, chunk, partial))
        return "differs from what another kernel computes";
    return NULL;
}

static void tell(const runner *run, int64_t chunk, const char *what) {
    char line[128];
    snprintf(line, sizeof line, "chunk %lld of %lld %s: computed again", (long long)chunk,
             (long long)run->chunked->chunks, what);
    if (run->work && run->work->note)
        run->work->note(run->work->data, line);
}

/* The next chunk without a value; -1 when there is none or the run is over. */
static int64_t take(runner *run) {
    const perm_sum *sum = run->sum;
    if (run->status != BASE_OK)
        return -1;
    while (run->next < sum->end && sum->done[run->next - sum->first])
        run->next++;
    return run->next < sum->end ? run->next++ : -1;
}

/* One thread at a time. */
static void finish(runner *run, int64_t chunk, const void *partial, const char *wrong) {
    const perm_chunked *chunked = run->chunked;
    if (run->status != BASE_OK && run->status != BASE_STOPPED)
        return;
    if (wrong) {
        run->status = base_fail(run->context, BASE_MACHINE,
                                "chunk %lld of %lld %s, %d times: this machine computes wrongly",
                                (long long)chunk, (long long)chunked->chunks, wrong, TRIES);
        return;
    }
    base_status status = chunked->add(run->context, chunked->method, chunk, partial, run->sum);
    if (status == BASE_OK && run->status == BASE_OK)
        status = perm_work_pause(run->context, run->work);
    if (status != BASE_OK)
        run->status = status;
}

static void run_chunks(runner *run, char *partial) {
    for (;;) {
        int64_t chunk;
        uint64_t hash = 0;
        const char *wrong = NULL;
#pragma omp critical(perm_chunks)
        chunk = take(run);
        if (chunk < 0)
            return;
        for (int attempt = 0; attempt < TRIES; attempt++) {
            wrong = compute(run, chunk, partial, &hash);
#pragma omp critical(perm_chunks)
            {
                if (!wrong && hash_partial(run, chunk, partial) != hash)
                    wrong = "changed in memory";
                if (!wrong || attempt == TRIES - 1)
                    finish(run, chunk, partial, wrong);
                else
                    tell(run, chunk, wrong);
            }
            if (!wrong)
                break;
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

base_status perm_chunks_run(base_context *context, const perm_chunked *chunked, perm_work *work,
                            perm_sum *sum) {
    runner run = {context, chunked, work, sum, sum->first, BASE_OK};
    const int64_t stride = (chunked->partial_bytes + 63) / 64 * 64;
    const int threads = sum->left < context->threads ? (int)sum->left : context->threads;
    const bool can_stop = work && work->checkpoint.path && context->progress;
    if (sum->left == 0)
        return BASE_OK;
    char *partials = base_alloc_aligned(context, threads * stride, 1);
    if (!partials)
        return BASE_MACHINE;
    base_progress_start(context, chunked->kernel, (double)sum->left * chunked->chunk_subsets, "subsets");
    if (can_stop)
        context->progress->can_stop = 1;
#pragma omp parallel num_threads(threads)
    run_chunks(&run, partials + omp_get_thread_num() * stride);
    if (can_stop)
        context->progress->can_stop = 0;
    base_progress_finish(context);
    free(partials);
    if (run.status == BASE_OK && work && work->verify && chunked->confirm && perm_sum_is_complete(sum))
        run.status = confirm(context, chunked, sum);
    return run.status;
}
