/* SPDX-License-Identifier: BSD-3-Clause */
/* Point sets of the benchmarks of H2 matrices. */
#ifndef PIPELINES_BENCH_GRID_H
#define PIPELINES_BENCH_GRID_H

#include <inttypes.h>
#include <stdlib.h>

/* A regular grid of 2^log2_n points on the unit cube of `dim` (at most 3) dimensions, point by point, the
 * first coordinate running fastest. The caller frees it. */
static inline double *bench_grid(int dim, int log2_n) {
    const int64_t n = INT64_C(1) << log2_n;
    double *point = malloc((size_t)(n * dim) * sizeof *point);
    if (point == NULL)
        abort();
    int64_t edge[3] = {1, 1, 1};
    for (int bit = 0; bit < log2_n; bit++)
        edge[bit % dim] *= 2;
    for (int64_t i = 0; i < n; i++)
        for (int64_t axis = 0, rest = i; axis < dim; rest /= edge[axis++])
            point[i * dim + axis] = (double)(rest % edge[axis]) / (double)(edge[axis] - 1);
    return point;
}

#endif
