/* SPDX-License-Identifier: BSD-3-Clause */
/* Random unitary matrices with Haar's distribution: the unitary factor of a matrix of independent complex
 * normal numbers, whose triangular factor has a positive diagonal (Mezzadri, How to generate random matrices
 * from the classical compact groups, Notices of the AMS 54, 2007). Gram and Schmidt's method makes
 * that diagonal positive by itself: its numbers are norms, so there are no phases to divide out.
 *
 * The bytes agree between machines: everything is + - * / and sqrt of doubles, which IEEE 754 rounds
 * correctly, in an order that the code fixes. The logarithm is one of our own for that reason. Threads divide
 * the columns, never a sum. */
#include "mm/generate/internal.h"

#include <math.h>

/* The natural logarithm of x > 0: x = m 2^e with m in [√½, √2), and ln m = 2 artanh t for t = (m-1)/(m+1).
 * |t| is below 0.1716, so the first power left out, t^25/25, is below 2^-66 of the sum. */
static double logarithm(double x) {
    int exponent;
    double m = frexp(x, &exponent);
    if (m < 0.70710678118654752) {
        m = 2 * m;
        exponent--;
    }
    double t = (m - 1) / (m + 1), square = t * t, sum = 0;
    for (int k = 23; k >= 3; k -= 2)
        sum = (sum + 1.0 / k) * square;
    double whole = exponent * 0.69314718055994531;
    return whole + 2 * (t + t * sum);
}

/* Marsaglia's polar method: a point (x, y) in the unit disc, with s = x² + y², has a uniform direction, and s
 * is uniform in (0, 1) and independent of it. So √(-ln s) in this direction is a complex normal number. */
static void draw_normal(base_random *random, double z[2]) {
    double x, y, s;
    do {
        x = 2 * base_random_uniform(random) - 1;
        y = 2 * base_random_uniform(random) - 1;
        s = x * x + y * y;
    } while (s >= 1 || s == 0);
    double scale = sqrt(-logarithm(s) / s);
    z[0] = x * scale;
    z[1] = y * scale;
}

/* Divides a column by its norm. */
static void normalize(double *column, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < 2 * n; i++)
        sum += column[i] * column[i];
    double norm = sqrt(sum);
    for (int64_t i = 0; i < 2 * n; i++)
        column[i] /= norm;
}

/* Subtracts from a column its part in the direction of a unit vector q, (q* column) q. */
static void project_out(const double *q, double *column, int64_t n) {
    double rr = 0, ii = 0, ri = 0, ir = 0;
    for (int64_t i = 0; i < 2 * n; i += 2) {
        rr += q[i] * column[i];
        ii += q[i + 1] * column[i + 1];
        ri += q[i] * column[i + 1];
        ir += q[i + 1] * column[i];
    }
    double re = rr + ii, im = ri - ir;
    for (int64_t i = 0; i < 2 * n; i += 2) {
        column[i] -= re * q[i] - im * q[i + 1];
        column[i + 1] -= re * q[i + 1] + im * q[i];
    }
}

/* Modified Gram-Schmidt over all columns, 4 n³ multiplications. One pass leaves a loss of orthogonality of
 * the condition number times 2^-53. The second begins with a condition number of almost 1, so it leaves 2^-53
 * times a small multiple of n, and moves the columns by what the first pass was off. */
static void orthonormalize(double *matrix, int64_t n, int threads) {
    for (int pass = 0; pass < 2; pass++)
        for (int64_t k = 0; k < n; k++) {
            const double *q = matrix + 2 * n * k;
            normalize(matrix + 2 * n * k, n);
#pragma omp parallel for num_threads(threads) schedule(static) if (n * (n - k) > 20000)
            for (int64_t j = k + 1; j < n; j++)
                project_out(q, matrix + 2 * n * j, n);
        }
}

base_status generate_emit_unitary(mm_generator *g) {
    base_status status = BASE_OK;
    mm_record *record = g->record;
    BASE_TRY(mm_record_alloc(g->context, record));
    for (int64_t k = 0; k < record->nnz; k++)
        draw_normal(&g->value_random, record->real + 2 * k);
    orthonormalize(record->real, record->ncol, g->context->threads);
done:
    return status;
}
