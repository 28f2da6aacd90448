/* SPDX-License-Identifier: BSD-3-Clause */
/* A permanent as a sum of chunks that may be added in any order and grouping, in one process, after a restart
 * or on several machines: what chunks add is held exactly, so that the bits of the result depend on the set
 * of chunks alone. A value that cannot be split is a sum of one chunk. */
#ifndef PERM_VALUE_SUM_H
#define PERM_VALUE_SUM_H

#include "base/run/options.h"
#include "perm/value/error_sample.h"

typedef struct perm_sum {
    int64_t chunks;     /* of the whole sum; 0: its value is 0 */
    int64_t first, end; /* those of this part: first … end - 1 */
    uint8_t *done;      /* end - first; 1 where a chunk is in the value */
    int64_t left;       /* how many are not */
    perm_value value;   /* exact, but for the value of a single chunk */
    /* Methods that compute residues: the integers of `value` count modulo this number, nearest to 0; else 0.
     */
    mpz_t modulus;
    /* The error of the whole sum is at most relative_error·magnitude + absolute_error. */
    perm_value magnitude;
    double relative_error;
    perm_bound absolute_error;
    perm_error_sample sample; /* what it is by a sample of the whole sum, the same in all parts */
} perm_sum;

void perm_sum_init(perm_sum *sum);
void perm_sum_free(perm_sum *sum); /* NULL is allowed */

/* Makes it the empty sum of the chunks that part `part` has of `chunks`. Parts get equal shares; `turn` says
 * who gets the odd ones, so that many small sums spread over all parts. */
base_status perm_sum_start(base_context *context, perm_sum *sum, int64_t chunks, base_part part,
                           int64_t turn);

/* The share alone. */
void perm_sum_share(int64_t chunks, base_part part, int64_t turn, int64_t *first, int64_t *end);

/* Adds what a chunk amounts to. */
void perm_sum_add(perm_sum *sum, int64_t chunk, const perm_value *value, const perm_value *magnitude);

/* Adds the sum over other chunks of the same whole, which is known to fit (perm_sum_fits). */
void perm_sum_merge(perm_sum *to, const perm_sum *from);
bool perm_sum_fits(const perm_sum *a, const perm_sum *b);

/* Whether all chunks of the whole are in. */
bool perm_sum_is_complete(const perm_sum *sum);

/* The value of a complete sum with the bound of its error, and the estimate that the sample allows. */
void perm_sum_finish(const perm_sum *sum, perm_value *value);

#endif
