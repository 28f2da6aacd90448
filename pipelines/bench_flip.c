/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts the flips a second of one processor on each scheme of the files, under the conditions of a search at
 * its rank: pluses after 300 steps (3000 far above the least known rank), reductions, walkers that start anew
 * after 2^15 steps. A line per scheme and kernel: format, rank, kernel, steps a second, flips a second, flips
 * a step.
 *
 *     bench_flip FILE... */
#include "base/core/cpu.h"
#include "base/core/memory.h"
#include "flip/formats/formats.h"
#include "flip/scheme/known.h"
#include "flip/scheme/scheme.h"
#include "flip/search/engine.h"
#include "flip/search/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WALKERS = 64, STEPS = 1 << 15 };

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void start(flip_round *round, int64_t rank, const uint64_t *masks) {
    for (int64_t w = 0; w < round->count; w++) {
        flip_walker_state *state = &round->states[w];
        state->rank = state->best = (int32_t)rank;
        state->since = 0;
        state->loaded = true;
        memcpy(round->masks + w * 3 * round->room, masks, (size_t)(24 * rank));
        memcpy(round->best + w * 3 * round->room, masks, (size_t)(24 * rank));
    }
}

static base_status time_kernel(base_context *context, const flip_kernel *kernel, flip_round *round,
                               int64_t rank, const uint64_t *masks) {
    base_status status = BASE_OK;
    flip_engine engine;
    char format[64];
    double steps = 0, flips = 0, seconds = 0;
    flip_engine_on_processors(kernel, FLIP_PLAIN, &engine);
    while (seconds < 1) {
        start(round, rank, masks);
        const double begin = processor_seconds();
        BASE_TRY(engine.run(context, engine.data, round));
        seconds += processor_seconds() - begin;
        steps += (double)(round->count * round->steps);
        for (int64_t w = 0; w < round->count; w++)
            flips += (double)round->states[w].flips;
    }
    printf("%s\t%lld\t%s\t%.3g\t%.3g\t%.2f\n", flip_format_name(round->size, format), (long long)rank,
           kernel->name, steps / seconds, flips / seconds, flips / steps);
done:
    return status;
}

static base_status time_scheme(base_context *context, const flip_scheme *scheme) {
    base_status status = BASE_OK;
    const unsigned features = base_cpu_features();
    flip_round round = {.room = scheme->rank + 3,
                        .count = WALKERS,
                        .steps = STEPS,
                        .plus_after = 3000,
                        .plus_after_low = 300,
                        .low_rank = flip_known_rank(scheme->size, FLIP_F2, NULL) + 7,
                        .plus_limit = 3,
                        .reduce_after = 1024};
    uint64_t *masks = base_alloc(context, 3 * scheme->rank, sizeof *masks);
    memcpy(round.size, scheme->size, sizeof round.size);
    round.states = base_alloc_zero(context, round.count, sizeof *round.states);
    round.masks = base_alloc(context, round.count * round.room, 3 * sizeof *round.masks);
    round.best = base_alloc(context, round.count * round.room, 3 * sizeof *round.best);
    if (masks == NULL || round.states == NULL || round.masks == NULL || round.best == NULL)
        BASE_TRY(BASE_MACHINE);
    const int64_t rank = flip_scheme_get_masks(scheme, masks);
    for (int64_t w = 0; w < round.count; w++)
        round.states[w].random = (uint64_t)w + 1;
    for (int k = 0; flip_kernels[k] != NULL; k++)
        if (flip_kernels[k] != &flip_ref && flip_kernels[k]->fits(features))
            BASE_TRY(time_kernel(context, flip_kernels[k], &round, rank, masks));
done:
    free(masks);
    free(round.states);
    free(round.masks);
    free(round.best);
    return status;
}

int main(int argc, char **argv) {
    base_status status = BASE_OK;
    base_context context;
    mm_reader *reader = NULL;
    mm_record record;
    flip_scheme scheme = {0};
    bool found;
    base_context_init(&context);
    mm_record_init(&record);
    BASE_TRY(mm_reader_open(&context, (const char *const *)argv + 1, argc - 1, false, &reader));
    mm_reader_add_form(reader, &flip_reader_form);
    for (;;) {
        BASE_TRY(mm_reader_next(&context, reader, &record, &found));
        if (!found)
            break;
        flip_scheme_free(&scheme);
        BASE_TRY(flip_scheme_from_record(&context, &record, &scheme));
        if (flip_fits_masks(scheme.size) && scheme.rank + 3 <= FLIP_LARGEST_RANK)
            BASE_TRY(time_scheme(&context, &scheme));
    }
done:
    if (status != BASE_OK)
        fprintf(stderr, "bench_flip: %s\n", context.error.cause);
    flip_scheme_free(&scheme);
    mm_record_free(&record);
    mm_reader_close(reader);
    return status;
}
