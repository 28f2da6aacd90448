/* SPDX-License-Identifier: BSD-3-Clause */
/* Random unitary matrices: unitary to rounding, Haar's moments, the same bits for any number of threads. */
#include "base/core/random.h"
#include "mm/generate/generate.h"
#include "tests/support/tap.h"

#include <complex.h>
#include <math.h>
#include <string.h>

typedef double complex number;

static base_context context;

static mm_generator *open_order(const char *size) {
    static mm_generate_options options;
    mm_generator *generator = NULL;
    mm_generate_options_init(&options);
    options.family = "unitary";
    options.size = size;
    if (mm_generator_open(&context, &options, &generator) != BASE_OK)
        tap_ok(false, "unitary %s: %s", size, context.error.cause);
    return generator;
}

static number entry(const mm_record *record, int64_t row, int64_t col) {
    const double *z = record->real + 2 * (col * record->nrow + row);
    return z[0] + z[1] * I;
}

/* The largest entry of U*U - I. */
static double distance_from_unitary(const mm_record *u) {
    double most = 0;
    for (int64_t a = 0; a < u->ncol; a++)
        for (int64_t b = 0; b < u->ncol; b++) {
            number sum = a == b ? -1 : 0;
            for (int64_t i = 0; i < u->nrow; i++)
                sum += conj(entry(u, i, a)) * entry(u, i, b);
            most = fmax(most, cabs(sum));
        }
    return most;
}

static void check_orders(void) {
    static const char *const sizes[] = {"1", "2", "3", "20", "64", "150"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        mm_generator *generator = open_order(sizes[i]);
        mm_record one, four;
        mm_record_init(&one);
        mm_record_init(&four);
        context.threads = 1;
        bool made = mm_generate(&context, generator, 2, &one) == BASE_OK;
        context.threads = 4;
        made = made && mm_generate(&context, generator, 2, &four) == BASE_OK;
        context.threads = 1;
        double distance = made ? distance_from_unitary(&one) : 1;
        tap_ok(distance <= 1e-14 * (double)one.ncol && one.field == MM_COMPLEX && one.format == MM_ARRAY,
               "order %s: U*U is the identity to within %.2g", sizes[i], distance);
        tap_ok(made && memcmp(one.real, four.real, 16 * (size_t)one.nnz) == 0,
               "order %s: four threads give the same bits", sizes[i]);
        mm_record_free(&one);
        mm_record_free(&four);
        mm_generator_close(generator);
    }
}

/* The first column is that of the normal numbers, divided by its norm; here by the library's logarithm, in
 * more than double precision. */
static void check_first_column(void) {
    enum { N = 5 };
    long double complex z[N];
    long double norm = 0, worst = 0;
    base_random random;
    mm_record u;
    mm_record_init(&u);
    mm_generator *generator = open_order("5");
    base_random_init(&random, context.seed, 2 * 7 + 1);
    for (int i = 0; i < N; i++) {
        long double x, y, s;
        do {
            x = 2 * (long double)base_random_uniform(&random) - 1;
            y = 2 * (long double)base_random_uniform(&random) - 1;
            s = x * x + y * y;
        } while (s >= 1 || s == 0);
        z[i] = (x + y * I) * sqrtl(-logl(s) / s);
        norm += x * x / s * -logl(s) + y * y / s * -logl(s);
    }
    if (mm_generate(&context, generator, 7, &u) == BASE_OK)
        for (int i = 0; i < N; i++)
            worst = fmaxl(worst, cabsl(z[i] / sqrtl(norm) - entry(&u, i, 0)));
    tap_ok(u.nnz == N * N && worst < 1e-15L, "the first column is off by %.2Lg", worst);
    mm_record_free(&u);
    mm_generator_close(generator);
}

/* E|u|⁴ = 2/(n(n+1)), and |u|⁸ has the mean 4!/(n(n+1)(n+2)(n+3)), which bounds the deviation of a mean of
 * |u|⁴. E|tr U|² = 1 and E|tr U²|² = 2, with fourth moments 2 and 8 (Diaconis and Shahshahani, On the
 * eigenvalues of random matrices, 1994); these fail where phases are fixed. All to within six deviations. */
static void check_moments(void) {
    enum { N = 4, TRIALS = 20000 };
    double fourth = 0, trace = 0, trace_of_square = 0;
    number mean = 0;
    mm_generator *generator = open_order("4");
    mm_record u;
    mm_record_init(&u);
    for (int64_t index = 1; index <= TRIALS; index++) {
        if (mm_generate(&context, generator, index, &u) != BASE_OK)
            break;
        number sum = 0, sum_of_square = 0;
        for (int i = 0; i < N; i++) {
            sum += entry(&u, i, i);
            for (int j = 0; j < N; j++) {
                sum_of_square += entry(&u, i, j) * entry(&u, j, i);
                fourth += pow(cabs(entry(&u, i, j)), 4) / (N * N) / TRIALS;
            }
        }
        mean += entry(&u, 0, 0) / TRIALS;
        trace += pow(cabs(sum), 2) / TRIALS;
        trace_of_square += pow(cabs(sum_of_square), 2) / TRIALS;
    }
    double deviation = sqrt(24.0 / (N * (N + 1) * (N + 2) * (N + 3)) / TRIALS);
    tap_ok(fabs(fourth - 2.0 / (N * (N + 1))) < 6 * deviation, "the mean of |u|⁴ is %.5f", fourth);
    tap_ok(cabs(mean) < 6 * sqrt(1.0 / N / TRIALS), "the mean of u is %.2g", cabs(mean));
    tap_ok(fabs(trace - 1) < 6 / sqrt(TRIALS), "the mean of |tr U|² is %.3f", trace);
    tap_ok(fabs(trace_of_square - 2) < 6 * 2 / sqrt(TRIALS), "the mean of |tr U²|² is %.3f", trace_of_square);
    mm_record_free(&u);
    mm_generator_close(generator);
}

int main(void) {
    base_context_init(&context);
    check_orders();
    check_first_column();
    check_moments();
    return tap_done();
}
