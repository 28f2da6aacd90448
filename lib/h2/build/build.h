/* SPDX-License-Identifier: BSD-3-Clause */
/* H² matrices from points and a function, by Chebyshev interpolation.
 *
 * build.c checks, makes tree and structure and asks for room; fill.c computes the numbers on the CPU,
 * device/build.h on a device. Source: Boukaram, Turkiyyah, Keyes 2019, section 3; Börm 2010, chapter 4. */
#ifndef H2_BUILD_BUILD_H
#define H2_BUILD_BUILD_H

#include "h2/matrix/matrix.h"

typedef struct h2_build_options {
    h2_function function;
    const double *given; /* n × n, row by row: the matrix itself, instead of a function's; NULL: none */
    double nugget;       /* added to the diagonal */
    double eta;          /* 0: by the dimension of each cluster's points (h2_admission) */
    int64_t order; /* points of interpolation per dimension; 0: 8 in one and two dimensions, 4 in three */
    int64_t leaf_size;
    h2_split split;
    h2_admissibility admissibility;
    bool full;   /* store both triangles of a symmetric matrix */
    bool single; /* binary32 */
} h2_build_options;

extern const h2_build_options h2_build_default;

/* BASE_USAGE when no matrix can be built so. */
base_status h2_build_check(base_context *context, const h2_build_options *options);

/* `point`: n × dim. In each cluster's box, widened where it has no extent, a function is interpolated at
 * order^dim tensor Chebyshev points: the leaves' bases are the Lagrange polynomials at their points, the
 * transfers those of the parent at the child's points, a coupling block the function between the points of
 * two boxes. Costs rank² evaluations a coupling block, points² a dense one.
 *
 * Of a given matrix blocks are what they are, and bases the identity: nothing is lost or saved before it is
 * compressed. For small ones, as ranks are as large as clusters. */
base_status h2_build(base_context *context, const double *point, int64_t n, int64_t dim,
                     const h2_build_options *options, h2_matrix *matrix);

#endif
