/* SPDX-License-Identifier: BSD-3-Clause */
/* The sum of multiplicities.h in doubles, with a bound of its error, for sums that are too long for exact
 * numbers.
 *
 * Rows are scaled by powers of two, so that sum_j c_j |a_ij| <= 1, and their sums x_i are started anew every
 * 64 terms: a computed x_i is off by at most e = (ncol + 19) u, u = 2^-53. Beside a term w prod_i x_i^r_i
 * stands w prod_i (|x_i| + e)^r_i, which exceeds the term's absolute value by at least what the e may change
 * of it; for the roundings of N - 1 multiplications, the weight w and the product beside it itself, it counts
 * some N u more. Sums are by TwoSum. */
#ifndef PERM_MULTIPLICITIES_DOUBLE_H
#define PERM_MULTIPLICITIES_DOUBLE_H

#include "perm/multiplicities/multiplicities.h"
#include "perm/subsets/partial.h"

/* Multiplicities count up to here: weights stay far from the ends of the doubles' range. */
enum { PERM_MULTIPLICITIES_DOUBLE_LARGEST = 512 };

/* Read-only after init; any number of threads may run it. */
typedef struct perm_multiplicities_double {
    perm_multiplicities exact; /* the same terms and chunks */
    double *entry;             /* [column][part][row], scaled */
    double *binomial;          /* C(c_j, v) from binomial[first[j]] on, with what the last digit stands for */
    int64_t *first;
    int64_t exponent; /* ones! times the permanent = sum times 2^exponent */
    double slack;     /* e */
    double roundings; /* of the larger products, in all */
    double seconds;   /* expected on one core */
} perm_multiplicities_double;

/* What a chunk adds: its sum, with the sum of the larger products as magnitude, and the bound of its error.
 */
typedef struct perm_multiplicities_partial {
    perm_dense_partial sum;
    double error;
} perm_multiplicities_partial;

/* As perm_multiplicities_init; BASE_FAILED also when multiplicities add up to more than
 * PERM_MULTIPLICITIES_DOUBLE_LARGEST. */
base_status perm_multiplicities_double_init(base_context *context, const perm_distinct *distinct,
                                            perm_multiplicities_double *multiplicities);
void perm_multiplicities_double_free(perm_multiplicities_double *multiplicities); /* NULL is allowed */

/* Computes a chunk. BASE_MACHINE without memory. Adds terms to the progress. */
base_status perm_multiplicities_double_run(base_context *context,
                                           const perm_multiplicities_double *multiplicities, int64_t chunk,
                                           perm_multiplicities_partial *partial);

/* What it adds to ones! times the permanent, and the bound of its error. */
void perm_multiplicities_double_chunk(const perm_multiplicities_double *multiplicities,
                                      const perm_multiplicities_partial *partial, perm_value *value,
                                      perm_value *error);

#endif
