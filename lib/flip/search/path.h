/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths on the flip graph over F2: moves from one scheme to another, found by the proof that flips and pluses
 * connect all schemes of a format (The matrix multiply flip graph, percisely.xyz/flip-graph, theorem 4 with
 * lemmas 5 to 9), and their replay.
 *
 * Terms have numbers that stay theirs: those of the first scheme 1, 2, … in its order; each plus makes the
 * next one. With a the factor at the move's position and b, c the ones after it in turn,
 *
 *     flip i j (a_i = a_j):   c_i += c_j, then b_j += b_i;   a term with a zero factor is gone
 *     plus i j (a_i ≠ a_j):   a new term a_i ⊗ b_j ⊗ c_j, then a_j += a_i. */
#ifndef FLIP_SEARCH_PATH_H
#define FLIP_SEARCH_PATH_H

#include "flip/scheme/scheme.h"

typedef struct flip_move {
    bool is_plus;
    int position; /* 0, 1, 2 */
    int64_t i, j; /* numbers of terms, from 1 */
} flip_move;

/* Terms by number. */
typedef struct flip_terms {
    uint64_t (*term)[3]; /* that of number k at k - 1; zeros where it is gone */
    int64_t count, capacity;
    int64_t present, most_present; /* terms that are there: now, and at most */
    int64_t flips, pluses;         /* moves so far */
} flip_terms;

base_status flip_terms_open(base_context *context, int64_t rank, const uint64_t *masks, flip_terms *terms);
void flip_terms_close(flip_terms *terms);

/* Makes a move; *allowed false, and nothing changes, where the terms are not there, are the same one, or
 * their factors are not as the move wants them. O(1). */
base_status flip_terms_move(base_context *context, flip_terms *terms, const flip_move *move, bool *allowed);

/* Whether the terms are those of a scheme, in whatever order. O(terms · log terms). */
base_status flip_terms_are(base_context *context, const flip_terms *terms, int64_t rank,
                           const uint64_t *masks, bool *equal);

/* Told of each move of a path, in order. */
typedef base_status flip_path_put(base_context *context, void *data, const flip_move *move);

/* The moves from one scheme (as masks, scheme/scheme.h) to another one for the same format; both are right
 * over F2. Fails with BASE_FAILED for 1x1x1, where only one scheme has neighbours. The proof's way: each term
 * of the second scheme is added twice (lemmas 7 and 8); the first scheme and one copy of the second add up to
 * zero, so when both are taken apart into basis matrices these are there in pairs that flips remove (lemma
 * 9). To take a term apart needs terms with basis matrices for factors, which are added once and for all. The
 * number of moves is near the terms of both when written in basis matrices. */
base_status flip_path_find(base_context *context, const int64_t size[3], const int64_t rank[2],
                           const uint64_t *const masks[2], flip_path_put *put, void *data);

#endif
