/* SPDX-License-Identifier: BSD-3-Clause */
/* The permanents of all submatrices of order n-1, by one pass through the 2^(n-1) signs of the sum of
 * dense/dense.h (kernels/perm/minors/kernel.h): about five times the time of one permanent, instead of n^2
 * times.
 *
 * In doubles, with a bound of each error: scaling, rounding to the grid and the steps of the bound are those
 * of dense/dense.h, with the roundings of perm_minors_roundings. Exactly, modulo primes, as in exact/exact.h.
 *
 * The room: minors.c prepares the problem, run.c computes it. No method of the planner: solve/minors_record.h
 * chooses between it and n^2 single permanents. */
#ifndef PERM_MINORS_MINORS_H
#define PERM_MINORS_MINORS_H

#include "perm/matrix/matrix.h"
#include "perm/minors/kernel.h"

enum { PERM_MINORS_LARGEST = 63 };

/* All minors ready to be computed; read-only after perm_minors_init. */
typedef struct perm_minors {
    const perm_minors_kernel *kernel;
    int64_t n; /* of the matrix; that of the problems is at least 8 */
    bool is_complex;
    int64_t problem_count; /* doubles: 1; exactly: for each prime one, complex two */
    perm_minors_problem *problem;
    double **tables;       /* what the problems point into */
    int64_t *prime, *root; /* of each problem; NULL for doubles; root of -1, complex only */
    /* minor (i, k) = sum 2^(exponent + row_exponent[i] + column_exponent[k]) */
    int64_t exponent, row_exponent[64], column_exponent[64];
    double perturbation[64]; /* doubles: bounds of what rounding the entries changes in the minors of a row */
    int64_t chunk_count, chunk_runs; /* of each problem */
    double seconds;                  /* expected on one core */
} perm_minors;

/* All kernels, ended by NULL. */
const perm_minors_kernel *const *perm_minors_kernels(void);

/* Prepares the minors of a matrix without empty rows or columns, n up to PERM_MINORS_LARGEST:
 * exactly, which scales its entries, or, if it is real, in doubles. `kernel` NULL: the fastest; BASE_USAGE
 * when there is none of that name or this processor cannot run it. */
base_status perm_minors_init(base_context *context, perm_matrix *matrix, bool exact, const char *kernel,
                             perm_minors *minors);
void perm_minors_free(perm_minors *minors); /* NULL is allowed */

/* minor[i n + k], n^2 initialised values, becomes the permanent of the matrix without row i and column
 * k. On context->threads threads, with the same result on any number of them; adds subsets to the
 * context's progress. BASE_STOPPED where the context's deadline is over. Up to 256 (2 n^2 + n) doubles of
 * memory, and 16 n^2 for each thread. */
base_status perm_minors_run(base_context *context, const perm_minors *minors, perm_value *minor);

#endif
