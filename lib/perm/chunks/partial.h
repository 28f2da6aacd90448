/* What chunks of doubles leave (perm_dense_partial), for every method that computes the sum of dense/dense.h.
 */
#ifndef PERM_CHUNKS_PARTIAL_H
#define PERM_CHUNKS_PARTIAL_H

#include "perm/dense/dense.h"
#include "perm/value/sum.h"

/* Whether a chunk of so many subsets can have left that. */
bool perm_partial_is_possible(const perm_dense_partial *partial, double subsets);

/* Whether both can be the same chunk, each off by at most slope times its magnitude. */
bool perm_partial_agree(const perm_dense_partial *a, const perm_dense_partial *b, double slope);

/* Tells a sum the bound of such partials (perm_dense_error, perm_sparse_error): slope times their magnitudes,
 * plus constant times 2^exponent. */
void perm_partial_prepare(double slope, double constant, int64_t exponent, perm_sum *sum);

/* Adds it to the sum for a matrix of order n, whose permanent is the sum of the partials times 2^exponent. */
void perm_partial_add(const perm_dense_partial *partial, int64_t n, int64_t exponent, int64_t chunk,
                      perm_sum *sum);

#endif
