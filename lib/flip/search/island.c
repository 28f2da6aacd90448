/* SPDX-License-Identifier: BSD-3-Clause */
/* One island: the schemes it saved, and its steps back to them. */
#include "base/core/memory.h"
#include "flip/search/internal.h"

#include <stdlib.h>
#include <string.h>

base_status flip_island_open(base_context *context, const flip_search *search, flip_island *island) {
    int64_t rank = search->most_rank;
    island->saved = base_alloc_zero(context, 3 * rank * (rank + 1) / 2, sizeof *island->saved);
    island->has_saved = base_alloc_zero(context, rank + 1, sizeof *island->has_saved);
    return island->saved == NULL || island->has_saved == NULL ? BASE_MACHINE : BASE_OK;
}

void flip_island_close(flip_island *island) {
    free(island->saved);
    free(island->has_saved);
    *island = (flip_island){0};
}

void flip_island_save(flip_island *island, int64_t rank, const uint64_t *masks) {
    island->has_saved[rank] = true;
    memcpy(island->saved + 3 * rank * (rank - 1) / 2, masks, (size_t)(3 * rank) * sizeof *masks);
}

const uint64_t *flip_island_saved(const flip_island *island, int64_t rank) {
    return island->saved + 3 * rank * (rank - 1) / 2;
}

void flip_island_start(flip_search *search, int64_t index, int64_t rank) {
    flip_island *island = &search->islands[index];
    flip_round *round = &search->round;
    size_t bytes = (size_t)(3 * rank) * sizeof *round->masks;
    island->rank = rank;
    island->spent = 0;
    for (int64_t w = index * search->options.walkers; w < (index + 1) * search->options.walkers; w++) {
        flip_walker_state *state = &round->states[w];
        state->rank = state->best = (int32_t)rank;
        state->since = 0;
        state->loaded = true;
        memcpy(round->masks + w * 3 * round->room, flip_island_saved(island, rank), bytes);
        memcpy(round->best + w * 3 * round->room, flip_island_saved(island, rank), bytes);
    }
}

/* One of the schemes that there are of the rank it started from. */
static const uint64_t *draw_start(flip_search *search, int64_t index) {
    const int64_t rank = search->islands[index].begin, count = search->pools.pool[rank].count;
    flip_walker_state *state = &search->round.states[index * search->options.walkers];
    return flip_pools_get(&search->pools, rank,
                          (int64_t)((flip_draw(&state->random) >> 32) * (uint64_t)count >> 32));
}

/* To the saved scheme of that rank, or of one above: a reduction can pass over ranks. */
static void step_back(flip_search *search, int64_t index, int64_t rank) {
    flip_island *island = &search->islands[index];
    while (rank < search->most_rank && !island->has_saved[rank])
        rank++;
    island->back *= 2;
    if (rank >= island->begin) {
        rank = island->begin;
        flip_island_save(island, rank, draw_start(search, index));
        island->low = rank;
        island->back = search->options.step_back;
    }
    flip_island_start(search, index, rank);
}

/* Where an island that spent its budget goes; -1: it has not. */
static int64_t choose_step_back(const flip_search_options *options, const flip_island *island) {
    if (island->rank <= options->sink_rank)
        return island->spent >= options->sink_budget ? island->rank + options->sink_back : -1;
    if (island->spent >= (island->rank <= options->low_rank ? options->budget_low : options->budget))
        return island->low + island->back;
    return -1;
}

void flip_island_follow(flip_search *search, int64_t index) {
    const flip_search_options *options = &search->options;
    flip_island *island = &search->islands[index];
    const int64_t spent = island->spent;
    int64_t first = index * options->walkers, found = first;
    for (int64_t w = first; w < first + options->walkers; w++) {
        const flip_walker_state *state = &search->round.states[w];
        island->spent += state->flips;
        if (state->best < search->round.states[found].best)
            found = w;
    }
    int64_t rank = search->round.states[found].best;
    if (rank < island->low) {
        island->low = rank;
        island->back = options->step_back;
    }
    if (rank < island->rank) {
        flip_island_save(island, rank, search->round.best + found * 3 * search->round.room);
        flip_island_start(search, index, rank);
    } else if (choose_step_back(options, island) >= 0) {
        step_back(search, index, choose_step_back(options, island));
    } else if (island->spent / options->walk != spent / options->walk) {
        const int64_t kept = island->spent;
        flip_island_start(search, index, island->rank);
        island->spent = kept;
    }
}
