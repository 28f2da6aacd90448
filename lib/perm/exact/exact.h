/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact permanents of integers and Gaussian integers of any size, and so of all matrices whose entries are
 * such times powers of two, by the sum of Nijenhuis and Wilf (kernels/perm/common/problem.h), modulo as many
 * primes of up to 49 bits as the bound of the permanent needs, put together by the Chinese remainder theorem.
 *
 * Entries whose row sums fit 49 bits: several row sums multiply without an error in a double, and only these
 * few factors of a subset are multiplied modulo the primes; 0/1 matrices take about twice the time of the
 * double kernel, and less than it where many row sums are 0 (kernels/perm/exact/sieve_body.h). Larger or
 * complex entries: the rows are residues, a sum for each prime; Gaussian integers twice, modulo primes with a
 * square root of -1, whose two values give the real and the imaginary part.
 *
 * The room: exact.c, the tables of its kernels (tables.h), its chunks and price.c on the processor; device.h
 * on GPUs, over all subsets or by a sieve that skips those with a row sum 0. */
#ifndef PERM_EXACT_EXACT_H
#define PERM_EXACT_EXACT_H

#include "perm/exact/kernel.h"
#include "perm/matrix/matrix.h"

enum { PERM_EXACT_MOST_CHUNKS = 1 << 14 };

/* A permanent ready to be computed. Read-only after init; any number of threads may run it. */
typedef struct perm_exact {
    const perm_exact_kernel *kernel;
    int64_t problem_count; /* 0 when the permanent is 0 for its structure */
    perm_exact_problem *problem;
    double *tables;        /* what the problems point into */
    int64_t residue_count; /* numbers of a chunk; complex: two for a prime */
    int64_t *prime, *root; /* of each number; root of -1, negative for the second number of a prime */
    bool is_complex;
    mpz_t factor;     /* permanent = sum times factor … */
    int64_t exponent; /* … times 2^exponent */
    int64_t halves;   /* sum = signed sum modulo the primes times 2^-halves */
    bool is_negative; /* … times -1 */
    int64_t chunk_count, chunk_blocks;
    double chunk_subsets; /* a chunk's share of the work, in subsets */
    double seconds;       /* expected on one core */
    bool is_ready;        /* there is something to free */
} perm_exact;

/* All kernels, ended by NULL. */
const perm_exact_kernel *const *perm_exact_kernels(void);

/* Prepares the permanent of a matrix, which is not kept. n up to 63, else BASE_FAILED; `kernel` NULL: the
 * fastest; BASE_USAGE when there is none of that name or it does not fit. */
base_status perm_exact_init(base_context *context, const perm_matrix *matrix, const char *kernel,
                            perm_exact *exact);
/* The same modulo one prime that perm_exact_init does not use, for perm_exact_agrees. */
base_status perm_exact_init_check(base_context *context, const perm_matrix *matrix, const char *kernel,
                                  perm_exact *exact);
void perm_exact_free(perm_exact *exact); /* NULL is allowed */

/* Computes chunks first … first+count-1 into residue[0 … count·residue_count-1] on context->threads threads;
 * numbers from 0 to their prime - 1 that depend on the matrix only. Adds subsets to the progress. */
void perm_exact_run(base_context *context, const perm_exact *exact, int64_t first, int64_t count,
                    int64_t *residue);

/* The permanent from the numbers of all chunks. */
base_status perm_exact_fold(base_context *context, const perm_exact *exact, const int64_t *residue,
                            perm_value *value);

/* Whether an exact value is the permanent modulo the primes of `exact`, from the numbers of all its chunks.
 */
base_status perm_exact_agrees(base_context *context, const perm_exact *exact, const int64_t *residue,
                              const perm_value *value, bool *agrees);

/* All of it. */
base_status perm_exact_permanent(base_context *context, const perm_matrix *matrix, const char *kernel,
                                 perm_value *value);

#endif
