/* SPDX-License-Identifier: BSD-3-Clause */
/* The search for the terms of a matrix: sums whose matrices are split, and products where one of them falls
 * into blocks, each of which is a sum again (levels.h); internal to decompose.c. */
#ifndef PERM_DEGREE_TERMS_H
#define PERM_DEGREE_TERMS_H

#include "perm/degree/levels.h"

/* A term: a step of kind term for the whole and for each block that it lies in, these before that. */
typedef struct perm_piece {
    perm_scaled scaled;
    mm_piece_step step[MM_PIECE_DEPTH];
    int depth;
} perm_piece;

void perm_piece_init(perm_piece *piece);
void perm_piece_free(perm_piece *piece);

/* The next term into `piece`, an initialised one. `before` is the one before it, or NULL: once a sum ends its
 * last term learns how many there are. */
base_status perm_search_next(base_context *context, perm_search *search, perm_piece *before,
                             perm_piece *piece, bool *found);

#endif
