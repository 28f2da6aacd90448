/* SPDX-License-Identifier: BSD-3-Clause */
/* Permanents in double-double arithmetic, for about 30 digits where the sum does not cancel.
 *
 * Method: the sum over subsets of dense/dense.h, in Nijenhuis and Wilf's form of Ryser's formula
 * (kernels/perm/common/problem.h), with numbers that are sums of two doubles: Dekker, A floating-point
 * technique for extending the available precision (1971); Joldes, Muller, Popescu, Tight and rigorous error
 * bounds for basic building blocks of double-word arithmetic (ACM TOMS 44, 2017).
 *
 * Bound: it holds for certain. The entries are scaled and rounded as in dense/dense.h, here to multiples of
 * 2^-101, so that those that are no doubles count with 101 bits below their row's scale. Every product is off
 * by at most (6 n + 32) 2^-106 of its size (kernels/perm/doubledouble/body.h), complex ones by (34 n + 64)
 * 2^-106 (ref.c there), and the sizes are added up.
 *
 * The room: doubledouble.c scales a matrix and runs chunks by the kernels of kernels/perm/doubledouble,
 * result.c adds up the chunks and their bound, chunks.c makes them a perm_chunked; device.h and
 * device_chunks.c do the same on GPUs; price.c has both methods. It is asked where a sum in doubles may leave
 * too few digits. */
#ifndef PERM_DOUBLEDOUBLE_DOUBLEDOUBLE_H
#define PERM_DOUBLEDOUBLE_DOUBLEDOUBLE_H

#include "perm/doubledouble/kernel.h"
#include "perm/matrix/matrix.h"

/* A permanent ready to be computed. Read-only after init; any number of threads may run it. */
typedef struct perm_dd {
    const perm_dd_kernel *kernel;
    perm_dense_problem problem;
    double *tables;      /* what `problem` points into */
    int64_t exponent;    /* permanent = sum times 2^exponent */
    double perturbation; /* bound of the change of the sum by rounding the entries */
    int64_t chunk_count; /* 0 when a row or a column is zero */
    int64_t chunk_blocks;
    double chunk_subsets; /* a chunk's share of the work, in subsets */
    double seconds;       /* expected on one core */
} perm_dd;

/* What a chunk adds: high + middle + low, real and imaginary, and the sum of |product|, complex |re| + |im|.
 * Plain numbers, to be stored. */
typedef struct perm_dd_partial {
    double high[2], middle[2], low[2], magnitude;
} perm_dd_partial;

/* All kernels, ended by NULL. */
const perm_dd_kernel *const *perm_dd_kernels(void);

/* Prepares the permanent of a matrix, which is not kept. n up to PERM_DENSE_LARGEST; BASE_FAILED for
 * others; `kernel` NULL: the fastest, else BASE_USAGE when it is not there. */
base_status perm_dd_init(base_context *context, const perm_matrix *matrix, const char *kernel, perm_dd *dd);
void perm_dd_free(perm_dd *dd); /* NULL is allowed */

/* Computes chunks first … first+count-1 into partial[0 … count-1] on context->threads threads. */
void perm_dd_run(base_context *context, const perm_dd *dd, int64_t first, int64_t count,
                 perm_dd_partial *partial);

/* Adds a sum in three to the real (0) or imaginary part of a partial, which begins as zero. */
void perm_dd_add(perm_dd_partial *partial, int part, double high, double middle, double low);

/* What one chunk adds, exactly, and the sum of |product| there. The error of the whole is at most
 * relative_error times the sum of the magnitudes, plus absolute_error. */
void perm_dd_chunk(const perm_dd *dd, const perm_dd_partial *partial, perm_value *value,
                   perm_value *magnitude);
void perm_dd_error(const perm_dd *dd, double *relative_error, perm_bound *absolute_error);

/* That relative error, for matrices of order n. */
double perm_dd_relative_error(int64_t n, bool is_complex);

/* All of it. */
base_status perm_dd_permanent(base_context *context, const perm_matrix *matrix, const char *kernel,
                              perm_value *value);

#endif
