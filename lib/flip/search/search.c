/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/core/memory.h"
#include "base/core/random.h"
#include "base/run/progress.h"
#include "flip/scheme/known.h"
#include "flip/scheme/verify.h"
#include "flip/search/internal.h"
#include "flip/search/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set_default(int64_t *value, int64_t fallback) {
    if (*value == 0)
        *value = fallback;
}

static void set_defaults(flip_search_options *options, const int64_t size[3], const flip_engine *engine) {
    const int64_t known = flip_known_rank(size, FLIP_F2, NULL);
    const bool is_cyclic = options->symmetry != FLIP_PLAIN;
    if (!is_cyclic) {
        const flip_settings *best = flip_find_settings(size);
        set_default(&options->plus_after, best->plus_after);
        set_default(&options->plus_after_low, best->plus_after_low);
        set_default(&options->plus_limit, best->plus_limit);
        set_default(&options->budget, best->budget);
        set_default(&options->budget_low, best->budget_low);
        set_default(&options->sink_rank, best->sink_rank);
    }
    if (options->steps == 0 && !options->is_limited)
        set_default(&options->target, known);
    set_default(&options->keep, 1);
    set_default(&options->pool_size, options->keep > 64 ? options->keep : 64);
    set_default(&options->walkers, 8);
    set_default(&options->islands, (engine->walkers + options->walkers - 1) / options->walkers);
    set_default(&options->plus_after, 10000);
    set_default(&options->plus_after_low, 10000);
    set_default(&options->low_rank, known > 0 ? known + 7 : 0);
    set_default(&options->budget, is_cyclic ? 10000000 : 100000000);
    set_default(&options->budget_low, is_cyclic ? 10000000 : 100000000);
    set_default(&options->walk, INT64_MAX);
    set_default(&options->sink_budget, 100000);
    set_default(&options->sink_back, FLIP_LARGEST_RANK);
    set_default(&options->plus_limit, is_cyclic ? 3 : 2);
    set_default(&options->step_back, 4);
    set_default(&options->reduce_after, 1024);
}

static base_status check_options(base_context *context, const flip_search_options *options,
                                 const flip_scheme *scheme) {
    if (options->target + options->steps == 0 && !options->is_limited)
        return base_fail(context, BASE_USAGE, "no rank is known for this format: give a target or a limit");
    if (options->walkers > FLIP_MOST_WALKERS || options->islands > 1 << 16)
        return base_fail(context, BASE_USAGE, "at most %d walkers in each of at most 65536 islands",
                         FLIP_MOST_WALKERS);
    if (options->pool_size < options->keep)
        return base_fail(context, BASE_USAGE, "pools of %lld cannot keep %lld schemes",
                         (long long)options->pool_size, (long long)options->keep);
    if (!flip_fits_masks(scheme->size))
        return base_fail(context, BASE_FAILED, "a factor has more than %d entries", FLIP_MASK_BITS);
    return BASE_OK;
}

static base_status make_round(base_context *context, flip_search *search, const int64_t size[3]) {
    const flip_search_options *options = &search->options;
    flip_round *round = &search->round;
    int64_t room = search->most_rank + flip_orbit(options->symmetry) * options->plus_limit;
    *round = (flip_round){.size = {size[0], size[1], size[2]},
                          .room = room < FLIP_LARGEST_RANK ? room : FLIP_LARGEST_RANK,
                          .count = options->islands * options->walkers,
                          .steps = FLIP_FIRST_STEPS,
                          .plus_after = options->plus_after,
                          .plus_after_low = options->plus_after_low,
                          .low_rank = options->low_rank,
                          .plus_limit = options->plus_limit,
                          .reduce_after = options->reduce_after,
                          .general_after = options->general_after};
    round->states = base_alloc_zero(context, round->count, sizeof *round->states);
    round->masks = base_alloc_zero(context, round->count * round->room, 3 * sizeof *round->masks);
    round->best = base_alloc_zero(context, round->count * round->room, 3 * sizeof *round->best);
    if (round->states == NULL || round->masks == NULL || round->best == NULL)
        return BASE_MACHINE;
    for (int64_t w = 0; w < round->count; w++) {
        base_random random;
        base_random_init(&random, context->seed, (uint64_t)w);
        round->states[w].random = base_random_bits(&random);
    }
    return BASE_OK;
}

