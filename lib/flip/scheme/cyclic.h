/* SPDX-License-Identifier: BSD-3-Clause */
/* Schemes for n×n matrices that turning leaves as they are: with the third factor transposed, (u, v, w) is a
 * term if (v, w, u) is (Ballard, Ikenmeyer, Landsberg and Ryder, The geometry of rank decompositions of
 * matrix multiplication II, 2018; Moosbauer and Poole, Flip graphs with symmetry, 2025). Over F2, as masks.
 *
 * Reversing the rows and columns of all three matrices is another symmetry, which together with turning makes
 * orbits of up to six terms (C3 × Z2, Moosbauer and Poole). */
#ifndef FLIP_SCHEME_CYCLIC_H
#define FLIP_SCHEME_CYCLIC_H

#include "flip/scheme/scheme.h"

/* One row (u, v, w), w transposed, for each orbit: rows[3 · row + position], room for `rank` of them. Returns
 * their number, -1 if the format is not square or the scheme not cyclic. O(rank²). */
int64_t flip_cyclic_fold(const int64_t size[3], int64_t rank, const uint64_t *masks, uint64_t *rows);

/* Writes all terms of the orbits; `masks` has room for 3 · count of them. Rows of zeros are left out, a row
 * of three equal factors is one term. Returns the rank. */
int64_t flip_cyclic_unfold(const int64_t size[3], int64_t count, const uint64_t *rows, uint64_t *masks);

/* Brings the rows of a cyclic scheme into pairs: row 2r + 1 is row 2r reversed, behind them are the rows of
 * three equal factors. False where reversing changes the scheme, or where it leaves a row of different
 * factors alone: such an orbit of three is none that flips on pairs can keep. O(count²). */
bool flip_cyclic_pair(int64_t n, int64_t count, uint64_t *rows);

/* Of such pairs the first row each, and one of each pair of fixed rows; `count` rows become as many as it
 * returns. And back, `rows` with room for twice as many. */
int64_t flip_cyclic_halve(int64_t n, int64_t count, uint64_t *rows);
int64_t flip_cyclic_double(int64_t n, int64_t count, uint64_t *rows);

/* Cyclic schemes that flips lead to depend on their fixed terms a ⊗ a ⊗ a, which flips leave alone; the least
 * known ranks come from few of them. Merges those of a cyclic scheme, in groups of the given sizes, which add
 * up to their number: over F2 a³ + b³ = (a + b)³ + the orbits of (a, a, b) and (a, b, b). sizes NULL: in
 * twos, next ones if their number is even, otherwise the first with the last and so on; the one left stays.
 * Each merge adds five terms. Fails with BASE_FAILED when the scheme is not cyclic, with BASE_USAGE when the
 * sizes do not fit. */
base_status flip_cyclic_merge(base_context *context, const flip_scheme *scheme, const int64_t *sizes,
                              int64_t count, flip_scheme *merged);

/* Readies a scheme for a cyclic search: the standard algorithm's fixed terms, one for each row of the
 * matrices, are merged in twos as flip_cyclic_merge does without sizes, which the least known ranks for 5x5x5
 * and 6x6x6 come from (Moosbauer and Poole); others stay as they are. `groups`, if it is not NULL, says
 * otherwise which are merged: "1+2,3+4,5+6", by rows from 1; those that are not named stay. Fails as
 * flip_cyclic_merge, and with BASE_USAGE for groups that are none of this format's, or that reversing does
 * not map to groups where `reversed` is set. */
base_status flip_cyclic_start(base_context *context, const char *groups, bool reversed, flip_scheme *scheme);

#endif
