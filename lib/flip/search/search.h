/* SPDX-License-Identifier: BSD-3-Clause */
/* A search for schemes of small rank over F2: islands of walkers on the flip graph.
 *
 * An island has a few walkers and one saved scheme for each rank it came through. Its walkers try to get
 * below the island's rank (engine.h says how they walk); whoever does hands its scheme to the others. An
 * island that spent its budget of flips without progress steps back: it takes up its saved scheme `step_back`
 * ranks above, from where the walk leads elsewhere. That, and short intervals between pluses near the best
 * known rank, is what leaves sinks such as Strassen's square for 4x4x4.
 *
 * What islands find is kept in pools, by rank. Islands do not know of each other, and each has its random
 * numbers, so the result depends on the seed and the number of steps alone, not on threads or devices.
 *
 * walk.h has the rare moves of a walker, engine.h the many common ones on all processors; island.c keeps
 * what an island saved; settings.h chooses what the user left open; pool.h has the results and starts.h the
 * schemes to begin with; state.c and bytes.h keep a search for a checkpoint. path.h is the other search:
 * from one scheme to another. */
#ifndef FLIP_SEARCH_SEARCH_H
#define FLIP_SEARCH_SEARCH_H

#include "flip/search/engine.h"
#include "flip/search/pool.h"

#include <stddef.h>

typedef struct flip_search_options {
    int64_t target;         /* stop at this rank; 0: the least known one, if there is no other limit */
    int64_t steps;          /* stop after so many steps of all walkers, a little more; 0: no limit */
    bool is_limited;        /* `pause` will end the search */
    flip_symmetry symmetry; /* of the schemes that the engine walks on: other defaults */
    int64_t keep;           /* distinct schemes of the target rank to find, at least 1 */
    int64_t pool_size;      /* schemes of each rank to keep; 0: default */
    int64_t islands;        /* 0: default */
    int64_t walkers;        /* in an island; 0: default */
    int64_t plus_after, plus_after_low;   /* steps; low: at ranks up to low_rank; 0: default */
    int64_t budget, budget_low, low_rank; /* flips of an island; 0: default */
    int64_t walk; /* flips of an island before its walkers go back to its scheme; 0: default */
    int64_t plus_limit, step_back;  /* ranks; 0: default */
    int64_t sink_rank;              /* where the next two hold, and below; 0: default */
    int64_t sink_budget, sink_back; /* flips of an island before it steps back, ranks; 0: default */
    int64_t most_of_island; /* schemes of the target rank that an island comes to by flips; 0: no limit */
    int64_t reduce_after;   /* steps between looks for generalised reductions; 0: default */
    int64_t general_after;  /* steps between generalised flips, on processors; 0: none */
    int64_t match_rounds;   /* draws of rows in a step that matches pairs, on devices; 0: 1 */
} flip_search_options;

typedef struct flip_search flip_search;

/* Between rounds: whether to go on. Progress may be told, states saved. */
typedef base_status flip_search_pause(base_context *context, void *data, const flip_search *search,
                                      bool *is_over);

/* A search from that scheme, which is right over F2, fits masks, has a rank of at most FLIP_LARGEST_RANK and
 * is one the engine accepts (else BASE_FAILED). Random numbers from context->seed. The options are copied,
 * defaults set. */
base_status flip_search_open(base_context *context, const flip_scheme *scheme,
                             const flip_search_options *options, const flip_engine *engine,
                             flip_search **search);
void flip_search_close(flip_search *search); /* NULL is allowed */

/* Has the islands start from schemes that were found before (right ones of that format, pool.h); those that
 * the engine does not accept only stay in the pools. */
base_status flip_search_adopt(base_context *context, flip_search *search, const flip_pools *pools);

/* Goes on until a limit is met or `pause`, which may be NULL, says so. */
base_status flip_search_run(base_context *context, flip_search *search, flip_search_pause *pause, void *data);

/* What was found so far, the given scheme with it, each multiplied out and compared with the tensor. */
const flip_pools *flip_search_pools(const flip_search *search);
bool flip_search_has_reached(const flip_search *search); /* the target, and as many schemes as wanted */
int64_t flip_search_flips(const flip_search *search);

/* "rank 49 (1 of it, 230 in pools), islands at 49 to 53, 1.2e+09 flips" */
void flip_search_describe(const flip_search *search, char *line, size_t size);

/* The whole search as bytes, appended to a buffer that grows; and back, into one that was opened with the
 * same scheme, options and seed (else BASE_DAMAGED). */
base_status flip_search_save(base_context *context, const flip_search *search, char **buffer, int64_t *bytes,
                             int64_t *capacity);
base_status flip_search_restore(base_context *context, flip_search *search, const char *data, int64_t bytes);

#endif
