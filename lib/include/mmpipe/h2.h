/* SPDX-License-Identifier: BSD-3-Clause */
/* H2 matrices: a cluster tree over points, nested bases, coupling blocks between clusters that are far apart,
 * dense blocks between the others. h2-build(1), h2-mv(1), h2-orthog(1), h2-compress(1). */
#ifndef MMPIPE_H2_H
#define MMPIPE_H2_H

#include <mmpipe/record.h>

MMPIPE_BEGIN

typedef struct mmpipe_h2 mmpipe_h2;

/* Begin with = {.size = sizeof (mmpipe_h2_build_options)}; what is 0 or NULL has a default. */
typedef struct mmpipe_h2_build_options {
    size_t size;
    const char *function; /* "exponential" (default), "gaussian", "matern32", "matern52", "inverse", "log",
                             "helmholtz" or "convection" */
    double length;        /* of the function (0.1) */
    double nugget;        /* added to the diagonal (0) */
    double eta;           /* admissibility (0.6, 0.9 or 1, by the dimension of the points) */
    int64_t order;        /* Chebyshev points per dimension (8, in three dimensions 4) */
    int64_t leaf_size;    /* most points of a leaf (64) */
    bool full;            /* store both triangles of a symmetric matrix */
    bool single;          /* numbers in binary32 */
} mmpipe_h2_build_options;

/* Of `n` points of `dim` (1, 2 or 3) coordinates, point after point. */
MMPIPE_API mmpipe_status mmpipe_h2_build(mmpipe_context *context, const double *point, int64_t n, int64_t dim,
                                         const mmpipe_h2_build_options *options, mmpipe_h2 **h2);
/* From a record of kind MMPIPE_H2, which is empty after it; and back: the H2 matrix is empty after it. Both
 * are still the caller's to free. */
MMPIPE_API mmpipe_status mmpipe_h2_from_record(mmpipe_context *context, mmpipe_record *record,
                                               mmpipe_h2 **h2);
MMPIPE_API mmpipe_status mmpipe_h2_to_record(mmpipe_context *context, mmpipe_h2 *h2, mmpipe_record **record);
MMPIPE_API void mmpipe_h2_free(mmpipe_h2 *h2);

typedef struct mmpipe_h2_info {
    int64_t n, dim, levels, most_rank;
    int64_t bytes;         /* of bases and blocks */
    bool symmetric;        /* only half of the blocks are stored */
    bool orthogonal;       /* bases have orthonormal columns */
    bool single;           /* numbers in binary32 */
    double compress_error; /* bound of the Frobenius error of compressions so far */
} mmpipe_h2_info;
MMPIPE_API void mmpipe_h2_get_info(const mmpipe_h2 *h2, mmpipe_h2_info *info);

/* y = alpha op(A) x + beta y; x and y are n x vectors, column by column, in the order of the points. The same
 * bits for any number of threads. */
MMPIPE_API mmpipe_status mmpipe_h2_multiply(mmpipe_context *context, const mmpipe_h2 *h2, bool transposed,
                                            double alpha, const double *x, double beta, double *y,
                                            int64_t vectors);
/* The same with x and y in the memory of the context's first device, where the matrix stays until it changes.
 * x is finished or made in the legacy default stream; y is complete on return. */
MMPIPE_API mmpipe_status mmpipe_h2_multiply_resident(mmpipe_context *context, mmpipe_h2 *h2, bool transposed,
                                                     double alpha, const double *x, double beta, double *y,
                                                     int64_t vectors);

/* Gives orthonormal bases. */
MMPIPE_API mmpipe_status mmpipe_h2_orthogonalize(mmpipe_context *context, mmpipe_h2 *h2);

typedef enum mmpipe_h2_rule {
    MMPIPE_H2_RELATIVE, /* keep singular values above the tolerance times the largest of the cluster */
    MMPIPE_H2_ABSOLUTE, /* times the 2-norm of the matrix */
    MMPIPE_H2_FROBENIUS /* change the matrix by at most the tolerance times its Frobenius norm */
} mmpipe_h2_rule;

/* Truncates orthonormal bases (MMPIPE_FAILED without). `norm` and `error`, which may be NULL, get the
 * Frobenius norm of the coupling blocks and a bound of the change. */
MMPIPE_API mmpipe_status mmpipe_h2_compress(mmpipe_context *context, mmpipe_h2 *h2, double tolerance,
                                            mmpipe_h2_rule rule, double *norm, double *error);

/* The relative error of a product with a random vector in `rows` random rows, against the function itself. */
MMPIPE_API mmpipe_status mmpipe_h2_sample_error(mmpipe_context *context, const mmpipe_h2 *h2, int64_t rows,
                                                double *error);

MMPIPE_END

#endif
