/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense permanents: closed forms, every kernel against the reference, chunks, threads, refusals. */
#include "perm/dense/dense.h"
#include "base/core/cpu.h"
#include "base/core/random.h"
#include "tests/support/exact.h"
#include "tests/support/tap.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 25 };

static base_context context;
static base_random numbers;

static bool within_bound(const perm_dense_result *result, const mpq_t exact[2], double *loss) {
    return exact_within(result->high, result->low, result->error, result->exponent, exact, loss);
}

static base_status permanent(int n, bool is_complex, const double *entries, const char *kernel,
                             perm_dense_result *result) {
    const perm_dense_matrix matrix = {n, is_complex, entries, NULL, 0, NULL};
    return perm_dense_permanent(&context, &matrix, kernel, result);
}

static double uniform(double from, double to) {
    return from + (to - from) * base_random_uniform(&numbers);
}

static void fill(double *entries, int count, double from, double to) {
    for (int at = 0; at < count; at++)
        entries[at] = uniform(from, to);
}

/* ---- closed forms ---- */

static void test_constant(void) {
    static const double constants[] = {1, 3, 0.1, 1e300, 5e-324};
    double entries[LARGEST * LARGEST];
    mpz_t power;
    mpq_t exact[2], number;
    mpz_init(power);
    mpq_inits(exact[0], exact[1], number, NULL);
    for (int k = 0; k < 5; k++) {
        int wrong = 0, exact_results = 0;
        double largest = 0;
        for (int n = 0; n <= 24; n++) {
            perm_dense_result result;
            mpq_set_d(number, constants[k]);
            mpz_fac_ui(power, (unsigned long)n);
            mpq_set_z(exact[0], power);
            for (int at = 0; at < n * n; at++)
                entries[at] = constants[k];
            for (int i = 0; i < n; i++)
                mpq_mul(exact[0], exact[0], number);
            if (permanent(n, false, entries, NULL, &result) != BASE_OK || !within_bound(&result, exact, NULL))
                wrong++;
            exact_results += result.error == 0;
            largest = fmax(largest, result.error / fabs(result.high[0]));
        }
        tap_ok(wrong == 0 && largest < 1e-10,
               "constant %g: n! a^n for n = 0 … 24, relative bound at most %.3g", constants[k], largest);
        if (frexp(constants[k], &(int){0}) == 0.5) /* powers of two */
            tap_ok(exact_results >= 14, "constant %g: %d of them exact", constants[k], exact_results);
    }
    mpz_clear(power);
    mpq_clears(exact[0], exact[1], number, NULL);
}

/* D(n) = n D(n-1) + (-1)^n, below 2^62 up to n = 20. */
static void test_derangements(void) {
    double entries[20 * 20];
    int64_t derangements = 1;
    int wrong = 0;
    mpq_t exact[2];
    mpq_inits(exact[0], exact[1], NULL);
    for (int n = 1; n <= 20; n++) {
        perm_dense_result result;
        derangements = n * derangements + (n % 2 == 0 ? 1 : -1);
        mpq_set_si(exact[0], derangements, 1);
        for (int at = 0; at < n * n; at++)
            entries[at] = at / n != at % n;
        if (permanent(n, false, entries, NULL, &result) != BASE_OK || !within_bound(&result, exact, NULL))
            wrong++;
    }
    tap_ok(wrong == 0, "J - I: derangements for n = 1 … 20");
    mpq_clears(exact[0], exact[1], NULL);
}

/* ---- kernels ---- */

/* Random whole numbers small enough for exact row sums. */
static perm_dense_problem random_problem(int n, bool is_complex, double **tables) {
    const int parts = 1 + is_complex, column = parts * n;
    double *start = calloc((size_t)(column * (1 + PERM_DENSE_INNER + 2 * n)), sizeof(double));
    double *inner = start + column, *up = inner + column * PERM_DENSE_INNER, *down = up + n * column;
    for (int j = 0; j < n; j++)
        for (int at = 0; at < column; at++) {
            const double value = rint(uniform(-1, 1) * 0x1p40) / (0x1p40 * n);
            const double a = rint(value * 0x1p46) * 0x1p-46;
            start[at] += j == n - 1 ? a : -a;
            up[j * column + at] = 2 * a;
            down[j * column + at] = -2 * a;
            if (j < PERM_DENSE_INNER)
                inner[(at % n * parts + at / n) * PERM_DENSE_INNER + j] = 2 * a;
        }
    *tables = start;
    return (perm_dense_problem){n, is_complex, false, start, inner, up, down};
}

static bool close_sums(const perm_dense_sums *left, const perm_dense_sums *right) {
    for (int lane = 0; lane < PERM_DENSE_LANES; lane++)
        for (int part = 0; part < 2; part++) {
            const double distance = fabs(left->high[part][lane] - right->high[part][lane]);
            if (!(distance <= 1e-14 * right->magnitude[lane]))
                return false;
        }
    return true;
}

static bool same_sums(const perm_dense_sums *left, const perm_dense_sums *right, int parts) {
    const size_t bytes = (size_t)parts * sizeof left->high[0];
    return memcmp(left->high, right->high, bytes) == 0 && memcmp(left->low, right->low, bytes) == 0 &&
           memcmp(left->magnitude, right->magnitude, sizeof left->magnitude) == 0;
}

