/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the search share. */
#ifndef FLIP_SEARCH_INTERNAL_H
#define FLIP_SEARCH_INTERNAL_H

#include "flip/search/search.h"

enum {
    FLIP_MOST_WALKERS = 64, /* in an island */
    FLIP_FIRST_STEPS = 1 << 10,
    FLIP_MOST_STEPS = 1 << 12 /* of a walker in a round */
};

typedef struct flip_island {
    int64_t rank;    /* of what its walkers try to beat */
    int64_t begin;   /* of what it starts from, and anew */
    int64_t low;     /* the least one since it last began anew */
    int64_t back;    /* ranks of its next step back */
    int64_t spent;   /* flips at that rank */
    int64_t given;   /* schemes of the target rank that it came to by flips */
    bool *has_saved; /* by rank, up to search->most_rank */
    uint64_t *saved; /* by rank: 3 · rank words from 3 · rank(rank-1)/2 on */
} flip_island;

struct flip_search {
    flip_search_options options;
    flip_engine engine;
    int64_t most_rank; /* that an island can start from */
    flip_island *islands;
    flip_round round; /* of all walkers, those of an island side by side */
    flip_pools pools;
    int64_t steps, flips;
};

base_status flip_island_open(base_context *context, const flip_search *search, flip_island *island);
void flip_island_close(flip_island *island);

/* The scheme becomes the one saved for its rank. */
void flip_island_save(flip_island *island, int64_t rank, const uint64_t *masks);
const uint64_t *flip_island_saved(const flip_island *island, int64_t rank);

/* All walkers of island `index` start from what is saved for that rank. */
void flip_island_start(flip_search *search, int64_t index, int64_t rank);

/* After a round: takes the best scheme that walkers of island `index` found, or steps back. */
void flip_island_follow(flip_search *search, int64_t index);

#endif
