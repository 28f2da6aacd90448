/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact permanents of sparse integer matrices by the tables of sparse.h, modulo as many primes just above
 * 2^49 as the bound of the permanent needs, put together by the Chinese remainder theorem. For each prime
 * they take about as long as the tables in doubles, whose sizes are not needed: memory bounds both. */
#ifndef PERM_SPARSE_EXACT_H
#define PERM_SPARSE_EXACT_H

#include "perm/matrix/matrix.h"
#include "perm/sparse/sparse.h"

/* A permanent ready to be computed. Read-only after init; any number of threads may run it. */
typedef struct perm_sparse_exact {
    perm_sparse sparse; /* modulo the first prime; its chunks: 0 when the permanent is structurally 0 */
    int64_t prime_count, *prime;
    double seconds; /* expected on one core */
} perm_sparse_exact;

/* Prepares the permanent of a matrix of integers up to 2^34 in size, n up to PERM_SPARSE_LARGEST, else
 * BASE_FAILED; `kernel` and `plan` as in perm_sparse_init. `check`: modulo one prime that is not used
 * otherwise. */
base_status perm_sparse_exact_init(base_context *context, const perm_matrix *matrix, const char *kernel,
                                   bool check, const perm_sparse_plan *plan, perm_sparse_exact *exact);
void perm_sparse_exact_free(perm_sparse_exact *exact); /* NULL is allowed */

/* Computes a chunk: numbers from 0 to their prime - 1 that depend on matrix and plan only. Adds subsets to
 * the context's progress. */
base_status perm_sparse_exact_run(base_context *context, const perm_sparse_exact *exact, int64_t chunk,
                                  int64_t *residue);

/* What a chunk, or the sum of chunks modulo the primes, amounts to: the permanent is the sum of these modulo
 * the primes, nearest to 0. Changes the residues. */
void perm_sparse_exact_value(const perm_sparse_exact *exact, int64_t *residue, perm_value *value);

#endif
