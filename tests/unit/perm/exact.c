/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact permanents by residues: closed forms, brute force, kernels, chunks, threads, the check modulo another
 * prime, refusals. */
#include "perm/exact/exact.h"
#include "tests/support/exact.h"
#include "tests/support/tap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 24 };

static base_context context;
static exact_random numbers;
static mpz_t (*entry)[2]; /* of the matrix at hand, column by column */

static perm_matrix make_matrix(int n, const int *row_exponent) {
    return exact_matrix(&context, n, entry, MM_COMPLEX, row_exponent, NULL);
}

static bool equals(const perm_value *value, mpz_t expected[2], int64_t exponent) {
    return perm_value_is_exact(value) && exact_is_value(value, expected, exponent);
}

static bool permanent_is(int n, const char *kernel, mpz_t expected[2]) {
    perm_matrix matrix = make_matrix(n, NULL);
    perm_value value;
    perm_value_init(&value);
    const bool right =
        perm_exact_permanent(&context, &matrix, kernel, &value) == BASE_OK && equals(&value, expected, 0);
    perm_value_free(&value);
    perm_matrix_free(&matrix);
    return right;
}

static void fill(int n, int (*entry_of)(int n, int i, int j)) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            mpz_set_si(entry[j * n + i][0], entry_of(n, i, j));
            mpz_set_ui(entry[j * n + i][1], 0);
        }
}

/* ---- closed forms ---- */

static int one(int n, int i, int j) {
    (void)n, (void)i, (void)j;
    return 1;
}
static int off_diagonal(int n, int i, int j) {
    (void)n;
    return i != j;
}
static int off_two_diagonals(int n, int i, int j) {
    return i != j && (i + 1) % n != j;
}
static int tridiagonal(int n, int i, int j) {
    (void)n;
    return abs(i - j) <= 1;
}

/* n! a^n */
static void test_constant(const char *text) {
    mpz_t expected[2], a;
    int wrong = 0;
    mpz_inits(expected[0], expected[1], NULL);
    mpz_init_set_str(a, text, 10);
    for (int n = 0; n <= 22; n++) {
        fill(n, one);
        mpz_fac_ui(expected[0], (unsigned long)n);
        for (int k = 0; k < n; k++)
            mpz_mul(expected[0], expected[0], a);
        for (int at = 0; at < n * n; at++)
            mpz_set(entry[at][0], a);
        wrong += !permanent_is(n, NULL, expected);
    }
    tap_ok(wrong == 0, "constant %s: n! a^n for n = 0 … 22", text);
    mpz_clears(expected[0], expected[1], a, NULL);
}

/* D(n) = n D(n-1) + (-1)^n */
static void test_derangements(void) {
    mpz_t expected[2];
    int wrong = 0;
    mpz_init_set_ui(expected[0], 1);
    mpz_init(expected[1]);
    for (int n = 1; n <= 22; n++) {
        mpz_mul_si(expected[0], expected[0], n);
        mpz_add_ui(expected[0], expected[0], n % 2 == 0);
        mpz_sub_ui(expected[0], expected[0], n % 2 != 0);
        fill(n, off_diagonal);
        wrong += !permanent_is(n, NULL, expected);
    }
    tap_ok(wrong == 0, "derangements for n = 1 … 22");
    mpz_clears(expected[0], expected[1], NULL);
}

/* Touchard: sum over k of (-1)^k 2n/(2n-k) C(2n-k, k) (n-k)! */
static void test_menage(void) {
    mpz_t expected[2], term, factorial;
    int wrong = 0;
    mpz_inits(expected[0], expected[1], term, factorial, NULL);
    for (int n = 3; n <= 22; n++) {
        mpz_set_ui(expected[0], 0);
        for (int k = 0; k <= n; k++) {
            mpz_bin_uiui(term, (unsigned long)(2 * n - k), (unsigned long)k);
            mpz_mul_ui(term, term, (unsigned long)(2 * n));
            mpz_fac_ui(factorial, (unsigned long)(n - k));
            mpz_mul(term, term, factorial);
            mpz_divexact_ui(term, term, (unsigned long)(2 * n - k));
            (k % 2 == 0 ? mpz_add : mpz_sub)(expected[0], expected[0], term);
        }
        fill(n, off_two_diagonals);
        wrong += !permanent_is(n, NULL, expected);
    }
    tap_ok(wrong == 0, "menage numbers for n = 3 … 22");
    mpz_clears(expected[0], expected[1], term, factorial, NULL);
}