base_status flip_search_open(base_context *context, const flip_scheme *scheme,
                             const flip_search_options *options, const flip_engine *engine,
                             flip_search **result) {
    base_status status = BASE_OK;
    uint64_t *masks = NULL;
    flip_search *search = base_alloc_zero(context, 1, sizeof *search);
    *result = search;
    if (search == NULL)
        return BASE_MACHINE;
    search->options = *options;
    search->engine = *engine;
    set_defaults(&search->options, scheme->size, engine);
    BASE_TRY(check_options(context, &search->options, scheme));
    masks = base_alloc(context, 3 * scheme->rank, sizeof *masks);
    if (masks == NULL)
        BASE_TRY(BASE_MACHINE);
    int64_t rank = search->most_rank = flip_scheme_get_masks(scheme, masks);
    if (scheme->denominator % 2 == 0 || !flip_verify_masks(scheme->size, rank, masks))
        BASE_TRY(base_fail(context, BASE_FAILED, "the scheme is wrong over F2"));
    if (rank > FLIP_LARGEST_RANK)
        BASE_TRY(base_fail(context, BASE_FAILED, "a rank beyond %d", FLIP_LARGEST_RANK));
    if (engine->accepts != NULL && !engine->accepts(scheme->size, rank, masks))
        BASE_TRY(base_fail(context, BASE_FAILED, "the scheme has not this symmetry, or is too large"));
    BASE_TRY(flip_pools_open(context, rank, search->options.pool_size, &search->pools));
    BASE_TRY(flip_pools_add(context, &search->pools, rank, masks));
    BASE_TRY(make_round(context, search, scheme->size));
    search->islands = base_alloc_zero(context, search->options.islands, sizeof *search->islands);
    if (search->islands == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t k = 0; k < search->options.islands; k++) {
        BASE_TRY(flip_island_open(context, search, &search->islands[k]));
        flip_island_save(&search->islands[k], rank, masks);
        flip_island_start(search, k, rank);
        search->islands[k].begin = search->islands[k].low = rank;
        search->islands[k].back = search->options.step_back;
    }
done:
    free(masks);
    if (status != BASE_OK) {
        flip_search_close(search);
        *result = NULL;
    }
    return status;
}

void flip_search_close(flip_search *search) {
    if (search == NULL)
        return;
    for (int64_t k = 0; search->islands != NULL && k < search->options.islands; k++)
        flip_island_close(&search->islands[k]);
    free(search->islands);
    free(search->round.states);
    free(search->round.masks);
    free(search->round.best);
    flip_pools_close(&search->pools);
    free(search);
}

/* Adds the schemes of a rank to the pools, and lets the islands start from them in turn. */
static base_status adopt_rank(base_context *context, flip_search *search, const flip_pools *pools,
                              int64_t rank) {
    base_status status = BASE_OK;
    int64_t accepted = 0;
    for (int64_t k = 0; k < pools->pool[rank].count; k++) {
        const uint64_t *masks = flip_pools_get(pools, rank, k);
        BASE_TRY(flip_pools_add(context, &search->pools, rank, masks));
        if (search->engine.accepts != NULL && !search->engine.accepts(search->round.size, rank, masks))
            continue;
        for (int64_t island = accepted++; island < search->options.islands;
             island += pools->pool[rank].count) {
            flip_island_save(&search->islands[island], rank, masks);
            flip_island_start(search, island, rank);
            search->islands[island].begin = search->islands[island].low = rank;
        }
    }
done:
    return status;
}

