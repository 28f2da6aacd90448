/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/hard_matrices.h"

#include <math.h>

static base_random *numbers;

static double uniform(double from, double to) {
    return from + (to - from) * base_random_uniform(numbers);
}

static double random_sign(void) {
    return base_random_below(numbers, 2) == 0 ? -1 : 1;
}

static double normal(void) {
    return sqrt(-2 * log(1 - base_random_uniform(numbers))) * cos(2 * M_PI * base_random_uniform(numbers));
}

/* a[i][j] */
typedef double real_matrix[HARD_LARGEST][HARD_LARGEST];

static void fill_uniform(int n, real_matrix a) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = uniform(-1, 1);
}

static void fill_normal(int n, real_matrix a) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = normal();
}

static void fill_positive(int n, real_matrix a) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = uniform(0, 1);
}

/* Fills in entries of which one in ten is negative. */
static void fill_few_negative(int n, real_matrix a) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = uniform(0, 1) * (base_random_below(numbers, 10) == 0 ? -1 : 1);
}

static void fill_sparse(int n, real_matrix a) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = i == j || base_random_below(numbers, 2) ? uniform(-1, 1) : 0;
}

/* Powers of the sine in the diagonal of a triangle, and a little below it. */
static void fill_kahan(int n, real_matrix a) {
    const double angle = uniform(0.3, 1.2), tiny = ldexp(uniform(-1, 1), -20);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = pow(sin(angle), i) * (i == j ? 1 : i < j ? -cos(angle) : tiny);
}

static void fill_alternating(int n, real_matrix a) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = uniform(0.5, 1) * ((i + j) % 2 ? -1 : 1);
}

static void fill_rank_one(int n, real_matrix a) {
    double left[HARD_LARGEST], right[HARD_LARGEST];
    for (int i = 0; i < n; i++) {
        left[i] = uniform(-1, 1);
        right[i] = uniform(-1, 1);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = left[i] * right[j];
}

static void fill_near_rank_one(int n, real_matrix a) {
    fill_rank_one(n, a);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] *= 1 + 1e-8 * uniform(-1, 1);
}

static void fill_constant(int n, real_matrix a) {
    const double value = uniform(0, 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = i > 0 ? value : random_sign() * value;
}

/* The last row nearly a sum of others. */
static void fill_nearly_singular(int n, real_matrix a) {
    fill_uniform(n, a);
    for (int j = 0; j < n && n > 2; j++)
        a[n - 1][j] = a[0][j] - a[1][j] + 1e-14 * uniform(-1, 1);
}

/* Two columns and a row with opposite entries in them: the permanent is 0. */
static void fill_zero(int n, real_matrix a) {
    fill_uniform(n, a);
    for (int i = 0; i < n && n > 1; i++)
        a[i][1] = a[i][0];
    for (int j = 0; j < n; j++)
        a[0][j] = j == 0 ? 0.7 : j == 1 ? -0.7 : 0;
}

/* Fills in what fill_zero does, and changes every entry a little. */
static void fill_near_zero(int n, real_matrix a) {
    fill_zero(n, a);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] += 1e-13 * uniform(-1, 1);
}

static void fill_wide(int n, real_matrix a) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = ldexp(uniform(-1, 1), (int)base_random_below(numbers, 121) - 60);
}

/* Rows and columns up to 1e300 and down to 1e-300. */
static void fill_extreme(int n, real_matrix a) {
    int row[HARD_LARGEST], column[HARD_LARGEST];
    for (int i = 0; i < n; i++) {
        row[i] = (int)base_random_below(numbers, 981) - 490;
        column[i] = (int)base_random_below(numbers, 981) - 490;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = ldexp(uniform(-1, 1), row[i] + column[j]);
}

/* Few different row sums, so that many products are the same. */
static void fill_two_values(int n, real_matrix a) {
    const double value[2] = {uniform(-1, 1), uniform(-1, 1)};
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = value[base_random_below(numbers, 2)];
}

/* Two equal blocks without a connection but tiny entries. */
static void fill_blocks(int n, real_matrix a) {
    fill_uniform(n, a);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if ((i < n / 2) != (j < n / 2))
                a[i][j] *= 1e-12;
}

static const struct {
    const char *name;
    void (*fill)(int n, real_matrix a);
} kinds[] = {{"uniform in [-1, 1)", fill_uniform},
             {"normal", fill_normal},
             {"uniform in [0, 1)", fill_positive},
             {"few negative", fill_few_negative},
             {"half of them zeros", fill_sparse},
             {"Kahan", fill_kahan},
             {"alternating", fill_alternating},
             {"rank one", fill_rank_one},
             {"nearly rank one", fill_near_rank_one},
             {"constant", fill_constant},
             {"nearly singular", fill_nearly_singular},
             {"permanent 0", fill_zero},
             {"permanent near 0", fill_near_zero},
             {"2^-60 to 2^60", fill_wide},
             {"1e-300 to 1e300", fill_extreme},
             {"two values", fill_two_values},
             {"two blocks", fill_blocks}};
_Static_assert(sizeof kinds / sizeof *kinds == HARD_KINDS, "the number of kinds");

/* Of a complex matrix both parts are of the kind. */
static void fill(int kind, int n, bool is_complex, double *entries) {
    real_matrix part[2];
    for (int k = 0; k <= is_complex; k++)
        kinds[kind].fill(n, part[k]);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            for (int k = 0; k <= is_complex; k++)
                entries[(j * n + i) * (1 + is_complex) + k] = part[k][i][j];
}

/* Columns of orthonormal rows (Gram and Schmidt). */
static void fill_unitary(int n, double *entries) {
    enum { MOST = 2 * HARD_LARGEST };
    static double row[HARD_LARGEST][MOST][2];
    const int width = n + (int)base_random_below(numbers, (uint64_t)n + 1);
    for (int i = 0; i < n; i++) {
        double norm = 0;
        for (int j = 0; j < width; j++)
            for (int k = 0; k < 2; k++)
                row[i][j][k] = normal();
        for (int before = 0; before < i; before++) {
            double re = 0, im = 0;
            for (int j = 0; j < width; j++) {
                re += row[before][j][0] * row[i][j][0] + row[before][j][1] * row[i][j][1];
                im += row[before][j][0] * row[i][j][1] - row[before][j][1] * row[i][j][0];
            }
            for (int j = 0; j < width; j++) {
                row[i][j][0] -= re * row[before][j][0] - im * row[before][j][1];
                row[i][j][1] -= re * row[before][j][1] + im * row[before][j][0];
            }
        }
        for (int j = 0; j < width; j++)
            norm += row[i][j][0] * row[i][j][0] + row[i][j][1] * row[i][j][1];
        for (int j = 0; j < width; j++)
            for (int k = 0; k < 2; k++) {
                row[i][j][k] /= sqrt(norm);
                if (j < n)
                    entries[2 * (j * n + i) + k] = row[i][j][k];
            }
    }
}

const char *hard_matrix_name(int kind) {
    return kind < HARD_KINDS ? kinds[kind].name : "corners of unitary matrices";
}

void hard_matrix_draw(base_random *random, int kind, int n, bool is_complex, double *entries) {
    numbers = random;
    if (kind < HARD_KINDS)
        fill(kind, n, is_complex, entries);
    else
        fill_unitary(n, entries);
}
