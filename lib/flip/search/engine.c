/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/search/engine.h"
#include "flip/scheme/cyclic.h"
#include "flip/search/walk.h"

#include <string.h>

enum { CHUNK_STEPS = 32 /* between two looks at a walker */ };

static uint64_t *scheme_at(const flip_round *round, uint64_t *masks, int64_t w) {
    return masks + w * 3 * round->room;
}

static int32_t rank_of(const flip_walker *walker) {
    return walker->symmetry == FLIP_PLAIN ? walker->rank : 3 * walker->rank + walker->fixed_count;
}

/* The rows of a scheme for walkers of that symmetry; -1 if it does not have it. */
static int64_t fold(const int64_t size[3], flip_symmetry symmetry, int64_t rank, const uint64_t *masks,
                    uint64_t *rows) {
    const int64_t count = flip_cyclic_fold(size, rank, masks, rows);
    return symmetry == FLIP_REVERSED && count > 0 && !flip_cyclic_pair(size[0], count, rows) ? -1 : count;
}

static void load(const flip_kernel *kernel, const flip_round *round, flip_walker *walker, int64_t rank,
                 const uint64_t *masks) {
    uint64_t rows[3 * FLIP_LARGEST_RANK];
    if (walker->symmetry == FLIP_PLAIN) {
        flip_walker_load(kernel, walker, rank, masks);
        return;
    }
    const int64_t count = fold(round->size, walker->symmetry, rank, masks, rows);
    flip_walker_load(kernel, walker, count < 0 ? 0 : count, rows);
}

/* Returns the rank. */
static int32_t store(const flip_round *round, const flip_walker *walker, uint64_t *masks) {
    uint64_t rows[3 * FLIP_LARGEST_RANK];
    if (walker->symmetry == FLIP_PLAIN)
        return (int32_t)flip_walker_store(walker, masks);
    return (int32_t)flip_cyclic_unfold(round->size, flip_walker_store(walker, rows), rows, masks);
}

static bool is_due(int64_t steps, int64_t interval) {
    return interval > 0 && steps % interval < CHUNK_STEPS;
}

/* What is due for a walker that made `flips` flips since the last look, from the rank `before`. */
static void tend(const flip_kernel *kernel, flip_round *round, int64_t w, flip_walker *walker, int32_t before,
                 bool general, bool reduce, bool stuck) {
    flip_walker_state *state = &round->states[w];
    const int32_t more = flip_orbit(walker->symmetry); /* that a plus adds */
    if (general)
        flip_walker_generalize(kernel, walker);
    if (reduce)
        flip_walker_reduce(kernel, walker);
    state->since = rank_of(walker) < before ? 0 : state->since + CHUNK_STEPS;
    if (rank_of(walker) < state->best)
        state->best = store(round, walker, scheme_at(round, round->best, w));
    if (!stuck && state->since < (state->best <= round->low_rank ? round->plus_after_low : round->plus_after))
        return;
    state->since = 0;
    const int32_t rank = rank_of(walker);
    const bool may_rise = rank < state->best + more * round->plus_limit && rank + more <= round->room;
    if ((!may_rise || !flip_walker_plus(kernel, walker)) && stuck)
        load(kernel, round, walker, state->best, scheme_at(round, round->best, w));
}

/* A round of the walkers first, first + 1, …, at most FLIP_INTERLEAVE. */
static void run_group(const flip_kernel *kernel, flip_round *round, int64_t first, flip_symmetry symmetry) {
    flip_walker walkers[FLIP_INTERLEAVE], *walker[FLIP_INTERLEAVE];
    int32_t before[FLIP_INTERLEAVE];
    int64_t flips[FLIP_INTERLEAVE];
    int count = (int)(round->count - first < FLIP_INTERLEAVE ? round->count - first : FLIP_INTERLEAVE);
    for (int w = 0; w < count; w++) {
        const flip_walker_state *state = &round->states[first + w];
        walker[w] = &walkers[w];
        memset(walker[w]->mark, 0, sizeof walker[w]->mark);
        walker[w]->symmetry = symmetry;
        walker[w]->random = state->random;
        walker[w]->flips = 0;
        load(kernel, round, walker[w], state->rank, scheme_at(round, round->masks, first + w));
    }
    for (int64_t steps = CHUNK_STEPS; steps <= round->steps; steps += CHUNK_STEPS) {
        for (int w = 0; w < count; w++) {
            before[w] = rank_of(walker[w]);
            flips[w] = walker[w]->flips;
        }
        kernel->run(walker, count, CHUNK_STEPS);
        for (int w = 0; w < count; w++)
            tend(kernel, round, first + w, walker[w], before[w], is_due(steps, round->general_after),
                 is_due(steps, round->reduce_after), walker[w]->flips == flips[w]);
    }
    for (int w = 0; w < count; w++) {
        flip_walker_state *state = &round->states[first + w];
        state->random = walker[w]->random;
        state->flips = walker[w]->flips;
        state->rank = store(round, walker[w], scheme_at(round, round->masks, first + w));
        state->loaded = false;
    }
}

static base_status run_all(base_context *context, const flip_kernel *kernel, flip_round *round,
                           flip_symmetry symmetry) {
#pragma omp parallel for schedule(dynamic) num_threads(context->threads)
    for (int64_t first = 0; first < round->count; first += FLIP_INTERLEAVE)
        run_group(kernel, round, first, symmetry);
    return BASE_OK;
}

static base_status run(base_context *context, void *data, flip_round *round) {
    return run_all(context, data, round, FLIP_PLAIN);
}

static base_status run_cyclic(base_context *context, void *data, flip_round *round) {
    return run_all(context, data, round, FLIP_CYCLIC);
}

static base_status run_reversed(base_context *context, void *data, flip_round *round) {
    return run_all(context, data, round, FLIP_REVERSED);
}

static bool accepts(const int64_t size[3], flip_symmetry symmetry, int64_t rank, const uint64_t *masks) {
    uint64_t rows[3 * FLIP_LARGEST_RANK];
    const int64_t count = fold(size, symmetry, rank, masks, rows);
    return count >= 0 && count <= FLIP_LARGEST_RANK / 3;
}

static bool is_cyclic(const int64_t size[3], int64_t rank, const uint64_t *masks) {
    return accepts(size, FLIP_CYCLIC, rank, masks);
}

static bool is_reversed(const int64_t size[3], int64_t rank, const uint64_t *masks) {
    return accepts(size, FLIP_REVERSED, rank, masks);
}

void flip_engine_on_processors(const flip_kernel *kernel, flip_symmetry symmetry, flip_engine *engine) {
    *engine = (flip_engine){.data = (void *)(uintptr_t)kernel, .walkers = 16 * FLIP_INTERLEAVE, .run = run};
    if (symmetry != FLIP_PLAIN) {
        engine->accepts = symmetry == FLIP_CYCLIC ? is_cyclic : is_reversed;
        engine->run = symmetry == FLIP_CYCLIC ? run_cyclic : run_reversed;
    }
}
