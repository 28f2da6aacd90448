/* SPDX-License-Identifier: BSD-3-Clause */
/* What walks: many walkers at once take some steps each, on processors. What their steps are for (islands,
 * stepping back, pools) is the business of search.h, the same for every engine.
 *
 * A round is `steps` steps of each walker. In every step a walker makes a flip (kernels/flip/kernel.h), where
 * there is one. When its rank falls below `best` its scheme is copied to the best one and `best` is the new
 * rank. After `plus_after` steps (`plus_after_low` where best ≤ low_rank) since its last plus or fall in rank
 * it makes a plus, if its rank is less than best + plus_limit (in orbits); so it does at once where it has no
 * flip to make. A walker that has neither goes back to its best scheme. Now and then, at least every
 * `reduce_after` steps, it looks for generalised reductions, and every `general_after` steps makes a
 * generalised flip (walk.h).
 *
 * An engine may count these intervals in steps of its own width, and take a few steps more; it does the same
 * for the same round, whatever the number of threads or devices. */
#ifndef FLIP_SEARCH_ENGINE_H
#define FLIP_SEARCH_ENGINE_H

#include "base/core/context.h"
#include "flip/kernel.h"

typedef struct flip_walker_state {
    uint64_t random; /* state of its generator; changed */
    int64_t since;   /* steps since its last plus or fall in rank; changed */
    int64_t flips;   /* made in this round; set */
    int32_t rank;    /* of its scheme; changed */
    int32_t best;    /* rank of its best scheme; falls */
    bool loaded;     /* its schemes are other ones than the round before left; cleared. An engine that keeps
                        schemes of its own between rounds need not take the others over again */
} flip_walker_state;

typedef struct flip_round {
    int64_t size[3]; /* format */
    int64_t room;    /* terms of room of each scheme: no plus beyond */
    int64_t count;   /* walkers */
    int64_t steps;
    int64_t plus_after, plus_after_low, low_rank, plus_limit, reduce_after;
    int64_t general_after;     /* steps between generalised flips (walk.h); 0: none */
    flip_walker_state *states; /* count */
    uint64_t *masks;           /* the walkers' schemes (scheme/scheme.h), 3 · room masks for each; changed */
    uint64_t *best;            /* the best ones, alike */
} flip_round;

typedef struct flip_engine {
    void *data;
    int64_t walkers; /* that keep it busy */
    /* Whether it can walk from a scheme; NULL: from any. */
    bool (*accepts)(const int64_t size[3], int64_t rank, const uint64_t *masks);
    base_status (*run)(base_context *context, void *data, flip_round *round);
    void (*close)(void *data); /* may be NULL */
} flip_engine;

/* Walks on context->threads processors with that kernel, on schemes of that symmetry (scheme/cyclic.h): all
 * schemes of a round must have it. With one, flips are made on all terms of an orbit at once, a plus adds an
 * orbit, and fixed terms stay as they are, but for those that become equal, and for orbits of equal terms,
 * which become fixed ones. */
void flip_engine_on_processors(const flip_kernel *kernel, flip_symmetry symmetry, flip_engine *engine);

#endif
