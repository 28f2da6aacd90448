/* SPDX-License-Identifier: BSD-3-Clause */
/* The sums and products that a search for terms (terms.h) is in: how it begins, goes into blocks and comes
 * out of them. */
#ifndef PERM_DEGREE_LEVELS_H
#define PERM_DEGREE_LEVELS_H

#include "mm/metadata/piece.h"
#include "perm/degree/options.h"
#include "perm/degree/worklist.h"

/* The sum for one block after another of a matrix. */
typedef struct perm_level {
    perm_worklist worklist; /* what the sum of this block has still to be made of */
    int64_t items;          /* its terms and matrices in blocks so far */
    perm_matrix *block;     /* all of them; those behind `at` wait */
    int64_t blocks, at;
    double share; /* of each block that waits, of the work */
} perm_level;

enum {
    PERM_MOST_LEVELS = MM_PIECE_DEPTH / 2 + 1,
    PERM_SEARCH_PROGRESS = 1000000 /* units of the progress in all */
};

typedef struct perm_search {
    perm_decompose_options options;
    int record_depth; /* of the record's piece */
    perm_level level[PERM_MOST_LEVELS];
    int depth; /* levels; 0: done */
    mm_field field;
    perm_decompose_stats stats;
    /* Of the work, the shares of all that waits, and millionths that the progress was told are done. A branch
     * of a split has half of its weight (D. E. Knuth, Estimating the efficiency of backtrack programs, 1975).
     */
    double left;
    int64_t told;
} perm_search;

/* `search` has options and record_depth only; the rest is zero, as after perm_search_end. The matrix is
 * taken. */
base_status perm_search_begin(base_context *context, perm_matrix *matrix, const perm_value *factor,
                              perm_search *search);
void perm_search_end(perm_search *search);

perm_level *perm_search_top(perm_search *search);

/* The sum for the next block of the level at the top, times a factor. */
base_status perm_search_begin_block(base_context *context, perm_search *search, const perm_value *factor);

/* A matrix in blocks becomes a product of sums, on a new level. */
base_status perm_search_begin_product(base_context *context, perm_search *search, perm_scaled *scaled);
void perm_search_close_level(perm_search *search);

#endif