static void test_kernel(const perm_dense_kernel *kernel, bool is_complex) {
    static const int orders[] = {8, 9, 10, 11, 12, 20, 40, 62, 63};
    int wrong = 0, different = 0;
    for (int k = 0; k < 9; k++) {
        double *tables;
        perm_dense_problem problem = random_problem(orders[k], is_complex, &tables);
        const int64_t blocks = INT64_C(1) << (orders[k] - 8);
        const int64_t count = blocks < 6 ? blocks : 6;
        const int64_t first = (int64_t)base_random_below(&numbers, (uint64_t)(blocks - count + 1));
        perm_dense_sums expected, sums;
        memset(&sums, 0xa5, sizeof sums);
        perm_dense_ref.run(&problem, first, count, &expected);
        kernel->run(&problem, first, count, &sums);
        wrong += !close_sums(&sums, &expected);
        different += !same_sums(&sums, &expected, 1 + is_complex);
        free(tables);
    }
    tap_ok(wrong == 0, "%s, %s: sums of blocks as in the reference", kernel->name,
           is_complex ? "complex" : "real");
    if (is_complex && strcmp(kernel->name, "dense-portable") == 0)
        tap_note("%d of 9 with other last bits, where there is no fma", different);
    else
        tap_ok(different == 0, "%s, %s: the same bits", kernel->name, is_complex ? "complex" : "real");
}

static void test_kernels(void) {
    const unsigned features = base_cpu_features();
    for (const perm_dense_kernel *const *entry = perm_dense_kernels(); *entry != NULL; entry++)
        for (int is_complex = 0; is_complex < 2; is_complex++) {
            const perm_dense_problem problem = {.n = 10, .is_complex = is_complex};
            if ((*entry)->fits(&problem, features) > 0)
                test_kernel(*entry, is_complex);
            else
                tap_skip(2, "this processor cannot run the kernel");
        }
}

/* ---- chunks and threads ---- */

static void test_chunks(bool is_complex) {
    enum { ORDER = 24 };
    static double entries[2 * ORDER * ORDER];
    perm_dense dense;
    perm_dense_result one, four;
    fill(entries, ORDER * ORDER * (1 + is_complex), -1, 1);
    context.threads = 1;
    const perm_dense_matrix matrix = {ORDER, is_complex, entries, NULL, 0, NULL};
    perm_dense_init(&context, &matrix, NULL, &dense);
    perm_dense_partial *whole = calloc((size_t)dense.chunk_count, sizeof *whole);
    perm_dense_partial *parts = calloc((size_t)dense.chunk_count, sizeof *parts);
    perm_dense_run(&context, &dense, 0, dense.chunk_count, whole);
    perm_dense_fold(&dense, whole, &one);
    context.threads = 4;
    tap_ok(dense.chunk_count >= 4, "n = %d has %" PRId64 " chunks", ORDER, dense.chunk_count);
    perm_dense_run(&context, &dense, 0, 1, parts);
    perm_dense_run(&context, &dense, 1, dense.chunk_count - 1, parts + 1);
    tap_ok(memcmp(whole, parts, (size_t)dense.chunk_count * sizeof *whole) == 0,
           "chunks in two calls on four threads: the same bits");
    permanent(ORDER, is_complex, entries, NULL, &four);
    tap_ok(memcmp(&one, &four, sizeof one) == 0, "four threads: the same bits");
    context.threads = 1;
    free(whole);
    free(parts);
    perm_dense_free(&dense);
}

/* ---- special input ---- */

static void test_special(void) {
    double entries[64 * 64];
    const perm_dense_matrix large = {63, false, entries, NULL, 0, NULL};
    perm_dense_result result;
    perm_dense dense;
    fill(entries, 64 * 64, 0, 1);
    tap_ok(permanent(64, false, entries, NULL, &result) == BASE_FAILED, "n = 64 is refused");
    tap_ok(permanent(5, false, entries, "dense-abacus", &result) == BASE_USAGE,
           "an unknown kernel is refused");
    tap_ok(perm_dense_init(&context, &large, NULL, &dense) == BASE_OK &&
               dense.chunk_count == PERM_DENSE_MOST_CHUNKS && dense.chunk_blocks == INT64_C(1) << 39,
           "n = 63 is planned");
    perm_dense_free(&dense);
    for (int j = 0; j < 63; j++)
        entries[63 * j + 17] = 0;
    tap_ok(permanent(63, false, entries, NULL, &result) == BASE_OK && result.high[0] == 0 &&
               result.error == 0,
           "a row of zeros gives 0 at once");
    entries[100] = NAN;
    tap_ok(permanent(20, false, entries, NULL, &result) == BASE_FAILED, "NaN is refused");
    entries[100] = INFINITY;
    tap_ok(permanent(20, false, entries, NULL, &result) == BASE_FAILED, "infinity is refused");
    const double i_and_zeros[] = {0, 1, 0, 0, 0, 0, 0, 1}; /* diag(i, i) */
    tap_ok(permanent(2, true, i_and_zeros, NULL, &result) == BASE_OK &&
               ldexp(result.high[0], (int)result.exponent) == -1 && result.high[1] == 0 && result.error == 0,
           "diag(i, i) gives -1 exactly");
}

int main(void) {
    base_context_init(&context);
    base_random_init(&numbers, context.seed, 0);
    tap_note("seed %" PRIu64, context.seed);
    test_special();
    test_constant();
    test_derangements();
    test_chunks(false);
    test_chunks(true);
    test_kernels();
    return tap_done();
}
