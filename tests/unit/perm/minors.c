/* SPDX-License-Identifier: BSD-3-Clause */
/* All minors: every kernel against brute force, exactly and within the bounds; the expansion of the permanent
 * by every line; closed forms; threads. */
#include "perm/minors/minors.h"
#include "base/core/cpu.h"
#include "tests/support/exact.h"
#include "tests/support/tap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 20 };

static base_context context;
static exact_random numbers;
static mpz_t (*entry)[2]; /* of the matrix at hand, column by column */

/* The permanent without row i and column j, from scratch. */
static void brute_force(int n, int i, int j, mpz_t result[2]) {
    mpz_t(*rest)[2] = exact_alloc((n - 1) * (n - 1));
    int count = 0;
    for (int at = 0; at < n * n; at++)
        if (at % n != i && at / n != j) {
            for (int part = 0; part < 2; part++)
                mpz_set(rest[count][part], entry[at][part]);
            count++;
        }
    exact_permanent(n - 1, rest, result);
    exact_free(count, rest);
}

static perm_value *alloc_values(int count) {
    perm_value *value = malloc((size_t)count * sizeof *value);
    for (int at = 0; value != NULL && at < count; at++)
        perm_value_init(&value[at]);
    return value;
}

static void free_values(perm_value *value, int count) {
    for (int at = 0; at < count; at++)
        perm_value_free(&value[at]);
    free(value);
}

static bool compute(perm_matrix *matrix, bool exact, const char *kernel, perm_value *minor) {
    perm_minors minors;
    if (perm_minors_init(&context, matrix, exact, kernel, &minors) != BASE_OK)
        return false;
    const bool done = perm_minors_run(&context, &minors, minor) == BASE_OK;
    perm_minors_free(&minors);
    return done;
}

/* ---- random matrices ---- */

/* Without empty lines. */
static const struct family {
    exact_family entries;
    int most_exponent; /* of rows and columns */
} families[] = {
    {{.name = "0/1", .share = 0.5, .has_diagonal = true}, 0},
    {{.name = "0, +-1", .share = 0.75, .is_signed = true, .has_diagonal = true}, 0},
    {{.name = "3 bits", .bits = 3, .share = 1, .has_diagonal = true}, 0},
    {{.name = "53 bits", .bits = 53, .share = 1, .is_signed = true, .has_diagonal = true}, 0},
    {{.name = "53 bits, exponents", .bits = 53, .share = 0.75, .is_signed = true, .has_diagonal = true}, 300},
    {{.name = "200 bits", .bits = 200, .share = 1, .is_signed = true, .has_diagonal = true}, 7},
    {{.name = "Gaussian units", .share = 0.75, .is_signed = true, .is_complex = true, .has_diagonal = true},
     0},
    {{.name = "Gaussian, 40 bits",
      .bits = 40,
      .share = 1,
      .is_signed = true,
      .is_complex = true,
      .has_diagonal = true},
     5}};

/* How many minors of the matrix at hand are wrong. */
static int count_wrong(int n, bool exact, const char *kernel, const int *row_exponent,
                       const int *column_exponent) {
    perm_value *minor = alloc_values(n * n);
    int wrong = 0;
    int64_t exponent = 0;
    mpz_t expected[2];
    perm_matrix matrix = exact_matrix(&context, n, entry, MM_COMPLEX, row_exponent, column_exponent);
    mpz_inits(expected[0], expected[1], NULL);
    for (int k = 0; k < n; k++)
        exponent += row_exponent[k] + column_exponent[k];
    if (!compute(&matrix, exact, kernel, minor))
        wrong = n * n;
    for (int at = 0; at < n * n && wrong < n * n; at++) {
        brute_force(n, at / n, at % n, expected);
        wrong += !exact_is_value(&minor[at], expected,
                                 exponent - row_exponent[at / n] - column_exponent[at % n]) ||
                 (exact && !perm_value_is_exact(&minor[at]));
    }
    mpz_clears(expected[0], expected[1], NULL);
    perm_matrix_free(&matrix);
    free_values(minor, n * n);
    return wrong;
}

static void test_family(const struct family *family, const char *kernel, int most) {
    int wrong = 0, row_exponent[LARGEST], column_exponent[LARGEST];
    for (int n = 1; n <= most; n++) {
        for (int k = 0; k < n; k++) {
            const uint32_t span = 2 * (uint32_t)family->most_exponent + 1;
            row_exponent[k] = (int)base_random_below(&numbers.small, span) - family->most_exponent;
            column_exponent[k] = (int)base_random_below(&numbers.small, span) - family->most_exponent;
        }
        exact_draw(&numbers, &family->entries, n, entry);
        wrong += count_wrong(n, true, kernel, row_exponent, column_exponent);
        if (!family->entries.is_complex)
            wrong += count_wrong(n, false, kernel, row_exponent, column_exponent);
    }
    tap_ok(wrong == 0, "%s, %s, n = 1 to %d: minors by brute force", kernel, family->entries.name, most);
}

/* ---- all kernels, any number of threads, more chunks than one ---- */

static bool are_equal(const perm_value *a, const perm_value *b, int count) {
    for (int at = 0; at < count; at++)
        if (mpz_cmp(a[at].re, b[at].re) != 0 || mpz_cmp(a[at].im, b[at].im) != 0 ||
            a[at].exponent != b[at].exponent || a[at].error.mantissa != b[at].error.mantissa ||
            a[at].error.exponent != b[at].error.exponent)
            return false;
    return true;
}

