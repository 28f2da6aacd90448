/* SPDX-License-Identifier: BSD-3-Clause */
/* The sum of kernel.h as it is written there, for tests: every x from scratch, every product modulo
 * every prime in integers. */
#include "perm/exact/kernel.h"

static double fits(const perm_exact_problem *problem, unsigned features) {
    (void)features;
    return (double)(problem->sum.n * problem->prime_count) * perm_dense_units(&problem->sum) * 1e-8;
}

static int64_t row_sum(const perm_dense_problem *sum, int64_t row, uint64_t plus) {
    double x = sum->start[row];
    for (int64_t column = 0; column < sum->n - 1; column++)
        if (plus >> column & 1)
            x += sum->up[column * sum->n + row];
    return (int64_t)x;
}

static int64_t multiply(int64_t a, int64_t b, int64_t prime) {
    return (int64_t)((__int128)a * b % prime);
}

static int64_t multiply_rows(const perm_exact_problem *problem, uint64_t plus, int64_t prime) {
    const int64_t rows = problem->group_end[problem->group_count - 1];
    int64_t product = 1;
    for (int64_t row = 0; row < rows; row++)
        product = multiply(product, row_sum(&problem->sum, row, plus), prime);
    return product;
}

static void run(const perm_exact_problem *problem, int64_t first, int64_t count, int64_t *residue) {
    const uint64_t subsets = UINT64_C(1) << PERM_DENSE_FIRST;
    for (int64_t block = first; block < first + count; block++)
        for (uint64_t low = 0; low < subsets; low++) {
            const uint64_t plus = (uint64_t)(block ^ block >> 1) << PERM_DENSE_FIRST | low;
            for (int64_t p = 0; p < problem->prime_count; p++) {
                const int64_t prime = problem->prime[p], product = multiply_rows(problem, plus, prime);
                residue[p] = (residue[p] + (__builtin_parityll(plus) ? -product : product)) % prime;
                residue[p] += residue[p] < 0 ? prime : 0;
            }
        }
}

const perm_exact_kernel perm_exact_ref = {"exact-ref", "cpu", fits, run};