static void test_fibonacci(void) {
    mpz_t expected[2];
    int wrong = 0;
    mpz_inits(expected[0], expected[1], NULL);
    for (int n = 1; n <= 22; n++) {
        mpz_fib_ui(expected[0], (unsigned long)(n + 1));
        fill(n, tridiagonal);
        wrong += !permanent_is(n, NULL, expected);
    }
    tap_ok(wrong == 0, "Fibonacci numbers of tridiagonal matrices for n = 1 … 22");
    mpz_clears(expected[0], expected[1], NULL);
}

/* ---- brute force ---- */

static const exact_family families[] = {
    {.name = "0/1", .share = 0.5},
    {.name = "±1", .share = 1, .is_signed = true},
    {.name = "±1 circulants", .share = 1, .is_signed = true, .is_circulant = true},
    {.name = "0, ±1", .share = 0.75, .is_signed = true},
    {.name = "3 bits", .bits = 3, .share = 1, .is_signed = true},
    {.name = "30 bits", .bits = 30, .share = 1, .is_signed = true},
    {.name = "48 bits", .bits = 48, .share = 1, .is_signed = true},
    {.name = "64 bits", .bits = 64, .share = 0.75, .is_signed = true},
    {.name = "500 bits", .bits = 500, .share = 0.75, .is_signed = true},
    {.name = "Gaussian units", .share = 0.75, .is_signed = true, .is_complex = true},
    {.name = "Gaussian, 40 bits", .bits = 40, .share = 1, .is_signed = true, .is_complex = true},
    {.name = "Gaussian, 200 bits", .bits = 200, .share = 0.75, .is_signed = true, .is_complex = true}};
enum { FAMILIES = sizeof families / sizeof *families };

static void test_family(const exact_family *family) {
    enum { CASES = 60 };
    mpz_t expected[2];
    int wrong = 0;
    mpz_inits(expected[0], expected[1], NULL);
    for (int number = 0; number < CASES; number++) {
        const int n = number % 15 == 0 ? 12 : number % 10;
        exact_draw(&numbers, family, n, entry);
        exact_permanent(n, entry, expected);
        wrong += !permanent_is(n, NULL, expected);
    }
    tap_ok(wrong == 0, "%s: %d matrices", family->name, CASES);
    mpz_clears(expected[0], expected[1], NULL);
}

/* Rows of different size and exponent: small ones stay integers while large ones are residues. */
static void test_mixed(void) {
    enum { CASES = 60, ORDER = 10 };
    mpz_t expected[2];
    int wrong = 0;
    mpz_inits(expected[0], expected[1], NULL);
    for (int number = 0; number < CASES; number++) {
        const int n = 1 + number % ORDER;
        int exponent[ORDER], sum = 0;
        perm_value value;
        for (int at = 0; at < n * n; at++) {
            const mp_bitcnt_t bits = base_random_below(&numbers.small, 2) == 0 ? 3 : 90;
            mpz_urandomb(entry[at][0], numbers.large, at % n % 2 == 0 ? bits : 2);
            mpz_urandomb(entry[at][1], numbers.large, at % n % 3 == 0 && number % 2 == 0 ? bits : 0);
        }
        for (int i = 0; i < n; i++)
            sum += exponent[i] = (int)base_random_below(&numbers.small, 4001) - 2000;
        exact_permanent(n, entry, expected);
        perm_matrix matrix = make_matrix(n, exponent);
        perm_value_init(&value);
        wrong += perm_exact_permanent(&context, &matrix, NULL, &value) != BASE_OK ||
                 !equals(&value, expected, sum);
        perm_value_free(&value);
        perm_matrix_free(&matrix);
    }
    tap_ok(wrong == 0, "rows of all sizes times powers of two: %d matrices", CASES);
    mpz_clears(expected[0], expected[1], NULL);
}

/* ---- kernels, chunks, threads ---- */

static void test_kernels(const exact_family *family, int n) {
    perm_exact reference, other;
    exact_draw(&numbers, family, n, entry);
    perm_matrix matrix = make_matrix(n, NULL);
    if (perm_exact_init(&context, &matrix, "exact-ref", &reference) != BASE_OK) {
        tap_ok(false, "%s", context.error.cause);
        return;
    }
    const size_t size = (size_t)(reference.chunk_count * reference.residue_count) * sizeof(int64_t);
    int64_t *expected = malloc(size), *residue = malloc(size);
    perm_exact_run(&context, &reference, 0, reference.chunk_count, expected);
    for (const perm_exact_kernel *const *kernel = perm_exact_kernels(); *kernel != NULL; kernel++) {
        if (perm_exact_init(&context, &matrix, (*kernel)->name, &other) != BASE_OK) {
            tap_skip(1, context.error.cause);
            continue;
        }
        memset(residue, 0x5a, size);
        perm_exact_run(&context, &other, 0, other.chunk_count, residue);
        tap_ok(memcmp(expected, residue, size) == 0, "%s, n = %d, %s: the residues of exact-ref",
               family->name, n, (*kernel)->name);
        perm_exact_free(&other);
    }
    free(expected);
    free(residue);
    perm_exact_free(&reference);
    perm_matrix_free(&matrix);
}

