/* SPDX-License-Identifier: BSD-3-Clause */
/* Pools: distinct schemes of one format over F2, by rank. */
#ifndef FLIP_SEARCH_POOL_H
#define FLIP_SEARCH_POOL_H

#include "base/run/checkpoint.h"
#include "flip/scheme/scheme.h"

typedef struct flip_pool {
    int64_t rank, count, capacity;
    uint64_t *hash;  /* of each scheme */
    uint64_t *masks; /* 3 · rank words each, terms in ascending order */
} flip_pool;

typedef struct flip_pools {
    int64_t most_rank, most; /* schemes of a rank that are kept: the first ones */
    flip_pool *pool;         /* of ranks 0 … most_rank */
} flip_pools;

base_status flip_pools_open(base_context *context, int64_t most_rank, int64_t most, flip_pools *pools);
void flip_pools_close(flip_pools *pools); /* leaves them empty */

/* Adds a scheme of rank ≤ most_rank, unless it is there already, in whatever order of its terms, or the pool
 * of its rank is full. O(rank · log rank + schemes of that rank). */
base_status flip_pools_add(base_context *context, flip_pools *pools, int64_t rank, const uint64_t *masks);

/* Adds a scheme modulo 2. Fails with BASE_FAILED when it is wrong over F2, or its rank or a factor too large.
 */
base_status flip_pools_add_scheme(base_context *context, flip_pools *pools, const flip_scheme *scheme);

/* Adds those of other pools, but for ranks beyond most_rank. */
base_status flip_pools_add_all(base_context *context, flip_pools *pools, const flip_pools *others);

/* The masks of scheme `index` of a rank. */
const uint64_t *flip_pools_get(const flip_pools *pools, int64_t rank, int64_t index);

/* The least rank there is a scheme of; -1 when there is none at all. */
int64_t flip_pools_least(const flip_pools *pools);

/* Reads the schemes of a file: a stream of records, or a published format (formats/formats.h). Fails with
 * BASE_USAGE when it has one of another format (size) or a record that is none, with BASE_FAILED when one is
 * wrong over F2. */
base_status flip_pools_read(base_context *context, const char *path, const int64_t size[3],
                            flip_pools *pools);

/* Replaces a file by all schemes as a stream of records, from the least rank on (base/run/checkpoint.h). */
base_status flip_pools_save(base_context *context, base_checkpoint *file, const int64_t size[3],
                            const flip_pools *pools);

#endif
