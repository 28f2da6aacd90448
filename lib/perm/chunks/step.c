/* SPDX-License-Identifier: BSD-3-Clause */
/* What happens to each chunk, whoever computes it: it is taken, sealed, checked and added. */
#include "base/core/fault.h"
#include "base/core/random.h"
#include "perm/chunks/internal.h"

#include <math.h>
#include <stdio.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* --verify looks at one chunk in so many, but at about FEW where there are no more than that, and at no more
 * than about MOST of very many. */
enum { SAMPLE = 64, FEW_SAMPLES = 8, MOST_SAMPLES = 256 };

/* Of groups of chunks that are verified together. */
static double find_share(const perm_work *work, int64_t groups) {
    const double usual = fmin(1.0 / SAMPLE, (double)MOST_SAMPLES / (double)groups);
    return work->verify_share > 0 ? work->verify_share : fmax(usual, (double)FEW_SAMPLES / (double)groups);
}

bool perm_chunks_is_sampled(const perm_chunks_runner *run, int64_t chunk) {
    uint32_t random[4];
    const int64_t together = run->chunked->together > 1 ? run->chunked->together : 1,
                  groups = (run->sum->end - run->sum->first + together - 1) / together;
    if (run->work == NULL || !run->work->verify)
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
    /* Faults for tests: before the hash as of a wrong kernel, behind it as of wrong memory. */
    if (base_fault(BASE_FAULT_KERNEL))
        flip_bit(partial);
    *hash = hash_partial(run, chunk, partial);
    if (base_fault(BASE_FAULT_CHUNK))
        flip_bit(partial);
    return run->chunked->is_possible(run->chunked->method, partial);
}

static void note(const perm_chunks_runner *run, int64_t chunk, const char *what) {
    char line[128];
    snprintf(line, sizeof line, "chunk %lld of %lld %s: computed again", (long long)chunk,
             (long long)run->chunked->chunks, what);
    if (run->work != NULL && run->work->note != NULL)
#pragma omp critical(perm_note)
        run->work->note(run->work->data, line);
}

int64_t perm_chunks_take(perm_chunks_runner *run, int64_t most, int64_t *first) {
    const perm_sum *sum = run->sum;
    int64_t count = 0;
    if (run->status != BASE_OK)
        return 0;
    /* A state that was resumed may have done chunks anywhere. */
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
    /* The second hash is taken at once before the numbers are added: memory that flipped a bit shows. */
    if (wrong == NULL && hash_partial(run, chunk, partial) != hash)
        wrong = "changed in memory";
    if (wrong != NULL && try < PERM_CHUNK_TRIES) {
        note(run, chunk, wrong);
        return false;
    }
    /* After a failure nothing is added; after a stop what is done still is, so that the state keeps it. */
    if (run->status != BASE_OK && run->status != BASE_STOPPED)
        return true;
    if (wrong != NULL)
        status = base_fail(run->context, BASE_MACHINE,
                           "chunk %lld of %lld %s, %d times: this machine computes wrongly", (long long)chunk,
                           (long long)chunked->chunks, wrong, PERM_CHUNK_TRIES);
    else {
        perm_work_lock(run->work);
        status = chunked->add(run->context, chunked->method, chunk, partial, run->sum);
        perm_work_unlock(run->work);
    }
    if (status == BASE_OK && run->status == BASE_OK)
        status = perm_work_pause(run->context, run->work);
    if (status != BASE_OK)
        run->status = status;
    return true;
}
