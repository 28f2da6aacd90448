/* SPDX-License-Identifier: BSD-3-Clause */
/* The walk over the subsets of problem.h that the kernels for dense permanents share: row sums that change by
 * a column from block to block, and their products. The file of each instruction set includes it after
 * defining
 *
 *     DENSE_TARGET     the function attribute that turns the instructions on, or nothing
 *     DENSE_WIDTH      doubles in a vector: 2, 4 or 8
 *     DENSE_REAL       products that fit into the registers: 2, 4, 8 or 16
 *     DENSE_PARTS      numbers that make an x, at most; 2 if it is not defined
 *
 * Cost: one addition and one multiplication for a (row, subset) pair. Lanes are subsets, so that nothing is
 * added across a vector, and a product stays in its register for all rows. The x of the products in registers
 * come from the row's first x in a tree: an addition each, and no chain longer than log2 of their number. */
#include "perm/common/vector_body.h"

#include <string.h>

enum { GROUPS = PERM_DENSE_LANES / DENSE_WIDTH, PRODUCTS = 1 << PERM_DENSE_INNER };

#ifndef DENSE_PARTS
#define DENSE_PARTS 2
#endif

typedef struct walk {
    vector x[PERM_DENSE_LARGEST * DENSE_PARTS * GROUPS];           /* [row][part][group] */
    double offset[PRODUCTS / 2][PERM_DENSE_LARGEST * DENSE_PARTS]; /* [piece][part][row], see fill_offsets */
} walk;

/* x of the block before the first one: the first block adds nothing to it. */
DENSE_INLINE void start_lanes(const perm_dense_problem *problem, int64_t first, walk *walk) {
    const int64_t n = problem->n, parts = perm_dense_parts(problem);
    const uint64_t gray = (uint64_t)(first ^ first >> 1);
    for (int64_t row = 0; row < n; row++)
        for (int64_t part = 0; part < parts; part++) {
            double x = problem->start[part * n + row], lane_x[PERM_DENSE_LANES];
            for (int64_t k = 0; k < n - 1 - PERM_DENSE_FIRST; k++)
                if (gray >> k & 1)
                    x += problem->up[((PERM_DENSE_FIRST + k) * parts + part) * n + row];
            lane_x[0] = x;
            for (unsigned lane = 1; lane < PERM_DENSE_LANES; lane++)
                lane_x[lane] =
                    lane_x[lane & (lane - 1)] +
                    problem->up[((PERM_DENSE_INNER + __builtin_ctz(lane)) * parts + part) * n + row];
            memcpy(&walk->x[(row * parts + part) * GROUPS], lane_x, sizeof lane_x);
        }
}

/* Fewer products than 16 in the registers: the rows are gone through once for each piece of the block, piece
 * p with the inner columns above the registers set as in the bits of p. */
DENSE_INLINE void fill_offsets(const perm_dense_problem *problem, int products, walk *walk) {
    const int64_t n = problem->n, parts = perm_dense_parts(problem);
    const int inside = __builtin_ctz((unsigned)products);
    memset(walk->offset[0], 0, sizeof walk->offset[0]);
    for (unsigned piece = 1; piece < (unsigned)(PRODUCTS / products); piece++)
        for (int64_t at = 0; at < parts * n; at++)
            walk->offset[piece][at] = walk->offset[piece & (piece - 1)][at] +
                                      problem->up[(inside + __builtin_ctz(piece)) * parts * n + at];
}

/* What x gains from block-1 to block. */
DENSE_INLINE const double *find_step(const perm_dense_problem *problem, int64_t block) {
    const int64_t bit = __builtin_ctzll((uint64_t)block), parts = perm_dense_parts(problem);
    const bool up = (block ^ block >> 1) >> bit & 1;
    return (up ? problem->up : problem->down) + (PERM_DENSE_FIRST + bit) * parts * problem->n;
}

DENSE_INLINE vector magnitude(vector value) {
    return (vector)((vector_bits)value & INT64_MAX);
}

/* Multiplies row `row` into the products, or starts them with it; `keep`: x + step is the new x. */
DENSE_INLINE void multiply_row_real(const double *inner, vector *x, const double *step, bool keep,
                                    int64_t row, bool start, vector *product) {
    vector sum[DENSE_REAL];
    sum[0] = x[row * GROUPS] + step[row];
    if (keep)
        x[row * GROUPS] = sum[0];
    DENSE_UNROLL
    for (unsigned k = 0; k < DENSE_REAL; k++) {
        if (k > 0)
            sum[k] = sum[k & (k - 1)] + inner[row * PERM_DENSE_INNER + __builtin_ctz(k)];
        product[k] = start ? sum[k] : product[k] * sum[k];
    }
}

/* The products over rows first … end-1 of one lane group. */
DENSE_INLINE void multiply_real(const perm_dense_problem *problem, vector *x, const double *step, bool keep,
                                int64_t first, int64_t end, vector *product) {
    vector result[DENSE_REAL];
    multiply_row_real(problem->inner, x, step, keep, first, true, result);
    for (int64_t row = first + 1; row < end; row++)
        multiply_row_real(problem->inner, x, step, keep, row, false, result);
    memcpy(product, result, sizeof result);
}
