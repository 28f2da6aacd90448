/* SPDX-License-Identifier: BSD-3-Clause */
/* A matrix whose permanent counts with a factor, and what leaves that product as it is or adds two of them;
 * internal to decompose.c. */
#ifndef PERM_DEGREE_SCALED_H
#define PERM_DEGREE_SCALED_H

#include "perm/matrix/matrix.h"

typedef struct perm_scaled {
    perm_matrix matrix;
    perm_value factor;
    bool is_turned; /* in the rule of SUperman columns come before rows */
    int64_t blocks; /* irreducible ones, nothing being left to eliminate or drop; 0: not known */
    double share;   /* of the work, for the progress: the parts of a split have half of it each */
} perm_scaled;

void perm_scaled_init(perm_scaled *scaled);
void perm_scaled_free(perm_scaled *scaled);
void perm_scaled_move(perm_scaled *to, perm_scaled *from); /* `to` holds nothing; `from` will */

/* Divides each row, then each column, by the greatest common divisor of its entries' mantissas and by a power
 * of two, so that multiples of the same row become equal, and the first entry's leading part
 * positive; the factor makes up for it. O(nnz) greatest common divisors. */
base_status perm_scaled_normalise(base_context *context, perm_scaled *scaled);

/* Hashes of two normalised matrices that differ in one row only agree for that row: hash[i] is over the
 * entries of all rows but row i. hash[n + j] is the same for column j. */
void perm_scaled_hash(const perm_scaled *scaled, uint64_t *hash);

/* Adds `other` to `to` where their normalised matrices differ in row `at` at most (n + j: in column j),
 * one of them has an entry there wherever the other one has, and the entries of the sum stay small; *added
 * says so. The sum is normalised, and its `blocks` unknown if entries became 0. `other` is used up then.
 * O(nnz). */
base_status perm_scaled_add(base_context *context, perm_scaled *to, perm_scaled *other, int64_t at,
                            bool *added);

#endif
