/* SPDX-License-Identifier: BSD-3-Clause */
/* Permanents with a chosen number of bits, real and complex, by GNU MPFR (Fousse and others, MPFR: a
 * multiple-precision binary floating-point library with correct rounding, ACM TOMS 33, 2007).
 *
 * Method: the sum over subsets of Nijenhuis and Wilf (kernels/perm/common/problem.h). The entries count
 * exactly (subsets/integers.h), and row sums are exact integers; a product rounds once a row, by at most
 * 2^-bits, complex by sqrt(5) 2^-bits; sums have 64 bits more. The bound of the error is the sum of |product|
 * times that. Slow: some 50 ns for a (row, subset) pair.
 *
 * The room: multiprecision.c prepares a matrix and runs chunks, chunks.c makes them a perm_chunked, price.c
 * has the method, which is priced where mpfr:BITS or dd is the precision asked for, or where kernels are
 * listed or named. */
#ifndef PERM_MPFR_MULTIPRECISION_H
#define PERM_MPFR_MULTIPRECISION_H

#include "perm/method/precision.h"
#include "perm/subsets/integers.h"

/* A permanent ready to be computed. Read-only after init; any number of threads may run it. */
typedef struct perm_multiprecision {
    perm_integers integers;
    int64_t bits;
    int64_t word_count;  /* of a chunk: plain numbers, to be stored */
    int64_t chunk_count; /* 0 when a row or a column is zero */
    double chunk_subsets;
    double seconds;        /* expected on one core */
    int64_t most_exponent; /* no sum of |product| reaches 2 to this */
} perm_multiprecision;

/* Prepares the permanent of a matrix, which is not kept. BASE_FAILED for n above PERM_DENSE_LARGEST or bits
 * out of range. */
base_status perm_multiprecision_init(base_context *context, const perm_matrix *matrix, int64_t bits,
                                     perm_multiprecision *multiprecision);
void perm_multiprecision_free(perm_multiprecision *multiprecision); /* NULL is allowed */

/* Computes chunks first … first+count-1 into word[0 … count·word_count-1] on context->threads threads. */
void perm_multiprecision_run(base_context *context, const perm_multiprecision *multiprecision, int64_t first,
                             int64_t count, int64_t *word);

/* Whether a chunk can have left that: exponents that are too large would take all memory. */
bool perm_multiprecision_is_possible(const perm_multiprecision *multiprecision, const int64_t *word);

/* What one chunk adds, exactly, and 2^-bits times the sum of |product| there. The error of the whole is at
 * most relative_error times the sum of the magnitudes. */
void perm_multiprecision_chunk(const perm_multiprecision *multiprecision, const int64_t *word,
                               perm_value *value, perm_value *magnitude);
double perm_multiprecision_relative_error(const perm_multiprecision *multiprecision);

/* All of it. */
base_status perm_multiprecision_permanent(base_context *context, const perm_matrix *matrix, int64_t bits,
                                          perm_value *value);

#endif