static void test_same(const char *kernel, bool exact) {
    enum { N = 18 };
    perm_value *here = alloc_values(N * N), *there = alloc_values(N * N);
    exact_draw(&numbers, &families[exact ? 0 : 3].entries, N, entry);
    perm_matrix matrix = exact_matrix(&context, N, entry, MM_REAL, NULL, NULL);
    context.threads = 1;
    bool good = compute(&matrix, exact, "minors-portable", here);
    context.threads = 3;
    good = good && compute(&matrix, exact, kernel, there) && are_equal(here, there, N * N);
    tap_ok(good, "%s: the bits of minors-portable on one thread, %s", kernel,
           exact ? "exactly" : "in doubles");
    perm_matrix_free(&matrix);
    free_values(here, N * N);
    free_values(there, N * N);
}

/* ---- Laplace ---- */

/* per(A) is the sum over any row or column of entries times minors. */
static void test_expansion(void) {
    enum { N = 17 };
    perm_value *minor = alloc_values(N * N);
    mpz_t expected[2], sum[2];
    int wrong = 0;
    mpz_inits(expected[0], expected[1], sum[0], sum[1], NULL);
    exact_draw(&numbers, &families[3].entries, N, entry);
    exact_permanent(N, entry, expected);
    perm_matrix matrix = exact_matrix(&context, N, entry, MM_INTEGER, NULL, NULL);
    wrong += !compute(&matrix, true, NULL, minor);
    for (int line = 0; line < 2 * N; line++) {
        mpz_set_ui(sum[0], 0);
        for (int k = 0; k < N; k++) {
            const int i = line < N ? line : k, j = line < N ? k : line - N;
            perm_value *value = &minor[i * N + j];
            wrong += value->exponent < 0;
            mpz_mul_2exp(sum[1], value->re, (mp_bitcnt_t)value->exponent);
            mpz_addmul(sum[0], sum[1], entry[j * N + i][0]);
        }
        wrong += mpz_cmp(sum[0], expected[0]) != 0;
    }
    tap_ok(wrong == 0, "the permanent by each row and each column of its minors, n = %d", N);
    mpz_clears(expected[0], expected[1], sum[0], sum[1], NULL);
    perm_matrix_free(&matrix);
    free_values(minor, N * N);
}

/* Derangements: D(n-1) on the diagonal of the minors of J - I, D(n-1) + D(n-2) beside it. */
static void test_derangements(void) {
    enum { N = 20 };
    perm_value *minor = alloc_values(N * N);
    int64_t derangements[N] = {1, 0};
    int wrong = 0;
    for (int k = 2; k < N; k++)
        derangements[k] = (k - 1) * (derangements[k - 1] + derangements[k - 2]);
    for (int at = 0; at < N * N; at++) {
        mpz_set_si(entry[at][0], at % N != at / N);
        mpz_set_ui(entry[at][1], 0);
    }
    perm_matrix matrix = exact_matrix(&context, N, entry, MM_PATTERN, NULL, NULL);
    wrong += !compute(&matrix, true, NULL, minor);
    for (int at = 0; at < N * N; at++) {
        mpz_t expected[2];
        mpz_init_set_si(expected[0], derangements[N - 1] + (at % N != at / N ? derangements[N - 2] : 0));
        mpz_init(expected[1]);
        wrong += !exact_is_value(&minor[at], expected, 0) || !perm_value_is_exact(&minor[at]);
        mpz_clears(expected[0], expected[1], NULL);
    }
    tap_ok(wrong == 0, "derangements, n = %d", N);
    perm_matrix_free(&matrix);
    free_values(minor, N * N);
}

/* What fails behind its last allocation has nothing left, which its caller may free again. */
static void test_failure(void) {
    enum { N = 9 };
    perm_minors minors;
    exact_draw(&numbers, &families[0].entries, N, entry);
    perm_matrix matrix = exact_matrix(&context, N, entry, MM_INTEGER, NULL, NULL);
    const bool failed = perm_minors_init(&context, &matrix, true, "minors-nobody", &minors) == BASE_USAGE;
    tap_ok(failed && minors.problem == NULL && minors.tables == NULL && minors.prime == NULL &&
               minors.root == NULL,
           "a kernel that there is not: nothing left to be freed");
    perm_minors_free(&minors);
    perm_matrix_free(&matrix);
}

int main(int argc, char **argv) {
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 20261121;
    base_context_init(&context);
    context.threads = 2;
    exact_random_init(&numbers, seed);
    tap_note("seed %" PRIu64, seed);
    entry = exact_alloc(LARGEST * LARGEST);
    for (const perm_minors_kernel *const *kernel = perm_minors_kernels(); *kernel != NULL; kernel++) {
        const perm_minors_problem problem = {.sum = {.n = 8}};
        const unsigned features = base_cpu_features();
        if ((*kernel)->fits(&problem, features) == 0) {
            tap_skip(1, "not on this processor");
            continue;
        }
        for (size_t k = 0; k < sizeof families / sizeof *families; k++)
            test_family(&families[k], (*kernel)->name, *kernel == &perm_minors_ref ? 10 : 11);
        if (*kernel != &perm_minors_ref)
            for (int exact = 0; exact < 2; exact++)
                test_same((*kernel)->name, exact);
    }
    test_expansion();
    test_derangements();
    test_failure();
    exact_free(LARGEST * LARGEST, entry);
    exact_random_free(&numbers);
    return tap_done();
}
