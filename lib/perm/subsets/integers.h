/* SPDX-License-Identifier: BSD-3-Clause */
/* A matrix as integers, for the sums over subsets that do not round. */
#ifndef PERM_SUBSETS_INTEGERS_H
#define PERM_SUBSETS_INTEGERS_H

#include "perm/matrix/matrix.h"

/* Entry (i, j) is part[0][j n + i] + i part[1][j n + i], n at least PERM_DENSE_SMALLEST; the permanent of
 * the original is this one's times factor times 2^exponent. */
typedef struct perm_integers {
    int64_t n;
    bool is_complex, has_zero_row; /* or a zero column: the permanent is 0 */
    mpz_t *part[2];
    mpz_t factor;
    int64_t exponent;
    double bits; /* log2 of |permanent|, an upper bound */
} perm_integers;

/* Without common factors of rows and columns, in the corner of an identity if n is small. */
base_status perm_integers_init(base_context *context, const perm_matrix *matrix, perm_integers *integers);
void perm_integers_free(perm_integers *integers);

/* The transpose has the same permanent. */
void perm_integers_transpose(perm_integers *integers);

/* Multiplies columns by powers of two towards a doubly stochastic matrix, where the sum over signs cancels
 * least; the exponent makes up for it. */
base_status perm_integers_balance(base_context *context, perm_integers *integers);

#endif
