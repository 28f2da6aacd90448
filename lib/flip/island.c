#include "base/memory.h"
#include "base/random.h"
#include "flip/search_private.h"
#include "flip/walk.h"

#include <stdlib.h>
#include <string.h>

static int compare_terms(const void *a, const void *b) {
    return memcmp(a, b, 3 * sizeof(uint64_t));
}

void flip_pool_add(flip_pool *pool, int64_t rank, uint64_t *masks) {
    size_t bytes = (size_t)(3 * rank) * sizeof *masks;
    qsort(masks, (size_t)rank, 3 * sizeof *masks, compare_terms);
    if (rank < pool->rank) {
        pool->rank = rank;
        pool->count = 0;
    }
    if (pool->count == pool->most)
        return;
    for (int64_t k = 0; k < pool->count; k++)
        if (memcmp(pool->masks + k * 3 * rank, masks, bytes) == 0)
            return;
    memcpy(pool->masks + pool->count++ * 3 * rank, masks, bytes);
}

static uint64_t *saved_at(const flip_island *island, int64_t rank) {
    return island->saved + 3 * rank * (rank - 1) / 2;
}

static void load_all(const flip_search *search, flip_island *island) {
    for (int64_t w = 0; w < search->options.walkers; w++) {
        flip_walker_load(search->options.kernel, &island->walkers[w], island->rank,
                         saved_at(island, island->rank));
        island->since[w] = 0;
    }
}

base_status flip_island_open(base_context *context, const flip_search *search, const uint64_t *masks,
                             int64_t index, flip_island *island) {
    base_status status = BASE_OK;
    int64_t rank = search->start_rank, walkers = search->options.walkers;
    island->walkers = base_alloc_aligned(context, walkers, sizeof *island->walkers);
    island->saved = base_alloc(context, 3 * rank * (rank + 1) / 2, sizeof *island->saved);
    island->has_saved = base_alloc_zero(context, rank + 1, sizeof *island->has_saved);
    island->found = (flip_pool){rank, 0, search->options.keep, NULL};
    island->found.masks = base_alloc(context, 3 * rank * search->options.keep, sizeof *island->found.masks);
    if (island->walkers == NULL || island->saved == NULL || island->has_saved == NULL ||
        island->found.masks == NULL)
        BASE_TRY(BASE_MACHINE);
    memset(island->walkers, 0, (size_t)walkers * sizeof *island->walkers);
    island->rank = rank;
    island->has_saved[rank] = true;
    memcpy(saved_at(island, rank), masks, (size_t)(3 * rank) * sizeof *masks);
    flip_pool_add(&island->found, rank, saved_at(island, rank));
    for (int64_t w = 0; w < walkers; w++) {
        base_random random;
        base_random_init(&random, context->seed, (uint64_t)(index * FLIP_MOST_WALKERS + w));
        island->walkers[w].random = base_random_bits(&random);
    }
    load_all(search, island);
done:
    if (status != BASE_OK)
        flip_island_close(island);
    return status;
}

void flip_island_close(flip_island *island) {
    free(island->walkers);
    free(island->saved);
    free(island->has_saved);
    free(island->found.masks);
    memset(island, 0, sizeof *island);
}

/* The walker's scheme becomes the one that all walkers go on from. */
static void settle(const flip_search *search, flip_island *island, const flip_walker *walker) {
    uint64_t masks[3 * FLIP_LARGEST_RANK];
    island->rank = walker->rank;
    island->spent = 0;
    island->has_saved[walker->rank] = true;
    flip_walker_store(walker, saved_at(island, walker->rank));
    if (walker->rank <= island->found.rank) {
        flip_walker_store(walker, masks);
        flip_pool_add(&island->found, walker->rank, masks);
    }
    load_all(search, island);
}

static void step_back(const flip_search *search, flip_island *island) {
    int64_t rank = island->rank + search->options.step_back;
    rank = rank > search->start_rank ? search->start_rank : rank;
    while (!island->has_saved[rank]) /* reductions can pass over ranks */
        rank++;
    island->rank = rank;
    island->spent = 0;
    load_all(search, island);
}

static bool has_reached(const flip_search *search, const flip_island *island) {
    return island->found.rank <= search->options.target && island->found.count == island->found.most;
}

/* What is due for a walker after a chunk of steps in which it made `flips` flips from the rank `before`. */
static void tend(const flip_search *search, flip_island *island, int64_t w, int32_t before, bool stuck) {
    const flip_search_options *options = &search->options;
    flip_walker *walker = &island->walkers[w];
    if (island->chunks % (options->reduce_after / FLIP_CHUNK_STEPS) == 0)
        flip_walker_reduce(options->kernel, walker);
    island->since[w] = walker->rank < before ? 0 : island->since[w] + FLIP_CHUNK_STEPS;
    if (walker->rank == island->found.rank && walker->rank < before &&
        island->found.count < island->found.most) {
        uint64_t masks[3 * FLIP_LARGEST_RANK];
        flip_walker_store(walker, masks);
        flip_pool_add(&island->found, walker->rank, masks);
    }
    if (walker->rank < island->rank) {
        settle(search, island, walker);
        return;
    }
    int64_t patience = island->rank <= options->low_rank ? options->plus_after_low : options->plus_after;
    if (!stuck && island->since[w] < patience)
        return;
    island->since[w] = 0;
    if (walker->rank < island->rank + options->plus_limit)
        flip_walker_plus(options->kernel, walker);
    else if (stuck)
        flip_walker_load(search->options.kernel, walker, island->rank, saved_at(island, island->rank));
}

void flip_island_run(const flip_search *search, flip_island *island) {
    const flip_search_options *options = &search->options;
    flip_walker *walkers[FLIP_MOST_WALKERS];
    for (int64_t w = 0; w < options->walkers; w++)
        walkers[w] = &island->walkers[w];
    for (int64_t s = 0; s < FLIP_EPOCH_STEPS && !has_reached(search, island); s += FLIP_CHUNK_STEPS) {
        int32_t before[FLIP_MOST_WALKERS];
        int64_t flips[FLIP_MOST_WALKERS];
        for (int64_t w = 0; w < options->walkers; w++) {
            before[w] = walkers[w]->rank;
            flips[w] = walkers[w]->flips;
        }
        for (int64_t w = 0; w < options->walkers; w += FLIP_INTERLEAVE)
            options->kernel->run(
                walkers + w,
                (int)(options->walkers - w < FLIP_INTERLEAVE ? options->walkers - w : FLIP_INTERLEAVE),
                FLIP_CHUNK_STEPS);
        island->chunks++;
        for (int64_t w = 0; w < options->walkers; w++) {
            int64_t done = walkers[w]->flips - flips[w];
            island->spent += done;
            tend(search, island, w, before[w], done == 0);
        }
        int64_t budget = island->rank <= options->low_rank ? options->budget_low : options->budget;
        if (island->spent >= budget)
            step_back(search, island);
    }
}
