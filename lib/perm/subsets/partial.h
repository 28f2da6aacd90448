/* SPDX-License-Identifier: BSD-3-Clause */
/* What chunks of doubles leave (perm_dense_partial), for every method that computes the sum of dense/dense.h.
 */
#ifndef PERM_SUBSETS_PARTIAL_H
#define PERM_SUBSETS_PARTIAL_H

#include "perm/value/sum.h"

/* What a chunk adds: (high + low) and the sum of |product|. Plain numbers, to be stored in a checkpoint. */
typedef struct perm_dense_partial {
    double high[2], low[2]; /* real and imaginary part */
    double magnitude;
} perm_dense_partial;

/* |permanent - (high + low) 2^exponent| <= error 2^exponent, high[1] + low[1] being the imaginary part. */
typedef struct perm_dense_result {
    double high[2], low[2];
    double error; /* 0: exact */
    int64_t exponent;
} perm_dense_result;

/* (high, low) += (more_high, more_low), an error of a few units of 2^-105. */
void perm_dense_add(double *high, double *low, double more_high, double more_low);

/* Adds up `count` partials for a matrix of order n, in their order, off by at most relative_error times their
 * magnitudes plus absolute_error; the exponent stays 0. */
void perm_dense_add_partials(const perm_dense_partial *partial, int64_t count, int64_t n,
                             double relative_error, double absolute_error, perm_dense_result *result);

/* Whether a chunk of so many subsets can have left that. */
bool perm_partial_is_possible(const perm_dense_partial *partial, double subsets);

/* Whether both can be the same chunk, each off by at most relative_error times its magnitude. */
bool perm_partial_agree(const perm_dense_partial *a, const perm_dense_partial *b, double relative_error);

/* Sets the bound of such partials (perm_dense_error, perm_sparse_error): relative_error times their
 * magnitudes, plus absolute_error times 2^exponent. */
void perm_partial_prepare(double relative_error, double absolute_error, int64_t exponent, perm_sum *sum);

/* Adds it to the sum for a matrix of order n, whose permanent is the sum of the partials times 2^exponent. */
void perm_partial_add(const perm_dense_partial *partial, int64_t n, int64_t exponent, int64_t chunk,
                      perm_sum *sum);

#endif
