/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps 1, 2 and 4 of dense/dense.h: an exact problem from a matrix of any range.
 *
 * The room: what the sums over subsets of columns (kernels/perm/common/problem.h) share, whoever computes
 * them. scaling.h and perturbation.c put a matrix on a grid on which row sums are exact, and bound what that
 * changes; integers.h and primes.h do without rounding; partial.h is what a chunk of doubles leaves;
 * device_sum.h has devices add up chunks, devices.h says how fast they are. It sees matrix/ and value/. */
#ifndef PERM_SUBSETS_SCALING_H
#define PERM_SUBSETS_SCALING_H

#include "base/core/context.h"
#include "perm/common/problem.h"
#include "perm/matrix/dense_matrix.h"

enum { PERM_DENSE_GRID_BITS = 54 };

/* A matrix on the grid: entry (i, j) of part p is value[(p n + j) n + i] times 2^-54, |x_i| <= 2^53 in these
 * units for either part, and the original matrix had 2^(-row_exponent[i] - column_exponent[j]) times it. */
typedef struct perm_dense_grid {
    int64_t n;
    bool is_complex;
    bool has_low;   /* of doubledouble/doubledouble.h: part 2 p + 1 is the low part of part 2 p, of both
                       together p */
    double *value;  /* whole numbers, but for low parts */
    double *change; /* n^2: |original - value| in the same units, or a little more */
    int64_t row_exponent[64], column_exponent[64];
    bool is_exact; /* no product can exceed 2^49 units of its own last place */
} perm_dense_grid;

/* The matrix has no zero row or column and finite entries. */
base_status perm_dense_grid_init(base_context *context, const perm_dense_matrix *matrix,
                                 perm_dense_grid *grid);
void perm_dense_grid_free(perm_dense_grid *grid);

/* The tables of common/problem.h; *tables is the caller's to free. */
base_status perm_dense_grid_tables(base_context *context, const perm_dense_grid *grid, double **tables,
                                   perm_dense_problem *problem);

/* A bound of how far the change moved the permanent, with entries value times 2^-54. */
double perm_dense_grid_perturbation(const perm_dense_grid *grid);

/* Of each row of the same matrix, the sum of its changes: n of them. */
void perm_dense_grid_changes(const perm_dense_grid *grid, double *change);

/* The same bound for the permanent without row i and any one column: perturbation[i], n of them. */
void perm_dense_grid_perturbation_minors(const perm_dense_grid *grid, double *perturbation);

/* The factor of a row of n entries >= 0 in step 2 of dense/dense.h; sorts them. */
double perm_dense_row_factor(double *row, int64_t n);

#endif
