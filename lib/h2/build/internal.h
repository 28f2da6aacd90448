/* SPDX-License-Identifier: BSD-3-Clause */
/* What building an H² matrix takes, on the CPU and on a device. */
#ifndef H2_BUILD_INTERNAL_H
#define H2_BUILD_INTERNAL_H

#include "h2/build/build.h"

enum { H2_MOST_ORDER = 24 };

/* Interpolation on [-1, 1]: its points and 1/Π(own point - others). */
typedef struct h2_interpolation {
    int64_t order, rank, dim;
    double point[H2_MOST_ORDER], weight[H2_MOST_ORDER];
} h2_interpolation;

typedef struct h2_builder {
    const h2_build_options *options;
    h2_matrix *matrix;
    double *box; /* of each node: low[dim], high[dim], with some extent everywhere */
    h2_interpolation interpolation;
} h2_builder;

/* Checks, tree, structure, and the matrix with room for its numbers, which are not set. */
base_status h2_builder_open(base_context *context, const double *point, int64_t n, int64_t dim,
                            const h2_build_options *options, h2_matrix *matrix, h2_builder *builder);
void h2_builder_close(h2_builder *builder); /* a zeroed one is allowed */

/* Sets all numbers, on the CPU. */
base_status h2_fill(base_context *context, h2_builder *builder);

#endif