/* Chunks one by one, backwards, and on three threads; the value is right modulo another prime, and a changed
 * number is noticed. */
static void test_chunks(const exact_family *family, int n) {
    perm_exact exact, check;
    perm_value value, again;
    exact_draw(&numbers, family, n, entry);
    perm_matrix matrix = make_matrix(n, NULL);
    perm_value_init(&value);
    perm_value_init(&again);
    if (perm_exact_init(&context, &matrix, NULL, &exact) != BASE_OK ||
        perm_exact_init_check(&context, &matrix, NULL, &check) != BASE_OK)
        abort();
    const int64_t count = exact.chunk_count, width = exact.residue_count;
    int64_t *residue = malloc((size_t)(count * width) * sizeof *residue);
    int64_t *other = malloc((size_t)(count * width) * sizeof *other);
    int64_t *checked = malloc((size_t)(check.chunk_count * check.residue_count) * sizeof *checked);
    context.threads = 3;
    perm_exact_run(&context, &exact, 0, count, residue);
    context.threads = 1;
    for (int64_t chunk = count; chunk-- > 0;)
        perm_exact_run(&context, &exact, chunk, 1, other + chunk * width);
    tap_ok(memcmp(residue, other, (size_t)(count * width) * sizeof *residue) == 0,
           "%s, n = %d: %" PRId64 " chunks, the same alone and on threads", family->name, n, count);
    bool is_another = check.residue_count == (check.is_complex ? 2 : 1);
    for (int64_t k = 0; k < width; k++)
        is_another = is_another && exact.prime[k] != check.prime[0];
    tap_ok(is_another, "%s, n = %d: the check has one prime, which is another one", family->name, n);
    perm_exact_run(&context, &check, 0, check.chunk_count, checked);
    bool agrees = false, noticed = false;
    perm_exact_fold(&context, &exact, residue, &value);
    perm_exact_agrees(&context, &check, checked, &value, &agrees);
    tap_ok(agrees, "%s, n = %d: right modulo another prime", family->name, n);
    residue[count * width - 1] ^= 1;
    perm_exact_fold(&context, &exact, residue, &again);
    perm_exact_agrees(&context, &check, checked, &again, &noticed);
    tap_ok(!noticed, "%s, n = %d: a flipped bit is noticed", family->name, n);
    free(residue);
    free(other);
    free(checked);
    perm_exact_free(&exact);
    perm_exact_free(&check);
    perm_value_free(&value);
    perm_value_free(&again);
    perm_matrix_free(&matrix);
}

static void test_refusals(void) {
    perm_exact exact;
    fill(3, one);
    perm_matrix matrix = make_matrix(3, NULL);
    tap_ok(perm_exact_init(&context, &matrix, "nonsense", &exact) == BASE_USAGE, "an unknown kernel");
    perm_matrix_free(&matrix);
    if (perm_matrix_alloc(&context, PERM_DENSE_LARGEST + 1, 0, MM_INTEGER, &matrix) != BASE_OK)
        abort();
    tap_ok(perm_exact_init(&context, &matrix, NULL, &exact) == BASE_FAILED, "n too large: %s",
           context.error.cause);
    perm_matrix_free(&matrix);
}

int main(void) {
    static const char *const constants[] = {"1", "-2", "1000000007", "-123456789012345678901234567890"};
    base_context_init(&context);
    exact_random_init(&numbers, context.seed);
    tap_note("seed %" PRIu64, context.seed);
    entry = exact_alloc(LARGEST * LARGEST);
    for (int k = 0; k < 4; k++)
        test_constant(constants[k]);
    test_derangements();
    test_menage();
    test_fibonacci();
    for (int k = 0; k < FAMILIES; k++)
        test_family(&families[k]);
    test_mixed();
    for (int k = 0; k < FAMILIES; k++)
        test_kernels(&families[k], k % 2 == 0 ? 12 : 13);
    test_chunks(&families[0], 22);
    test_chunks(&families[5], 22);
    test_chunks(&families[9], 22);
    test_refusals();
    exact_free(LARGEST * LARGEST, entry);
    exact_random_free(&numbers);
    return tap_done();
}
