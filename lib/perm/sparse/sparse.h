/* SPDX-License-Identifier: BSD-3-Clause */
/* Permanents of sparse matrices by the sum of Nijenhuis and Wilf over the signs of the columns, as
 * dense/dense.h has it: same scaling, same rounding to a grid on which all row sums are exact, same results.
 * What differs is the way through the 2^(n-1) subsets.
 *
 * A few columns are low. For each choice of the others' signs, in Gray code order, the sum over the 2^low
 * signs of the low columns is taken at once: a row with entries in t low columns has 2^t different row sums
 * only, tables of rows are multiplied into tables over the union of their columns as late as possible, and a
 * column is summed out as soon as one table holds all that depends on it. So a subset costs Σ 2^(|U| - low)
 * over all tables U, instead of 2 n operations; often less than one. Which columns are low, and in which
 * order, is searched (search.h). What the low columns do not reach of it is like the hybrid kernel of
 * Elbek and Kaya ("Fully-automated code generation for efficient computation of sparse matrix permanents on
 * GPUs"), which keeps the rows of the fastest columns in registers; with independent low columns the number
 * of subsets itself shrinks to 2^(n-1-low).
 *
 * The bound: a term of the sum goes through n-1 multiplications and low additions, each off by u = 2^-53 at
 * most (complex: 2.25 u), then the sums of dense/dense.h; Σ |terms| comes from the same tables with absolute
 * values where signs could cancel.
 *
 * The room: search.h and tree.h find an order and its price, program.h and compile.c make the instructions
 * that kernels run and device.h prints as code; exact.h is the same modulo primes. chunks.c, exact_chunks.c
 * and device_chunks.c make chunks of it, price.c, exact_price.c and device_price.c are the methods' rows,
 * emit.c prints sources, column_order.h is the order of columns that mm-order --for perm writes. */
#ifndef PERM_SPARSE_SPARSE_H
#define PERM_SPARSE_SPARSE_H

#include "base/core/context.h"
#include "perm/method/prices.h"
#include "perm/sparse/kernel.h"
#include "perm/sparse/program.h"
#include "perm/subsets/partial.h"

enum { PERM_SPARSE_MOST_CHUNKS = 1 << 16 };

/* A permanent ready to be computed. Read-only after perm_sparse_init; any number of threads may run it. */
typedef struct perm_sparse {
    const perm_sparse_kernel *kernel;
    perm_sparse_plan plan;
    perm_sparse_problem problem; /* n at least 8: small matrices stand in the corner of an identity */
    void *memory;                /* what `problem` points into */
    int64_t exponent;            /* permanent = sum times 2^exponent */
    double perturbation;         /* as in dense/dense.h */
    bool is_exact;
    int64_t chunk_count; /* depends on matrix and device; 0 when the permanent is structurally 0 */
    int64_t chunk_runs;
    double chunk_subsets;
    double seconds; /* expected on one core */
} perm_sparse;

/* All kernels, ended by NULL: ref, portable, AVX2, AVX-512, and without tables portable, AVX2, AVX-512. */
const perm_sparse_kernel *const *perm_sparse_kernels(void);

/* Those modulo a prime. */
const perm_sparse_kernel *const *perm_sparse_exact_kernels(void);

/* Prepares the permanent of a matrix, which is not kept. `device`: NULL for the plan's, or the CPU's.
 * `plan`: NULL searches one, or makes one without a search for a kernel that uses no tables; a plan that
 * perm_sparse_plan_make found for the same matrix saves that. Otherwise as perm_dense_init. */
base_status perm_sparse_init(base_context *context, const perm_dense_matrix *matrix, const char *kernel,
                             const perm_sparse_device *device, const perm_sparse_plan *plan,
                             perm_sparse *sparse);

/* The same for integers, real ones up to 2^34 in size, modulo a prime: exact.h runs it. */
base_status perm_sparse_init_modular(base_context *context, const perm_dense_matrix *matrix,
                                     const char *kernel, int64_t prime, const perm_sparse_plan *plan,
                                     perm_sparse *sparse);
void perm_sparse_free(perm_sparse *sparse); /* NULL is allowed */

/* Computes chunks first … first+count-1 into partial[0 … count-1] on context->threads threads. A chunk's
 * numbers depend on matrix, plan and the kernel's fma only. Adds subsets to the context's progress. */
base_status perm_sparse_run(base_context *context, const perm_sparse *sparse, int64_t first, int64_t count,
                            perm_dense_partial *partial);

/* Adds run `number` to its chunk's partial; runs in ascending order. The other way to fill a partial, for
 * runs that a device computed. */
void perm_sparse_add_run(const perm_sparse *sparse, int64_t number, const double high[2], const double low[2],
                         double magnitude, perm_dense_partial *partial);

/* As perm_dense_error. */
void perm_sparse_error(const perm_sparse *sparse, double *relative_error, double *absolute_error);

/* Adds up the partials of all chunks, in their order. */
void perm_sparse_fold(const perm_sparse *sparse, const perm_dense_partial *partial,
                      perm_dense_result *result);

/* All of it. */
base_status perm_sparse_permanent(base_context *context, const perm_dense_matrix *matrix, const char *kernel,
                                  perm_dense_result *result);

/* ---- what the planner asks before it decides to search an order ---- */

extern const perm_method perm_sparse_method;

/* Whether tables save nothing. */
bool perm_sparse_has_few_zeros(const perm_matrix *matrix);

/* What the sum over tables takes before a long search, about; 0: not known, n is out of range. */
base_status perm_sparse_guess_seconds(base_context *context, perm_prices *prices, double *seconds);

#endif
