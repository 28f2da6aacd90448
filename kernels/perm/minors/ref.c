/* SPDX-License-Identifier: BSD-3-Clause */
/* The sums of kernel.h as they are written there, for tests: every x from scratch, every product
 * alone. */
#include "perm/minors/kernel.h"

#include <math.h>
#include <string.h>

static double fits(const perm_minors_problem *problem, unsigned features) {
    (void)features;
    return (double)(problem->sum.n * problem->sum.n) * perm_dense_units(&problem->sum) * 1e-8;
}

static double row_sum(const perm_dense_problem *sum, int64_t row, uint64_t plus) {
    double x = sum->start[row];
    for (int64_t column = 0; column < sum->n - 1; column++)
        if (plus >> column & 1)
            x += sum->up[column * sum->n + row];
    return x;
}

/* The product of all x but that of `row`, with its sign. */
static double multiply_others(const perm_minors_problem *problem, int64_t row, uint64_t plus, double sign) {
    double product = sign;
    for (int64_t k = 0; k < problem->sum.n; k++) {
        const double x = row_sum(&problem->sum, k, plus);
        if (k != row)
            product = problem->prime != 0
                          ? (double)((int64_t)((__int128)(int64_t)product * (int64_t)x % problem->prime))
                          : product * x;
    }
    return product;
}

static void add_to(const perm_minors_problem *problem, double value, double *high, double *low) {
    const double sum = *high + value, rest = sum - *high;
    *low += (*high - (sum - rest)) + (value - rest);
    *high = problem->prime != 0 ? fmod(sum, (double)problem->prime) : sum;
}

static void add_block(const perm_minors_problem *problem, int64_t block, int lane, perm_minors_sums *sums) {
    const int64_t n = problem->sum.n;
    const uint64_t gray = (uint64_t)(block ^ block >> 1);
    for (uint64_t inner = 0; inner < UINT64_C(1) << PERM_MINORS_INNER; inner++) {
        const uint64_t plus = gray << PERM_MINORS_FIRST | (uint64_t)lane << PERM_MINORS_INNER | inner;
        const double sign = __builtin_parityll(gray ^ inner) ? -1 : 1;
        for (int64_t row = 0; row < n; row++) {
            const double q = multiply_others(problem, row, plus, sign);
            for (int64_t column = 0; column < n; column++) {
                const int64_t at = (column * n + row) * PERM_MINORS_LANES + lane;
                const bool up = column == n - 1 || (plus >> column & 1);
                add_to(problem, up ? q : -q, &sums->high[at], &sums->low[at]);
            }
            sums->magnitude[row * PERM_MINORS_LANES + lane] += fabs(q);
        }
    }
}

static void run(const perm_minors_problem *problem, int64_t first, int64_t count, perm_minors_sums *sums) {
    const size_t bytes = (size_t)problem->sum.n * PERM_MINORS_LANES * sizeof(double);
    memset(sums->high, 0, bytes * (size_t)problem->sum.n);
    memset(sums->low, 0, bytes * (size_t)problem->sum.n);
    memset(sums->magnitude, 0, bytes);
    for (int64_t block = first << problem->middle; block < (first + count) << problem->middle; block++)
        for (int lane = 0; lane < PERM_MINORS_LANES; lane++)
            add_block(problem, block, lane, sums);
}

const perm_minors_kernel perm_minors_ref = {"minors-ref", "cpu", fits, run};
