/* What the files of the search share. */
#ifndef FLIP_SEARCH_PRIVATE_H
#define FLIP_SEARCH_PRIVATE_H

#include "flip/search.h"

enum {
    FLIP_MOST_WALKERS = 64, /* in an island */
    FLIP_CHUNK_STEPS = 128,
    FLIP_EPOCH_STEPS = 1 << 17 /* of a walker */
};

/* Schemes of one rank, as sorted masks, without duplicates. */
typedef struct flip_pool {
    int64_t rank, count, most;
    uint64_t *masks; /* `most` schemes of room, 3 · rank words each */
} flip_pool;

typedef struct flip_island {
    flip_walker *walkers;
    int64_t since[FLIP_MOST_WALKERS]; /* steps since a walker's last plus or drop in rank */
    int64_t rank;                     /* of what its walkers try to beat */
    int64_t spent;                    /* flips at that rank */
    int64_t chunks;
    bool *has_saved; /* by rank */
    uint64_t *saved; /* by rank: 3 · rank words from 3 · rank(rank-1)/2 on */
    flip_pool found; /* of the least rank it saw */
    bool reached;    /* the target */
} flip_island;

struct flip_search {
    flip_search_options options;
    int64_t size[3];
    int64_t start_rank;
    flip_island *islands;
    flip_pool pool;
    int64_t steps, flips;
};

/* Adds a scheme of rank ≤ pool->rank, unless it is there already or the pool is full; a smaller rank empties
 * the pool before. */
void flip_pool_add(flip_pool *pool, int64_t rank, uint64_t *masks);

base_status flip_island_open(base_context *context, const flip_search *search, const uint64_t *masks,
                             int64_t index, flip_island *island);
void flip_island_close(flip_island *island);

/* One epoch: FLIP_EPOCH_STEPS of each walker, or fewer when it reaches the target with a full pool. */
void flip_island_run(const flip_search *search, flip_island *island);

#endif
