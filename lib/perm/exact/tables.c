/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/exact/tables.h"
#include "base/core/random.h"

#include <math.h>
#include <string.h>

/* The sum of |entries| of a real row, halved if it is even; infinite if a row is complex or too large. */
static double row_size(const perm_integers *integers, int64_t i, bool *is_even) {
    double size = 0;
    for (int64_t at = i; at < integers->n * integers->n; at += integers->n) {
        if (integers->is_complex && mpz_sgn(integers->part[1][at]) != 0)
            return INFINITY;
        if (mpz_sizeinbase(integers->part[0][at], 2) > PERM_EXACT_LOG2_FACTOR + 1)
            return INFINITY;
        size += fabs(mpz_get_d(integers->part[0][at]));
    }
    *is_even = fmod(size, 2) == 0;
    size = *is_even ? size / 2 : size;
    return size <= PERM_EXACT_FACTOR ? size : INFINITY;
}

bool perm_exact_are_words(const perm_integers *integers) {
    bool is_even;
    for (int64_t i = 0; i < integers->n; i++)
        if (isinf(row_size(integers, i, &is_even)))
            return false;
    return true;
}

int64_t perm_exact_table_length(const perm_integers *integers) {
    return (integers->n + 1 + PERM_DENSE_INNER) * integers->n * 2;
}

/* (re + root im) modulo the prime, nearest to 0. */
static double residue_of(const perm_integers *integers, int64_t at, int64_t prime, int64_t root) {
    __int128 residue = (__int128)mpz_fdiv_ui(integers->part[0][at], (unsigned long)prime);
    if (integers->is_complex)
        residue += (__int128)mpz_fdiv_ui(integers->part[1][at], (unsigned long)prime) * root;
    residue %= prime;
    residue += residue < 0 ? prime : 0;
    return (double)(residue > prime / 2 ? residue - prime : residue);
}

/* Groups whose products fit, by first fit from the largest: position[k] is the row that stands at k. Rows of
 * infinite size stand alone. */
static void group_rows(const double *size, int64_t n, int64_t *position, perm_exact_problem *problem) {
    int64_t order[PERM_DENSE_LARGEST], group_of[PERM_DENSE_LARGEST], end = 0;
    double product[PERM_DENSE_LARGEST];
    for (int64_t k = 0; k < n; k++) {
        int64_t at = k;
        for (; at > 0 && size[order[at - 1]] < size[k]; at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
    problem->group_count = 0;
    for (int64_t k = 0; k < n; k++) {
        int64_t g = 0;
        while (g < problem->group_count && !(product[g] * size[order[k]] <= PERM_EXACT_FACTOR))
            g++;
        if (g == problem->group_count)
            product[problem->group_count++] = 1;
        product[g] *= size[order[k]];
        group_of[order[k]] = g;
    }
    for (int64_t g = 0; g < problem->group_count; g++) {
        for (int64_t i = 0; i < n; i++)
            if (group_of[i] == g)
                position[end++] = i;
        problem->group_end[g] = end;
    }
}

/* The share of 512 random subsets in which a row sum is 0. */
static double sample_zeros(const perm_dense_problem *sum, int64_t rows) {
    enum { SAMPLES = 512 };
    int64_t zeros = 0;
    for (int sample = 0; sample < SAMPLES; sample++) {
        uint32_t bits[4];
        double x[PERM_DENSE_LARGEST];
        bool is_zero = false;
        base_random_block(0, 0, (uint64_t)sample, bits);
        const uint64_t plus = (uint64_t)bits[0] << 32 | bits[1];
        memcpy(x, sum->start, (size_t)sum->n * sizeof *x);
        for (int64_t j = 0; j < sum->n - 1; j++)
            for (int64_t i = 0; plus >> j & 1 && i < sum->n; i++)
                x[i] += sum->up[j * sum->n + i];
        for (int64_t i = 0; i < rows; i++)
            is_zero = is_zero || x[i] == 0;
        zeros += is_zero;
    }
    return (double)zeros / SAMPLES;
}

static void fill_row(const double *a, int64_t n, int64_t k, bool halve, double *start, double *inner,
                     double *up, double *down) {
    const double scale = halve ? 0.5 : 1;
    start[k] = 0;
    for (int64_t j = 0; j < n; j++) {
        const double step = 2 * scale * a[j];
        start[k] += scale * (j == n - 1 ? a[j] : -a[j]);
        up[j * n + k] = step;
        down[j * n + k] = -step;
        if (j < PERM_DENSE_INNER)
            inner[k * PERM_DENSE_INNER + j] = step;
    }
}

void perm_exact_fill(const perm_integers *integers, int64_t prime, int64_t root, double *tables,
                     perm_exact_problem *problem, int64_t *halves) {
    const int64_t n = integers->n;
    double *start = tables, *inner = start + n, *up = inner + n * PERM_DENSE_INNER, *down = up + n * n;
    double size[PERM_DENSE_LARGEST];
    bool is_even[PERM_DENSE_LARGEST] = {false};
    int64_t position[PERM_DENSE_LARGEST];
    memset(problem, 0, sizeof *problem);
    problem->sum = (perm_dense_problem){n, false, false, start, inner, up, down};
    problem->is_small = true;
    *halves = 0;
    for (int64_t i = 0; i < n; i++)
        size[i] = row_size(integers, i, &is_even[i]);
    group_rows(size, n, position, problem);
    for (int64_t k = 0; k < n; k++) {
        const int64_t i = position[k];
        double a[PERM_DENSE_LARGEST];
        for (int64_t j = 0; j < n; j++)
            a[j] = isinf(size[i]) ? residue_of(integers, j * n + i, prime, root)
                                  : mpz_get_d(integers->part[0][j * n + i]);
        const bool halve = is_even[i] && !isinf(size[i]);
        fill_row(a, n, k, halve, start, inner, up, down);
        *halves += halve;
        problem->is_small = problem->is_small && size[i] <= 127;
    }
    problem->zeros = problem->is_small ? sample_zeros(&problem->sum, n) : 0;
}
