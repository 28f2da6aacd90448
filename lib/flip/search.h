/* A search for schemes of small rank over F2: islands of walkers on the flip graph.
 *
 * An island has a few walkers and one saved scheme for each rank it came through. Its walkers flip; a walker
 * that found nothing new for `plus_after` steps makes a plus, up to `plus_limit` above the island's rank. Who
 * gets below the island's rank becomes the saved scheme of that rank, and all walkers go on from there. An
 * island that spent its budget of flips without progress steps back: it takes up its saved scheme `step_back`
 * ranks above, from where the walk leads elsewhere. That, and short intervals between pluses near the best
 * known rank, is what leaves sinks such as Strassen's square for 4x4x4.
 *
 * Islands do not know of each other, and each has its random numbers, so the result depends on the seed and
 * the number of steps alone, not on threads. */
#ifndef FLIP_SEARCH_H
#define FLIP_SEARCH_H

#include "flip/kernel.h"
#include "flip/scheme.h"

typedef struct flip_search_options {
    int64_t target;  /* stop at this rank; 0: the least known one, if there is no other limit */
    int64_t steps;   /* stop after so many steps of all walkers, a little more; 0: no limit */
    double seconds;  /* stop after that time; 0: no limit */
    int64_t keep;    /* distinct schemes of the least rank to keep, at least 1 */
    int64_t islands; /* 0: default */
    int64_t walkers; /* in an island; 0: default */
    int64_t plus_after, plus_after_low;   /* steps; low: at ranks up to low_rank; 0: default */
    int64_t budget, budget_low, low_rank; /* flips of an island; 0: default */
    int64_t plus_limit, step_back;        /* ranks; 0: default */
    int64_t reduce_after;                 /* steps between looks for generalised reductions; 0: default */
    const flip_kernel *kernel;
    /* Told of progress; may be NULL. */
    void (*tell)(void *data, const char *line);
    void *data;
} flip_search_options;

typedef struct flip_search flip_search;

/* A search from that scheme, which is right over F2, fits masks and has a rank of at most FLIP_LARGEST_RANK
 * (else BASE_FAILED). Random numbers from context->seed. The options are copied, defaults set. */
base_status flip_search_open(base_context *context, const flip_scheme *scheme,
                             const flip_search_options *options, flip_search **search);
void flip_search_close(flip_search *search); /* NULL is allowed */

/* Goes on until a limit is met. */
base_status flip_search_run(base_context *context, flip_search *search);

/* What was found: the least rank, and how many schemes of it are kept. */
int64_t flip_search_rank(const flip_search *search);
int64_t flip_search_count(const flip_search *search);
int64_t flip_search_flips(const flip_search *search);
base_status flip_search_get(base_context *context, const flip_search *search, int64_t index,
                            flip_scheme *scheme);

#endif
