/* SPDX-License-Identifier: BSD-3-Clause */
/* The sum of common/problem.h as it is written there, for tests: every x from scratch, every product alone.
 */
#include "perm/common/problem.h"

#include <math.h>
#include <string.h>

enum { PRODUCTS = 1 << PERM_DENSE_INNER };

static double fits(const perm_dense_problem *problem, unsigned features) {
    (void)features;
    return (double)problem->n * perm_dense_units(problem) * 1e-9;
}

/* Sums one part of x_i for the signs in the bits of `plus`. */
static double row_sum(const perm_dense_problem *problem, int part, int64_t row, uint64_t plus) {
    const int64_t n = problem->n, parts = problem->is_complex ? 2 : 1;
    double x = problem->start[part * n + row];
    for (int64_t column = 0; column < n - 1; column++)
        if (plus >> column & 1)
            x += problem->up[(column * parts + part) * n + row];
    return x;
}

static void multiply_rows(const perm_dense_problem *problem, uint64_t plus, double product[2]) {
    product[0] = row_sum(problem, 0, 0, plus);
    product[1] = problem->is_complex ? row_sum(problem, 1, 0, plus) : 0;
    for (int64_t row = 1; row < problem->n; row++) {
        const double x = row_sum(problem, 0, row, plus);
        if (problem->is_complex) {
            const double y = row_sum(problem, 1, row, plus), re = product[0], im = product[1];
            product[0] = fma(-im, y, re * x);
            product[1] = fma(im, x, re * y);
        } else {
            product[0] *= x;
        }
    }
}

/* Neighbours first: differences where signs count, sums where not. */
static double add_pairwise(double *value, double sign) {
    for (int64_t count = PRODUCTS / 2; count > 0; count /= 2)
        for (int64_t k = 0; k < count; k++)
            value[k] = value[2 * k] + sign * value[2 * k + 1];
    return value[0];
}

static void two_sum(double *high, double *low, double value) {
    const double sum = *high + value, rest = sum - *high;
    *low += (*high - (sum - rest)) + (value - rest);
    *high = sum;
}

static void run(const perm_dense_problem *problem, int64_t first, int64_t count, perm_dense_sums *sums) {
    memset(sums, 0, sizeof *sums);
    for (int64_t block = first; block < first + count; block++) {
        const uint64_t gray = (uint64_t)(block ^ block >> 1) << PERM_DENSE_FIRST;
        for (uint64_t lane = 0; lane < PERM_DENSE_LANES; lane++) {
            double value[2][PRODUCTS], magnitude[PRODUCTS];
            for (uint64_t k = 0; k < PRODUCTS; k++) {
                double product[2];
                multiply_rows(problem, gray | lane << PERM_DENSE_INNER | k, product);
                value[0][k] = product[0];
                value[1][k] = product[1];
                magnitude[k] = fabs(product[0]) + fabs(product[1]);
            }
            for (int part = 0; part < 2; part++) {
                const double sum = add_pairwise(value[part], -1);
                two_sum(&sums->high[part][lane], &sums->low[part][lane], block % 2 != 0 ? -sum : sum);
            }
            sums->magnitude[lane] += add_pairwise(magnitude, 1);
        }
    }
}

const perm_dense_kernel perm_dense_ref = {"dense-ref", "cpu", fits, run};
