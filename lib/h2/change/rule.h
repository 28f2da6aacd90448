/* SPDX-License-Identifier: BSD-3-Clause */
/* Which singular values a tolerance keeps, and how they are found: what compression on the CPU and on a
 * device have in common. */
#ifndef H2_CHANGE_RULE_H
#define H2_CHANGE_RULE_H

#include "h2/matrix/matrix.h"
#include "h2/matrix/phases.h"

/* Which singular values σ of a node's weighted basis, the largest being σ₁, are kept. */
typedef enum h2_rule {
    H2_RELATIVE, /* σ > tolerance·σ₁ */
    H2_ABSOLUTE, /* σ > tolerance·|A|₂ */
    H2_FROBENIUS /* the fewest for which the whole matrix changes by at most tolerance·|A|, in the Frobenius
                    norm of its coupling blocks, as far as rounding allows */
} h2_rule;

typedef enum h2_factor {
    H2_AUTO, /* Gram where it can resolve the tolerance */
    H2_HOUSEHOLDER,
    H2_GRAM
} h2_factor;

/* How a node's new basis is found. */
typedef enum h2_method {
    H2_SVD,       /* the leading singular vectors: the smallest rank */
    H2_PIVOTED_QR /* those of a pivoted QR factorization: quicker, ranks some larger; in the rules stands what
                     the whole remainder is in the Frobenius norm instead of σ, and the first row's for σ₁ */
} h2_method;

typedef struct h2_compress_options {
    double tolerance;
    h2_rule rule;
    h2_factor factor;
    h2_method method;
    bool level_ranks;  /* each node of a level keeps as many as the one that needs most, if it has them */
    h2_phases *phases; /* weights to the leaves, bases to the root and all blocks are noted there; or NULL */
} h2_compress_options;

typedef struct h2_compression {
    bool gram;
    double norm;  /* Frobenius norm of what the coupling blocks stand for */
    double norm2; /* |A|₂, with the absolute rule */
    double error; /* bound of the Frobenius norm of the change, rounding included */
} h2_compression;

enum { H2_POWER_STEPS = 15 };

/* Singular values below this part of the threshold are not resolved; their squares count as cut off. */
static const double h2_negligible = 0.3;

/* Part of the trace of a binary64 Gram matrix that is rounding. */
static const double h2_gram_rounding = 1e-15;

/* BASE_FAILED, BASE_USAGE for what cannot be compressed. */
base_status h2_compress_check(base_context *context, const h2_matrix *matrix,
                              const h2_compress_options *options);

/* What the rule compares at a node, of compression->norm and ->norm2, and how finely that must be resolved,
 * relative to the node's largest singular value. */
void h2_compress_threshold(const h2_matrix *matrix, const h2_compress_options *options,
                           const h2_compression *compression, double *threshold, double *resolution);

/* What rounding changes at most, in the Frobenius norm: 4 levels √rank roundings of the norm of the coupling
 * blocks, with the largest rank, the levels that have one, and 2^-24 or 2^-53 a rounding.
 *
 * On each level and each side two products of matrices of norm at most 1 are rounded, new vectors are
 * orthonormal up to rounding, and they are stored; what goes wrong with a basis on one level is there on all
 * levels above. Roundings of a sum of k terms are taken to be independent: they add up to √k of them, not k
 * (Higham, Mary: A new approach to probabilistic rounding error analysis, SIAM J. Sci. Comput. 41, 2019), of
 * half a unit each. On a device, which computes in binary64 whatever is stored, less is rounded. */
double h2_compress_rounding(const h2_matrix *matrix, double norm);

/* Sets compression->error from ->norm and the squares of the singular values that rows and columns lost. */
void h2_compress_set_error(const h2_matrix *matrix, double row_square, double col_square,
                           h2_compression *compression);

/* Whether to take Gram matrices of numbers of so many bytes. BASE_USAGE where they are asked for and do not
 * resolve the tolerance. */
base_status h2_compress_choose_factor(base_context *context, int64_t value_bytes,
                                      const h2_compress_options *options, double resolution, bool *gram);

/* At which part of the square of a factor's first row, or at which square, a pivoted factorization of a
 * node's weighted basis may end. */
void h2_compress_resolution(h2_rule rule, h2_method method, double threshold, double *relative,
                            double *absolute);

/* The shape of the result. */
h2_shape h2_compress_shape(const h2_matrix *matrix, const int64_t *row_rank, const int64_t *col_rank,
                           double error);

#endif
