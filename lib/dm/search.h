/* SPDX-License-Identifier: BSD-3-Clause */
/* The searches that a maximum matching is made of; internal to lib/dm. Each of them only ever enlarges the
 * matching, except that of Karp and Sipser, which begins anew. */
#ifndef DM_SEARCH_H
#define DM_SEARCH_H

#include "mm/matrix/sparse.h"

typedef struct dm_matching dm_matching; /* matching.h */

enum { DM_LONG_ENTRIES = 1 << 18 }; /* from which on progress is told */

typedef struct dm_search {
    const mm_sparse *matrix;
    dm_matching *matching;
    int64_t *visited;   /* nrow: the last search that saw a row */
    int64_t *seen;      /* nrow: the rows this search has seen */
    int64_t *next;      /* ncol: where lookahead goes on; all before it are matched rows */
    int64_t *path;      /* ncol: columns of the path being tried, or a queue of them */
    int64_t *position;  /* ncol: where the search goes on in a column (or in a column of the path) */
    int64_t *unmatched; /* ncol: columns with entries that may still be matched, */
    int64_t nunmatched; /* this many */
    base_context *context;
    int64_t told; /* columns of the progress */
} dm_search;

/* Adds to the progress what is matched now; a matching that begins anew is told once it is larger. */
void dm_search_tell(dm_search *search);

/* Matches each column to its first free row. */
void dm_search_greedily(dm_search *search);

/* At most `limit` phases of Pothen and Fan: a depth-first search from every unmatched column, together seeing
 * every row once. True when the matching is maximum. Needs `next` and `unmatched` as dm_search_greedily or
 * dm_search_restart leaves them. */
bool dm_search_depth_first(dm_search *search, int64_t limit);

/* Lists the unmatched columns and lets lookahead start again, for a matching made otherwise. */
void dm_search_restart(dm_search *search);

/* Karp and Sipser: a row or column with one entry left is matched to it, which is never wrong; where there is
 * none, the next column to its row with the fewest entries. `rows` is the matrix by rows, its pattern. */
base_status dm_search_karp_sipser(base_context *context, const mm_sparse *rows, dm_search *search);

/* Phases of Hopcroft and Karp until the matching is maximum: all shortest augmenting paths at a time. */
void dm_search_shortest(dm_search *search);

/* Exchanges matched and unmatched entries along path[0] … path[depth], whose last column takes the free
 * `row`.
 */
void dm_search_augment(dm_search *search, int64_t depth, int64_t row);

#endif