base_status flip_search_adopt(base_context *context, flip_search *search, const flip_pools *pools) {
    base_status status = BASE_OK;
    int64_t most = pools->most_rank < search->most_rank ? pools->most_rank : search->most_rank;
    for (int64_t rank = most; rank >= 0; rank--)
        BASE_TRY(adopt_rank(context, search, pools, rank));
done:
    return status;
}

static base_status put(base_context *context, flip_search *search, int64_t rank, const uint64_t *masks) {
    if (!flip_verify_masks(search->round.size, rank, masks))
        return base_fail(context, BASE_FAILED, "a walk left the tensor: this is an error of the program");
    return flip_pools_add(context, &search->pools, rank, masks);
}

/* What the walkers found in a round, in their order. Once the target is reached, schemes of the least rank
 * that they came to by flips count too. */
static base_status collect(base_context *context, flip_search *search) {
    base_status status = BASE_OK;
    const flip_round *round = &search->round;
    for (int64_t w = 0; w < round->count; w++) {
        const flip_walker_state *state = &round->states[w];
        search->flips += state->flips;
        if (state->best < search->islands[w / search->options.walkers].rank)
            BASE_TRY(put(context, search, state->best, round->best + w * 3 * round->room));
    }
    int64_t least = flip_pools_least(&search->pools);
    for (int64_t w = 0; w < round->count && least <= search->options.target; w++) {
        flip_island *island = &search->islands[w / search->options.walkers];
        if (round->states[w].rank != least || flip_search_has_reached(search) ||
            (search->options.most_of_island > 0 && island->given >= search->options.most_of_island))
            continue;
        const int64_t before = search->pools.pool[least].count;
        BASE_TRY(put(context, search, least, round->masks + w * 3 * round->room));
        island->given += search->pools.pool[least].count - before;
    }
done:
    return status;
}

base_status flip_search_run(base_context *context, flip_search *search, flip_search_pause *pause,
                            void *data) {
    base_status status = BASE_OK;
    flip_round *round = &search->round;
    bool is_over = false;
    const bool is_limited = search->options.steps > 0;
    base_progress_start(context, "flips", is_limited ? (double)(search->options.steps - search->steps) : 0,
                        is_limited ? "steps" : "flips");
    for (;;) {
        if (pause != NULL)
            BASE_TRY(pause(context, data, search, &is_over));
        if (is_over || flip_search_has_reached(search) ||
            (search->options.steps > 0 && search->steps >= search->options.steps))
            break;
        const int64_t flips = search->flips, steps = search->steps;
        BASE_TRY(search->engine.run(context, search->engine.data, round));
        search->steps += round->count * round->steps;
        round->steps = round->steps < FLIP_MOST_STEPS ? 2 * round->steps : FLIP_MOST_STEPS;
        BASE_TRY(collect(context, search));
        for (int64_t k = 0; k < search->options.islands; k++)
            flip_island_follow(search, k);
        base_progress_add(context, is_limited ? search->steps - steps : search->flips - flips);
    }
done:
    base_progress_finish(context);
    return status;
}

const flip_pools *flip_search_pools(const flip_search *search) {
    return &search->pools;
}

int64_t flip_search_flips(const flip_search *search) {
    return search->flips;
}

bool flip_search_has_reached(const flip_search *search) {
    int64_t rank = flip_pools_least(&search->pools);
    return rank <= search->options.target && search->pools.pool[rank].count >= search->options.keep;
}

void flip_search_describe(const flip_search *search, char *line, size_t size) {
    int64_t rank = flip_pools_least(&search->pools), least = INT64_MAX, most = 0, all = 0;
    for (int64_t k = 0; k < search->options.islands; k++) {
        int64_t at = search->islands[k].rank;
        least = at < least ? at : least;
        most = at > most ? at : most;
    }
    for (int64_t r = 0; r <= search->most_rank; r++)
        all += search->pools.pool[r].count;
    snprintf(line, size, "rank %lld (%lld of it, %lld in pools), islands at %lld to %lld, %.3g flips",
             (long long)rank, (long long)search->pools.pool[rank].count, (long long)all, (long long)least,
             (long long)most, (double)search->flips);
}
