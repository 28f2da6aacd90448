/* SPDX-License-Identifier: BSD-3-Clause */
/* Compression: smaller bases to a tolerance. */
#ifndef H2_CHANGE_COMPRESS_H
#define H2_CHANGE_COMPRESS_H

#include "h2/change/rule.h"

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
