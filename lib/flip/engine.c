#include "flip/engine.h"
#include "flip/walk.h"

#include <string.h>

enum { CHUNK_STEPS = 32 }; /* between two looks at a walker */

static uint64_t *scheme_at(const flip_round *round, uint64_t *masks, int64_t w) {
    return masks + w * 3 * round->room;
}

/* What is due for a walker that made `flips` flips since the last look, from the rank `before`. */
static void tend(const flip_kernel *kernel, flip_round *round, int64_t w, flip_walker *walker, int32_t before,
                 bool reduce, bool stuck) {
    flip_leg *leg = &round->leg[w];
    if (reduce)
        flip_walker_reduce(kernel, walker);
    leg->since = walker->rank < before ? 0 : leg->since + CHUNK_STEPS;
    if (walker->rank < leg->best) {
        leg->best = walker->rank;
        flip_walker_store(walker, scheme_at(round, round->best, w));
    }
    if (!stuck && leg->since < (leg->best <= round->low_rank ? round->plus_after_low : round->plus_after))
        return;
    leg->since = 0;
    bool may_rise = walker->rank < leg->best + round->plus_limit && walker->rank < round->room;
    if ((!may_rise || !flip_walker_plus(kernel, walker)) && stuck)
        flip_walker_load(kernel, walker, leg->best, scheme_at(round, round->best, w));
}

/* A round of the walkers first, first + 1, …, at most FLIP_INTERLEAVE. */
static void run_group(const flip_kernel *kernel, flip_round *round, int64_t first) {
    flip_walker walkers[FLIP_INTERLEAVE], *walker[FLIP_INTERLEAVE];
    int32_t before[FLIP_INTERLEAVE];
    int64_t flips[FLIP_INTERLEAVE];
    int count = (int)(round->count - first < FLIP_INTERLEAVE ? round->count - first : FLIP_INTERLEAVE);
    for (int w = 0; w < count; w++) {
        const flip_leg *leg = &round->leg[first + w];
        walker[w] = &walkers[w];
        memset(walker[w]->mark, 0, sizeof walker[w]->mark);
        walker[w]->random = leg->random;
        walker[w]->flips = 0;
        flip_walker_load(kernel, walker[w], leg->rank, scheme_at(round, round->masks, first + w));
    }
    for (int64_t steps = CHUNK_STEPS; steps <= round->steps; steps += CHUNK_STEPS) {
        for (int w = 0; w < count; w++) {
            before[w] = walker[w]->rank;
            flips[w] = walker[w]->flips;
        }
        kernel->run(walker, count, CHUNK_STEPS);
        for (int w = 0; w < count; w++)
            tend(kernel, round, first + w, walker[w], before[w], steps % round->reduce_after < CHUNK_STEPS,
                 walker[w]->flips == flips[w]);
    }
    for (int w = 0; w < count; w++) {
        flip_leg *leg = &round->leg[first + w];
        leg->random = walker[w]->random;
        leg->flips = walker[w]->flips;
        leg->rank = walker[w]->rank;
        leg->loaded = false;
        flip_walker_store(walker[w], scheme_at(round, round->masks, first + w));
    }
}

static base_status run(base_context *context, void *data, flip_round *round) {
    const flip_kernel *kernel = data;
#pragma omp parallel for schedule(dynamic) num_threads(context->threads)
    for (int64_t first = 0; first < round->count; first += FLIP_INTERLEAVE)
        run_group(kernel, round, first);
    return BASE_OK;
}

void flip_engine_on_processors(const flip_kernel *kernel, flip_engine *engine) {
    *engine = (flip_engine){.data = (void *)(uintptr_t)kernel, .walkers = 16 * FLIP_INTERLEAVE, .run = run};
}
