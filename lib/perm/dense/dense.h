/* SPDX-License-Identifier: BSD-3-Clause */
/* Permanents of dense matrices: the signed sum over 2^(n-1) subsets of Nijenhuis and Wilf (Combinatorial
 * Algorithms, 1978, chapter 23), whose row sums change by one column from a subset to the next in Gray code
 * order. n 2^(n-1) pairs of an addition and a multiplication, in kernels/perm; constant memory.
 *
 * The result carries a bound of its error that holds for certain:
 *
 * 1. Rows and columns are scaled by powers of two, which is exact, towards a doubly stochastic matrix
 *    (Sinkhorn), where the sum cancels least, and so that |x_i| <= 1 for all row sums x_i.
 * 2. The entries of a row are rounded to multiples of 2^-54 of its scale; this is the only change to the
 *    matrix. All row sums are then exact, in any order. With e_ij the size of the change, the permanent
 *    moves by at most sum_i perm(|A| + e with row i replaced by e_i); and for any B >= 0, its rows sorted
 *    so that b_i1 >= b_i2 >= …, and with g(k) = (k!)^(1/k),
 *
 *        perm(B) <= prod_i sum_k b_ik (g(k) - g(k-1)):
 *
 *    write each row as a sum of multiples of 0/1 vectors that hold its k largest places, and apply
 *    Bregman's theorem (1973), perm <= prod_i g(row sum i), to each of the 0/1 matrices.
 *    Nothing of this arises when the entries are integers that fit, for instance.
 * 3. A product of n exact factors is off by at most n-1 roundings, that is by the sum over the subsets of
 *    |product| times (n-1) u, u = 2^-53; complex by sqrt(5) u each (Brent, Percival, Zimmermann, Mathematics
 *    of Computation 76, 2007). The kernels add up |product| for this, at 1/n of the cost. 16 products are
 *    added pairwise (4 u; on a GPU 64, 6 u), the rest by TwoSum (Ogita, Rump, Oishi, SIAM J. Sci. Comput. 26,
 *    2005), which leaves terms in u^2, as Kahan's summation does.
 *    An integer matrix with an error below 1/2 has the integer next to high + low as its permanent.
 * 4. Integers so small that no product can exceed 2^49 give the exact permanent and the bound 0.
 *
 * For entries of both signs step 2 overrates the error by many orders: certify.h has a better bound, and
 * solve/error_sampler.h estimates the error.
 *
 * The room: dense.c, its chunks and price.c on the processor, certify.h; device.h the same chunks on GPUs,
 * pairs.h and tensor.h other forms of the sum there, batch.h the blocks of many records in shared launches.
 */
#ifndef PERM_DENSE_DENSE_H
#define PERM_DENSE_DENSE_H

#include "base/core/context.h"
#include "perm/common/problem.h"
#include "perm/perturbation/kernel.h"
#include "perm/subsets/partial.h"
#include "perm/subsets/scaling.h"

enum {
    PERM_DENSE_MOST_CHUNKS = 1 << 16,
    PERM_DENSE_UNDERFLOW = 450 /* -log2 of what a product that underflows is counted for in certify.h */
};

/* A bound of what step 2 moves the sum, along the sum (certify.h). */
typedef struct perm_dense_certificate {
    const perm_perturbation_kernel *kernel; /* NULL: there is none */
    perm_perturbation_problem problem;
    float *tables; /* what `problem` points into */
    double factor; /* the bound is so many times the sum of the roots */
    double slope;  /* real: twice the largest change of a row, h of certify.h */
} perm_dense_certificate;

/* A permanent ready to be computed. Read-only after perm_dense_init; any number of threads may run it. */
typedef struct perm_dense {
    const perm_dense_kernel *kernel;
    perm_dense_problem problem; /* n at least 8: small matrices stand in the corner of an identity */
    double *tables;             /* what `problem` points into */
    int64_t exponent;           /* permanent = sum times 2^exponent */
    double perturbation;        /* bound of the change of the sum by step 2 and the error of the entries */
    double change[PERM_DENSE_LARGEST]; /* of a row, the sum of |change| */
    perm_dense_certificate certificate;
    bool is_exact;       /* step 4 */
    int64_t chunk_count; /* parts of the sum, depends on n only; 0 when a row or a column is zero */
    int64_t chunk_blocks;
    double chunk_subsets; /* a chunk's share of the work, in subsets */
    double seconds;       /* expected on one core */
} perm_dense;

/* All kernels, ended by NULL: ref, portable, AVX2, AVX-512. */
const perm_dense_kernel *const *perm_dense_kernels(void);

/* Prepares the permanent of a matrix (subsets/scaling.h), which is not kept. n up to 63; 0 gives 1.
 * BASE_FAILED for a larger n, NaN or infinity; BASE_USAGE for the kernel's name. O(n^2) time and memory. */
base_status perm_dense_init(base_context *context, const perm_dense_matrix *matrix, const char *kernel,
                            perm_dense *dense);
void perm_dense_free(perm_dense *dense); /* NULL is allowed */

/* Computes chunks first … first+count-1 into partial[0 … count-1] on context->threads threads. A chunk's
 * numbers depend on the matrix and the kernel only. Adds subsets to the context's progress. */
void perm_dense_run(base_context *context, const perm_dense *dense, int64_t first, int64_t count,
                    perm_dense_partial *partial);

/* |sum of the whole - computed| <= relative_error · (sum of the chunks' magnitudes) + absolute_error, times
 * 2^exponent. With a certificate its bound is in the magnitudes: sum of |product| + bound / relative_error.
 */
void perm_dense_error(const perm_dense *dense, double *relative_error, double *absolute_error);

/* What is added to a chunk's magnitude for a bound of what the entries' changes do to it (certify.h). */
double perm_dense_bound_magnitude(const perm_dense *dense, double bound);

/* Adds up the partials of all chunks. */
void perm_dense_fold(const perm_dense *dense, const perm_dense_partial *partial, perm_dense_result *result);

/* All of it. */
base_status perm_dense_permanent(base_context *context, const perm_dense_matrix *matrix, const char *kernel,
                                 perm_dense_result *result);

#endif
