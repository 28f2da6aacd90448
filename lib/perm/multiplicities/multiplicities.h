/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact permanents of matrices with repeated rows and columns, and of rectangular ones.
 *
 * Rows i that stand r_i times and columns j that stand c_j times, sum r_i = sum c_j = N: the terms of the sum
 * over signs depend only on how many copies of a column have the sign -,
 *
 *     2^N perm = sum over 0 <= v_j <= c_j of (-1)^(sum v_j) prod_j C(c_j, v_j) prod_i x_i^r_i,
 *     x_i = sum_j (c_j - 2 v_j) a_ij
 *
 * (Chin and Huh, Generalized concurrence in boson sampling, Scientific Reports 8, 2018), in the order of a
 * reflected Gray code with digits from 0 to c_j. v and c - v give the same term, so that one digit takes half
 * of its values: about prod_j (c_j + 1) / 2 terms, each an addition and a multiplication for each different
 * row. Rows and columns change roles where that is cheaper.
 *
 * A matrix with nrow <= ncol has as its permanent the sum over all ways to choose an entry from every row, no
 * two in a column. That is the permanent with ncol - nrow rows of ones below, over (ncol - nrow)!: one row
 * that stands ncol - nrow times.
 *
 * The room: multiplicities.c prepares the exact sum, run.c computes it, check.c checks chunks modulo a prime;
 * double.h is the sum in doubles; chunks.c and price.c make methods of both. */
#ifndef PERM_MULTIPLICITIES_MULTIPLICITIES_H
#define PERM_MULTIPLICITIES_MULTIPLICITIES_H

#include "perm/matrix/distinct.h"
#include "perm/method/method.h"

extern const perm_method perm_multiplicities_method;

/* Equal rows and columns are looked for in matrices up to this order. */
enum { PERM_MULTIPLICITIES_PRICED_LARGEST = 256 };

/* A permanent ready to be computed. Read-only after init; any number of threads may run it. */
typedef struct perm_multiplicities {
    int64_t nrow, ncol; /* different rows, and columns that make the terms */
    bool is_complex;
    mpz_t *part[2]; /* integers, column by column */
    int64_t *row_count, *column_count, *radix;
    int64_t total;      /* N */
    int64_t word_count; /* of a chunk: plain numbers, to be stored */
    int64_t chunk_count, chunk_terms;
    int64_t exponent;      /* permanent = sum times 2^(exponent - N) … */
    int64_t ones;          /* … over ones! */
    double terms, seconds; /* expected on one core */
    bool is_ready;         /* there is something to free */
} perm_multiplicities;

/* Fewer rows than columns, multiplicities counted, make it rectangular, as more do by the transpose.
 * `distinct` is not kept. BASE_FAILED when there are more than 2^62 terms. */
base_status perm_multiplicities_init(base_context *context, const perm_distinct *distinct,
                                     perm_multiplicities *multiplicities);
void perm_multiplicities_free(perm_multiplicities *multiplicities); /* NULL is allowed */

/* Computes chunks first … first+count-1 into word[0 … count·word_count-1] on context->threads threads. Adds
 * terms to the progress. */
base_status perm_multiplicities_run(base_context *context, const perm_multiplicities *multiplicities,
                                    int64_t first, int64_t count, int64_t *word);

/* Whether a chunk's words are right modulo 2^61 - 1, by another way through its terms that keeps nothing from
 * one to the next. O(nrow ncol) for a term. */
base_status perm_multiplicities_check(base_context *context, const perm_multiplicities *multiplicities,
                                      int64_t chunk, const int64_t *word, bool *agrees);

/* What one chunk adds to ones! times the permanent. */
void perm_multiplicities_chunk(const perm_multiplicities *multiplicities, const int64_t *word,
                               perm_value *value);

/* The permanent from the words of all chunks. */
void perm_multiplicities_fold(const perm_multiplicities *multiplicities, const int64_t *word,
                              perm_value *value);

/* All of it. */
base_status perm_multiplicities_permanent(base_context *context, const perm_distinct *distinct,
                                          perm_value *value);

#endif
