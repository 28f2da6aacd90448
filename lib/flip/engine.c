#include "flip/engine.h"
#include "flip/cyclic.h"
#include "flip/walk.h"

#include <string.h>

enum {
    CHUNK_STEPS = 32, /* between two looks at a walker */
    MOST_FIXED = 64
};

/* A walker, and the terms of its scheme that it leaves alone. */
typedef struct seat {
    flip_walker walker;
    int32_t fixed_count;
    uint64_t fixed[MOST_FIXED];
} seat;

static uint64_t *scheme_at(const flip_round *round, uint64_t *masks, int64_t w) {
    return masks + w * 3 * round->room;
}

static int32_t rank_of(const seat *seat) {
    return seat->walker.cyclic ? 3 * seat->walker.rank + seat->fixed_count : seat->walker.rank;
}

/* Takes the fixed terms among the rows of a cyclic scheme aside; two equal ones add up to zero. */
static int64_t take_fixed(seat *seat, int64_t count, uint64_t *rows) {
    int64_t left = 0;
    seat->fixed_count = 0;
    for (int64_t r = 0; r < count; r++) {
        const uint64_t *row = rows + 3 * r;
        int32_t f = 0;
        if (row[0] != row[1] || row[1] != row[2] || seat->fixed_count == MOST_FIXED) {
            memmove(rows + 3 * left++, row, 3 * sizeof *rows);
            continue;
        }
        while (f < seat->fixed_count && seat->fixed[f] != row[0])
            f++;
        if (f < seat->fixed_count)
            seat->fixed[f] = seat->fixed[--seat->fixed_count];
        else
            seat->fixed[seat->fixed_count++] = row[0];
    }
    return left;
}

static void load(const flip_kernel *kernel, const flip_round *round, seat *seat, int64_t rank,
                 const uint64_t *masks) {
    uint64_t rows[3 * FLIP_LARGEST_RANK];
    if (!seat->walker.cyclic) {
        flip_walker_load(kernel, &seat->walker, rank, masks);
        return;
    }
    const int64_t count = flip_cyclic_fold(round->size, rank, masks, rows);
    flip_walker_load(kernel, &seat->walker, take_fixed(seat, count < 0 ? 0 : count, rows), rows);
}

/* Returns the rank of what is stored, which may be less than the walker's. */
static int32_t store(const flip_round *round, const seat *seat, uint64_t *masks) {
    uint64_t rows[3 * FLIP_LARGEST_RANK];
    int64_t count = seat->walker.rank;
    if (!seat->walker.cyclic) {
        flip_walker_store(&seat->walker, masks);
        return seat->walker.rank;
    }
    flip_walker_store(&seat->walker, rows);
    for (int32_t f = 0; f < seat->fixed_count; f++, count++)
        for (int k = 0; k < 3; k++)
            rows[3 * count + k] = seat->fixed[f];
    return (int32_t)flip_cyclic_unfold(round->size, count, rows, masks);
}

/* What is due for a walker that made `flips` flips since the last look, from the rank `before`. */
static void tend(const flip_kernel *kernel, flip_round *round, int64_t w, seat *seat, int32_t before,
                 bool reduce, bool stuck) {
    flip_leg *leg = &round->leg[w];
    const int32_t more = seat->walker.cyclic ? 3 : 1; /* that a plus adds */
    if (reduce)
        flip_walker_reduce(kernel, &seat->walker);
    leg->since = rank_of(seat) < before ? 0 : leg->since + CHUNK_STEPS;
    if (rank_of(seat) < leg->best)
        leg->best = store(round, seat, scheme_at(round, round->best, w));
    if (!stuck && leg->since < (leg->best <= round->low_rank ? round->plus_after_low : round->plus_after))
        return;
    leg->since = 0;
    bool may_rise =
        rank_of(seat) < leg->best + more * round->plus_limit && rank_of(seat) + more <= round->room;
    if ((!may_rise || !flip_walker_plus(kernel, &seat->walker)) && stuck)
        load(kernel, round, seat, leg->best, scheme_at(round, round->best, w));
}

/* A round of the walkers first, first + 1, …, at most FLIP_INTERLEAVE. */
static void run_group(const flip_kernel *kernel, flip_round *round, int64_t first, bool cyclic) {
    seat seats[FLIP_INTERLEAVE];
    flip_walker *walker[FLIP_INTERLEAVE];
    int32_t before[FLIP_INTERLEAVE];
    int64_t flips[FLIP_INTERLEAVE];
    int count = (int)(round->count - first < FLIP_INTERLEAVE ? round->count - first : FLIP_INTERLEAVE);
    for (int w = 0; w < count; w++) {
        const flip_leg *leg = &round->leg[first + w];
        walker[w] = &seats[w].walker;
        memset(walker[w]->mark, 0, sizeof walker[w]->mark);
        walker[w]->cyclic = cyclic;
        walker[w]->random = leg->random;
        walker[w]->flips = 0;
        load(kernel, round, &seats[w], leg->rank, scheme_at(round, round->masks, first + w));
    }
    for (int64_t steps = CHUNK_STEPS; steps <= round->steps; steps += CHUNK_STEPS) {
        for (int w = 0; w < count; w++) {
            before[w] = rank_of(&seats[w]);
            flips[w] = walker[w]->flips;
        }
        kernel->run(walker, count, CHUNK_STEPS);
        for (int w = 0; w < count; w++)
            tend(kernel, round, first + w, &seats[w], before[w], steps % round->reduce_after < CHUNK_STEPS,
                 walker[w]->flips == flips[w]);
    }
    for (int w = 0; w < count; w++) {
        flip_leg *leg = &round->leg[first + w];
        leg->random = walker[w]->random;
        leg->flips = walker[w]->flips;
        leg->rank = store(round, &seats[w], scheme_at(round, round->masks, first + w));
        leg->loaded = false;
    }
}

static base_status run(base_context *context, void *data, flip_round *round) {
    const flip_kernel *kernel = data;
#pragma omp parallel for schedule(dynamic) num_threads(context->threads)
    for (int64_t first = 0; first < round->count; first += FLIP_INTERLEAVE)
        run_group(kernel, round, first, false);
    return BASE_OK;
}

static base_status run_cyclic(base_context *context, void *data, flip_round *round) {
    const flip_kernel *kernel = data;
#pragma omp parallel for schedule(dynamic) num_threads(context->threads)
    for (int64_t first = 0; first < round->count; first += FLIP_INTERLEAVE)
        run_group(kernel, round, first, true);
    return BASE_OK;
}

void flip_engine_on_processors(const flip_kernel *kernel, flip_engine *engine) {
    *engine = (flip_engine){.data = (void *)(uintptr_t)kernel, .walkers = 16 * FLIP_INTERLEAVE, .run = run};
}

static bool is_cyclic(const int64_t size[3], int64_t rank, const uint64_t *masks) {
    uint64_t rows[3 * FLIP_LARGEST_RANK];
    const int64_t count = flip_cyclic_fold(size, rank, masks, rows);
    return count >= 0 && count <= FLIP_LARGEST_RANK / 3;
}

void flip_engine_cyclic(const flip_kernel *kernel, flip_engine *engine) {
    flip_engine_on_processors(kernel, engine);
    engine->accepts = is_cyclic;
    engine->run = run_cyclic;
}
