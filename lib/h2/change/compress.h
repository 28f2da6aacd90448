/* SPDX-License-Identifier: BSD-3-Clause */
/* Compression: smaller bases to a tolerance. */
#ifndef H2_CHANGE_COMPRESS_H
#define H2_CHANGE_COMPRESS_H

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

/* The matrix in truncated bases, which are the leading left singular vectors of the weighted ones, from the
 * leaves to the root (Boukaram, Turkiyyah, Keyes 2019, algorithms 9 and 10; Börm 2010, chapter 6). The bases
 * must be orthonormal (BASE_FAILED). BASE_USAGE when Gram is asked for below its limit.
 *
 * What is cut off at the nodes lies in orthogonal spaces, so the squares of all σ that were not kept add up
 * to that of the rows' part of the change, and as much again bounds the columns' of a symmetric matrix;
 * without symmetry the columns' bases are truncated by themselves. compression->error is the root of that
 * sum, and 4 levels √rank roundings of the norm for the arithmetic and for storing the new numbers. Memory:
 * new bases and coupling blocks, and rank² numbers a node. */
base_status h2_compress(base_context *context, h2_matrix *matrix, const h2_compress_options *options,
                        h2_compression *compression);

#endif
