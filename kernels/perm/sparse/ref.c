/* SPDX-License-Identifier: BSD-3-Clause */
/* The sum of kernel.h without tables, as in Elbek and Kaya, "Fully-automated code generation for
 * efficient computation of sparse matrix permanents on GPUs", algorithm 1: all subsets in Gray code order, a
 * column's entries and n multiplications for each. */
#include "perm/sparse/kernel.h"

#include <math.h>
#include <string.h>

static double fits(const perm_sparse_problem *problem, unsigned features) {
    (void)features;
    return 1e-9 * PERM_SPARSE_LANES * (double)(problem->n + 4) * (double)(INT64_C(1) << problem->low) *
           (problem->is_complex ? 4 : 1);
}

static void flip(const perm_sparse_problem *problem, int64_t column, bool up, double *x) {
    const int parts = problem->is_complex ? 2 : 1;
    for (int64_t e = problem->column_start[column]; e < problem->column_start[column + 1]; e++)
        for (int part = 0; part < parts; part++) {
            const double twice = problem->twice[e * parts + part];
            x[problem->row[e] * parts + part] += up ? twice : -twice;
        }
}

static void multiply_rows(const perm_sparse_problem *problem, const double *x, double product[2]) {
    product[0] = x[0];
    product[1] = problem->is_complex ? x[1] : 0;
    for (int64_t i = 1; i < problem->n; i++)
        if (problem->is_complex) {
            const double re = product[0], im = product[1];
            product[0] = re * x[2 * i] - im * x[2 * i + 1];
            product[1] = re * x[2 * i + 1] + im * x[2 * i];
        } else {
            product[0] *= x[i];
        }
}

static void two_sum(double *high, double *low, double value) {
    const double sum = *high + value, rest = sum - *high;
    *low += (*high - (sum - rest)) + (value - rest);
    *high = sum;
}

static void run_lane(const perm_sparse_problem *problem, int64_t number, int lane, perm_sparse_sums *sums) {
    const int64_t inside = problem->low + problem->middle, subsets = INT64_C(1) << inside;
    double x[2 * PERM_SPARSE_LARGEST];
    memcpy(x, problem->start, (size_t)problem->n * (problem->is_complex ? 2 : 1) * sizeof *x);
    for (int64_t b = 0; b < problem->n - 1 - inside; b++)
        if (number >> b & 1)
            flip(problem, inside + b, true, x);
    for (int64_t subset = 0; subset < subsets; subset++) {
        double product[2];
        if (subset > 0) {
            const int bit = __builtin_ctzll((uint64_t)subset);
            flip(problem, bit, (subset ^ subset >> 1) >> bit & 1, x);
        }
        multiply_rows(problem, x, product);
        for (int part = 0; part < 2; part++)
            two_sum(&sums->high[part][lane], &sums->low[part][lane],
                    subset % 2 != 0 ? -product[part] : product[part]);
        sums->magnitude[lane] += hypot(product[0], product[1]);
    }
}

static void run(const perm_sparse_problem *problem, int64_t first, double *work, perm_sparse_sums *sums) {
    (void)work;
    memset(sums, 0, sizeof *sums);
    for (int lane = 0; lane < PERM_SPARSE_LANES; lane++)
        run_lane(problem, first + lane, lane, sums);
}

const perm_sparse_kernel perm_sparse_ref = {"sparse-ref", "cpu", false, fits, run};

/* ---- modulo a prime ---- */

static double fits_modular(const perm_sparse_problem *problem, unsigned features) {
    return problem->prime != 0 ? 11 * fits(problem, features) : 0;
}

static void run_lane_modular(const perm_sparse_problem *problem, int64_t number, int lane,
                             perm_sparse_sums *sums) {
    const int64_t inside = problem->low + problem->middle, subsets = INT64_C(1) << inside;
    double x[PERM_SPARSE_LARGEST];
    int64_t sum = 0;
    memcpy(x, problem->start, (size_t)problem->n * sizeof *x);
    for (int64_t b = 0; b < problem->n - 1 - inside; b++)
        if (number >> b & 1)
            flip(problem, inside + b, true, x);
    for (int64_t subset = 0; subset < subsets; subset++) {
        __int128 product = subset % 2 != 0 ? -1 : 1;
        if (subset > 0) {
            const int bit = __builtin_ctzll((uint64_t)subset);
            flip(problem, bit, (subset ^ subset >> 1) >> bit & 1, x);
        }
        for (int64_t i = 0; i < problem->n; i++)
            product = product * (int64_t)x[i] % problem->prime;
        sum = (sum + (int64_t)product) % problem->prime;
    }
    sums->high[0][lane] = (double)sum;
}

static void run_modular(const perm_sparse_problem *problem, int64_t first, double *work,
                        perm_sparse_sums *sums) {
    (void)work;
    memset(sums, 0, sizeof *sums);
    for (int lane = 0; lane < PERM_SPARSE_LANES; lane++)
        run_lane_modular(problem, first + lane, lane, sums);
}

const perm_sparse_kernel perm_sparse_exact_ref = {"sparse-exact-ref", "cpu", false, fits_modular,
                                                  run_modular};
