#include "base/core/fault.h"
#include "base/core/memory.h"
#include "base/core/random.h"
#include "base/run/progress.h"
#include "perm/chunks/internal.h"
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* --verify looks at one chunk in so many, but at about FEW where there are no more than that, and at no more
 * than about MOST of very many. */
enum { SAMPLE = 64, FEW_SAMPLES = 8, MOST_SAMPLES = 256 };

void perm_chunked_free(perm_chunked *chunked) {
    if (chunked->release)
        chunked->release(chunked->method);
    *chunked = (perm_chunked){.chunks = 0};
}

/* Of groups of chunks that are verified together. */
static double find_share(const perm_work *work, int64_t groups) {
    const double usual = fmin(1.0 / SAMPLE, (double)MOST_SAMPLES / (double)groups);
    return work->verify_share > 0 ? work->verify_share : fmax(usual, (double)FEW_SAMPLES / (double)groups);
}

bool perm_chunks_is_sampled(const perm_chunks_runner *run, int64_t chunk) {
    uint32_t random[4];
    const int64_t together = run->chunked->together > 1 ? run->chunked->together : 1,
                  groups = (run->sum->end - run->sum->first + together - 1) / together;
    if (!run->work || !run->work->verify)
        return false;
    base_random_block(run->context->seed, (uint64_t)run->chunked->chunks, (uint64_t)(chunk / together),
                      random);
    return random[0] < find_share(run->work, groups) * 0x1p32;
}

static uint64_t hash_partial(const perm_chunks_runner *run, int64_t chunk, const void *partial) {
    return XXH3_64bits_withSeed(partial, (size_t)run->chunked->partial_bytes, (uint64_t)chunk);
}

/* A bit in the middle of the first number, double or integer. */
static void flip_bit(char *partial) {
    partial[5] ^= 1;
}

bool perm_chunks_seal(const perm_chunks_runner *run, int64_t chunk, void *partial, uint64_t *hash) {
    if (base_fault(BASE_FAULT_KERNEL))
        flip_bit(partial);
    *hash = hash_partial(run, chunk, partial);
    if (base_fault(BASE_FAULT_CHUNK))
        flip_bit(partial);
    return run->chunked->is_possible(run->chunked->method, partial);
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

static void tell(const perm_chunks_runner *run, int64_t chunk, const char *what) {
    char line[128];
    snprintf(line, sizeof line, "chunk %lld of %lld %s: computed again", (long long)chunk,
             (long long)run->chunked->chunks, what);
    if (run->work && run->work->note)
#pragma omp critical(perm_note)
        run->work->note(run->work->data, line);
}

int64_t perm_chunks_take(perm_chunks_runner *run, int64_t most, int64_t *first) {
    const perm_sum *sum = run->sum;
    int64_t count = 0;
    if (run->status != BASE_OK)
        return 0;
    while (run->next < sum->end && sum->done[run->next - sum->first])
        run->next++;
    *first = run->next;
    while (count < most && run->next < sum->end && !sum->done[run->next - sum->first]) {
        run->next++;
        count++;
    }
    return count;
}

bool perm_chunks_finish(perm_chunks_runner *run, int64_t chunk, int try, const void *partial, uint64_t hash,
                        const char *wrong) {
    const perm_chunked *chunked = run->chunked;
    base_status status = BASE_OK;
    if (!wrong && hash_partial(run, chunk, partial) != hash)
        wrong = "changed in memory";
    if (wrong && try < PERM_CHUNK_TRIES) {
        tell(run, chunk, wrong);
        return false;
    }
    if (run->status != BASE_OK && run->status != BASE_STOPPED)
        return true;
    if (wrong)
        status = base_fail(run->context, BASE_MACHINE,
                           "chunk %lld of %lld %s, %d times: this machine computes wrongly", (long long)chunk,
                           (long long)chunked->chunks, wrong, PERM_CHUNK_TRIES);
    else
        status = chunked->add(run->context, chunked->method, chunk, partial, run->sum);
    if (status == BASE_OK && run->status == BASE_OK)
        status = perm_work_pause(run->context, run->work);
    if (status != BASE_OK)
        run->status = status;
    return true;
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

/* On the processor's threads. */
static base_status run_threads(perm_chunks_runner *run) {
    const int64_t stride = (run->chunked->partial_bytes + 63) / 64 * 64, left = run->sum->left;
    const int threads = left < run->context->threads ? (int)left : run->context->threads;
    char *partials = base_alloc_aligned(run->context, threads * stride, 1);
    if (!partials)
        return BASE_MACHINE;
#pragma omp parallel num_threads(threads)
    run_chunks(run, partials + omp_get_thread_num() * stride);
    free(partials);
    return run->status;
}

/* A thread for each device. */
static base_status run_devices(perm_chunks_runner *run) {
#pragma omp parallel num_threads(run->chunked->workers)
    for (int worker = omp_get_thread_num(); worker < run->chunked->workers; worker += omp_get_num_threads())
        perm_chunks_run_worker(run, worker);
    return run->status;
}

base_status perm_chunks_run(base_context *context, const perm_chunked *chunked, perm_work *work,
                            perm_sum *sum) {
    perm_chunks_runner run = {context, chunked, work, sum, sum->first, BASE_OK};
    const bool can_stop = work && work->checkpoint.path && context->progress;
    if (sum->left == 0)
        return BASE_OK;
    base_progress_start(context, chunked->kernel, (double)sum->left * chunked->chunk_subsets, "subsets");
    if (can_stop)
        context->progress->can_stop = 1;
    base_status status = chunked->workers > 0 ? run_devices(&run) : run_threads(&run);
    if (can_stop)
        context->progress->can_stop = 0;
    base_progress_finish(context);
    if (status == BASE_OK && work && work->verify && chunked->confirm && perm_sum_is_complete(sum))
        status = confirm(context, chunked, sum);
    return status;
}
