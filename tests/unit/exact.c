/* Exact permanents by residues: closed forms, brute force, kernels, chunks, threads, the check modulo another
 * prime, refusals. */
#include "perm/exact.h"
#include "base/random.h"
#include "tests/exact.h"
#include "tests/tap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 24 };

static base_context context;
static base_random numbers;
static mpz_t entry[LARGEST * LARGEST][2]; /* of the matrix at hand, column by column */

/* The entries times 2^exponent[row]. */
static perm_matrix make_matrix(int n, const int *exponent) {
    perm_matrix matrix;
    int64_t kept = 0;
    if (perm_matrix_alloc(&context, n, n * n, MM_COMPLEX, &matrix) != BASE_OK)
        abort();
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            mpz_t *from = entry[j * n + i];
            if (mpz_sgn(from[0]) == 0 && mpz_sgn(from[1]) == 0)
                continue;
            mpz_set(matrix.entry[kept].re, from[0]);
            mpz_set(matrix.entry[kept].im, from[1]);
            perm_value_scale(&matrix.entry[kept], exponent != NULL ? exponent[i] : 0);
            matrix.index[kept++] = j;
        }
        matrix.start[i + 1] = kept;
    }
    for (int64_t e = kept; e < matrix.nnz; e++)
        perm_value_free(&matrix.entry[e]);
    matrix.nnz = kept;
    return matrix;
}

/* Whether re + i im times 2^exponent is the value. */
static bool equals(const perm_value *value, mpz_t expected[2], int64_t exponent) {
    perm_value other;
    perm_value_init(&other);
    mpz_neg(other.re, expected[0]);
    mpz_neg(other.im, expected[1]);
    perm_value_scale(&other, exponent);
    perm_value_add(&other, value);
    const bool equal = perm_value_is_exact(value) && perm_value_is_zero(&other);
    perm_value_free(&other);
    return equal;
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

typedef struct family {
    const char *name;
    int bits;  /* of the entries */
    int share; /* entries in `share` that are not zero, of 4 */
    bool is_signed, is_complex;
    int circulant;
} family;

static void draw(const family *family, int n, gmp_randstate_t state) {
    for (int at = 0; at < n * n; at++)
        for (int part = 0; part < 2; part++) {
            mpz_set_ui(entry[at][part], 0);
            if ((part == 1 && !family->is_complex) || (int)base_random_below(&numbers, 4) >= family->share)
                continue;
            if (family->bits == 0)
                mpz_set_ui(entry[at][part], 1);
            else
                mpz_urandomb(entry[at][part], state, (mp_bitcnt_t)family->bits);
            if (family->is_signed && base_random_below(&numbers, 2) == 0)
                mpz_neg(entry[at][part], entry[at][part]);
        }
    for (int at = n; family->circulant && at < n * n; at++)
        mpz_set(entry[at][0], entry[(at % n + n - at / n) % n][0]);
}

static const family families[] = {{"0/1", 0, 2, false, false, false},
                                  {"±1", 0, 4, true, false, false},
                                  {"±1 circulants", 0, 4, true, false, true},
                                  {"0, ±1", 0, 3, true, false, false},
                                  {"3 bits", 3, 4, true, false, false},
                                  {"30 bits", 30, 4, true, false, false},
                                  {"48 bits", 48, 4, true, false, false},
                                  {"64 bits", 64, 3, true, false, false},
                                  {"500 bits", 500, 3, true, false, false},
                                  {"Gaussian units", 0, 3, true, true, false},
                                  {"Gaussian, 40 bits", 40, 4, true, true, false},
                                  {"Gaussian, 200 bits", 200, 3, true, true, false}};
enum { FAMILIES = sizeof families / sizeof *families };

static void test_family(const family *family, gmp_randstate_t state) {
    enum { CASES = 60 };
    mpz_t expected[2];
    int wrong = 0;
    mpz_inits(expected[0], expected[1], NULL);
    for (int number = 0; number < CASES; number++) {
        const int n = number % 15 == 0 ? 12 : number % 10;
        draw(family, n, state);
        exact_permanent(n, entry, expected);
        wrong += !permanent_is(n, NULL, expected);
    }
    tap_ok(wrong == 0, "%s: %d matrices", family->name, CASES);
    mpz_clears(expected[0], expected[1], NULL);
}

/* Rows of different size and exponent: small ones stay integers while large ones are residues. */
static void test_mixed(gmp_randstate_t state) {
    enum { CASES = 60, ORDER = 10 };
    mpz_t expected[2];
    int wrong = 0;
    mpz_inits(expected[0], expected[1], NULL);
    for (int number = 0; number < CASES; number++) {
        const int n = 1 + number % ORDER;
        int exponent[ORDER], sum = 0;
        perm_value value;
        for (int at = 0; at < n * n; at++) {
            const mp_bitcnt_t bits = base_random_below(&numbers, 2) == 0 ? 3 : 90;
            mpz_urandomb(entry[at][0], state, at % n % 2 == 0 ? bits : 2);
            mpz_urandomb(entry[at][1], state, at % n % 3 == 0 && number % 2 == 0 ? bits : 0);
        }
        for (int i = 0; i < n; i++)
            sum += exponent[i] = (int)base_random_below(&numbers, 4001) - 2000;
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

static void test_kernels(const family *family, int n, gmp_randstate_t state) {
    perm_exact reference, other;
    draw(family, n, state);
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
static void test_chunks(const family *family, int n, gmp_randstate_t state) {
    perm_exact exact, check;
    perm_value value, again;
    draw(family, n, state);
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
    if (perm_matrix_alloc(&context, PERM_EXACT_LARGEST + 1, 0, MM_INTEGER, &matrix) != BASE_OK)
        abort();
    tap_ok(perm_exact_init(&context, &matrix, NULL, &exact) == BASE_FAILED, "n too large: %s",
           context.error.cause);
    perm_matrix_free(&matrix);
}

int main(void) {
    static const char *const constants[] = {"1", "-2", "1000000007", "-123456789012345678901234567890"};
    gmp_randstate_t state;
    base_context_init(&context);
    base_random_init(&numbers, context.seed, 0);
    gmp_randinit_default(state);
    gmp_randseed_ui(state, context.seed);
    tap_note("seed %" PRIu64, context.seed);
    for (int at = 0; at < LARGEST * LARGEST; at++)
        mpz_inits(entry[at][0], entry[at][1], NULL);
    for (int k = 0; k < 4; k++)
        test_constant(constants[k]);
    test_derangements();
    test_menage();
    test_fibonacci();
    for (int k = 0; k < FAMILIES; k++)
        test_family(&families[k], state);
    test_mixed(state);
    for (int k = 0; k < FAMILIES; k++)
        test_kernels(&families[k], k % 2 == 0 ? 12 : 13, state);
    test_chunks(&families[0], 22, state);
    test_chunks(&families[5], 22, state);
    test_chunks(&families[9], 22, state);
    test_refusals();
    for (int at = 0; at < LARGEST * LARGEST; at++)
        mpz_clears(entry[at][0], entry[at][1], NULL);
    gmp_randclear(state);
    return tap_done();
}
