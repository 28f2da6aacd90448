/* SPDX-License-Identifier: BSD-3-Clause */
/* Double-double and MPFR permanents: their bounds against exact values, closed forms, kernels, chunks. */
#include "base/core/cpu.h"
#include "base/core/random.h"
#include "perm/doubledouble/doubledouble.h"
#include "perm/mpfr/multiprecision.h"
#include "tests/support/exact.h"
#include "tests/support/tap.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 24 };

static base_context context;
static base_random numbers;

static perm_matrix make_matrix(int n, bool is_complex, const double *entries) {
    perm_matrix matrix;
    int64_t kept = 0;
    if (perm_matrix_alloc(&context, n, n * n, is_complex ? MM_COMPLEX : MM_REAL, &matrix) != BASE_OK)
        abort();
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            const int at = j * n + i;
            perm_value *entry = &matrix.entry[kept];
            perm_value_set_complex(entry, entries[is_complex ? 2 * at : at],
                                   is_complex ? entries[2 * at + 1] : 0);
            matrix.index[kept] = j;
            kept += !perm_value_is_zero(entry);
        }
        matrix.start[i + 1] = kept;
    }
    for (int64_t e = kept; e < matrix.nnz; e++)
        perm_value_free(&matrix.entry[e]);
    matrix.nnz = kept;
    return matrix;
}

/* A rational whose denominator is a power of two. */
static void set_part(const mpq_t number, int part, perm_value *value) {
    perm_value term;
    perm_value_init(&term);
    mpz_set(part == 0 ? term.re : term.im, mpq_numref(number));
    perm_value_scale(&term, 1 - (int64_t)mpz_sizeinbase(mpq_denref(number), 2));
    perm_value_add(value, &term);
    perm_value_free(&term);
}

/* |value - exact| <= value's bound; *digits: log2 of the bound over the exact value. */
static bool within(const perm_value *value, const perm_value *exact, double *digits) {
    perm_value minus_one, difference;
    perm_value_init(&minus_one);
    perm_value_init(&difference);
    perm_value_set_integer(&minus_one, -1);
    perm_value_copy(&difference, exact);
    perm_value_multiply(&difference, &minus_one);
    perm_value_add(&difference, value);
    const bool right = perm_bound_at_most(perm_bound_of(&difference), value->error);
    *digits = perm_bound_log2(value->error) - perm_value_log2(exact);
    perm_value_free(&minus_one);
    perm_value_free(&difference);
    return right;
}

/* ---- the bounds ---- */

static const char *const kinds[] = {"uniform in [0, 1)", "uniform in [-1, 1)", "±1",     "integers",
                                    "2^-60 to 2^60",     "1e-300 to 1e300",    "sparse", "nearly ±1"};
enum { KINDS = sizeof kinds / sizeof *kinds };

static double draw(int kind) {
    const double number = base_random_uniform(&numbers), sign = base_random_below(&numbers, 2) ? 1 : -1;
    switch (kind) {
    case 0: return number;
    case 1: return sign * number;
    case 2: return sign;
    case 3: return sign * floor(1000 * number);
    case 4: return sign * ldexp(number, (int)base_random_below(&numbers, 121) - 60);
    case 5: return sign * ldexp(number, (int)base_random_below(&numbers, 1997) - 998);
    case 6: return base_random_below(&numbers, 2) ? sign * number : 0;
    default: return sign * (1 + ldexp(number, -40));
    }
}

typedef base_status method(const perm_matrix *matrix, perm_value *value);

static base_status by_dd(const perm_matrix *matrix, perm_value *value) {
    return perm_dd_permanent(&context, matrix, NULL, value);
}
static base_status by_30_bits(const perm_matrix *matrix, perm_value *value) {
    return perm_multiprecision_permanent(&context, matrix, 30, value);
}
static base_status by_200_bits(const perm_matrix *matrix, perm_value *value) {
    return perm_multiprecision_permanent(&context, matrix, 200, value);
}

static void test_bound(const char *name, method *method, int kind, bool is_complex) {
    enum { CASES = 100, ORDER = 9 };
    double entries[2 * ORDER * ORDER], worst = -INFINITY, sum = 0;
    int wrong = 0;
    mpq_t exact[2];
    perm_value expected, value;
    mpq_inits(exact[0], exact[1], NULL);
    perm_value_init(&expected);
    perm_value_init(&value);
    for (int number = 0; number < CASES; number++) {
        const int n = number % 30 == 0 ? ORDER : number % ORDER;
        double digits;
        for (int at = 0; at < n * n * (1 + is_complex); at++)
            entries[at] = draw(kind);
        exact_of_doubles(n, is_complex, entries, exact);
        perm_value_set_integer(&expected, 0);
        for (int part = 0; part <= is_complex; part++)
            set_part(exact[part], part, &expected);
        perm_matrix matrix = make_matrix(n, is_complex, entries);
        wrong += method(&matrix, &value) != BASE_OK || !within(&value, &expected, &digits);
        if (!perm_value_is_zero(&expected) && value.error.mantissa != 0) {
            worst = fmax(worst, digits);
            sum += digits;
        }
        perm_matrix_free(&matrix);
    }
    tap_ok(wrong == 0, "%s, %s%s: %d matrices within the bound", name, is_complex ? "complex, " : "",
           kinds[kind], CASES);
    tap_note("relative bounds: 2^%.1f on average, at most 2^%.1f", sum / CASES, worst);
    mpq_clears(exact[0], exact[1], NULL);
    perm_value_free(&expected);
    perm_value_free(&value);
}

/* n! a^n for an a that takes all bits of a double. */
static void test_constant(const char *name, method *method, int most, double limit) {
    double entries[LARGEST * LARGEST], worst = -INFINITY;
    const double a = 0.1;
    int wrong = 0;
    perm_value expected, factor, value;
    perm_value_init(&expected);
    perm_value_init(&factor);
    perm_value_init(&value);
    perm_value_set_integer(&expected, 1);
    for (int n = 1; n <= most; n++) {
        double digits = INFINITY;
        perm_value_set_complex(&factor, a, 0);
        perm_value_multiply(&expected, &factor);
        perm_value_set_integer(&factor, n);
        perm_value_multiply(&expected, &factor);
        for (int at = 0; at < n * n; at++)
            entries[at] = a;
        perm_matrix matrix = make_matrix(n, false, entries);
        wrong += method(&matrix, &value) != BASE_OK || !within(&value, &expected, &digits);
        worst = fmax(worst, digits);
        perm_matrix_free(&matrix);
    }
    tap_ok(wrong == 0 && worst < limit, "%s: n! 0.1^n for n = 1 … %d, relative bound at most 2^%.1f", name,
           most, worst);
    perm_value_free(&expected);
    perm_value_free(&factor);
    perm_value_free(&value);
}

/* ---- kernels, chunks, threads ---- */

static void test_kernels(int kind, int n, bool is_complex) {
    enum { LARGEST_REFERENCE = 13 };
    double entries[2 * LARGEST * LARGEST];
    perm_dd_partial *expected = NULL;
    for (int at = 0; at < n * n * (1 + is_complex); at++)
        entries[at] = draw(kind);
    perm_matrix matrix = make_matrix(n, is_complex, entries);
    for (const perm_dd_kernel *const *kernel = perm_dd_kernels(); *kernel != NULL; kernel++) {
        perm_dd dd;
        if (*kernel == &perm_dd_ref && n > LARGEST_REFERENCE)
            continue;
        if (perm_dd_init(&context, &matrix, (*kernel)->name, &dd) != BASE_OK) {
            tap_skip(2, context.error.cause);
            continue;
        }
        const size_t size = (size_t)dd.chunk_count * sizeof(perm_dd_partial);
        perm_dd_partial *partial = malloc(size), *alone = malloc(size);
        context.threads = 3;
        perm_dd_run(&context, &dd, 0, dd.chunk_count, partial);
        context.threads = 1;
        for (int64_t chunk = dd.chunk_count; chunk-- > 0;)
            perm_dd_run(&context, &dd, chunk, 1, alone + chunk);
        tap_ok(memcmp(partial, alone, size) == 0,
               "%s%s, n = %d, %s: %" PRId64 " chunks, the same alone and on threads", kinds[kind],
               is_complex ? ", complex" : "", n, (*kernel)->name, dd.chunk_count);
        tap_ok(expected == NULL || memcmp(partial, expected, size) == 0, "the same bits as the first kernel");
        free(alone);
        if (expected == NULL)
            expected = partial;
        else
            free(partial);
        perm_dd_free(&dd);
    }
    free(expected);
    perm_matrix_free(&matrix);
}

static void test_words(int n, bool is_complex) {
    double entries[2 * LARGEST * LARGEST];
    perm_multiprecision multiprecision;
    for (int at = 0; at < n * n * (1 + is_complex); at++)
        entries[at] = draw(1);
    perm_matrix matrix = make_matrix(n, is_complex, entries);
    if (perm_multiprecision_init(&context, &matrix, 100, &multiprecision) != BASE_OK)
        abort();
    const size_t size = (size_t)(multiprecision.chunk_count * multiprecision.word_count) * sizeof(int64_t);
    int64_t *word = malloc(size), *alone = malloc(size);
    context.threads = 3;
    perm_multiprecision_run(&context, &multiprecision, 0, multiprecision.chunk_count, word);
    context.threads = 1;
    for (int64_t chunk = multiprecision.chunk_count; chunk-- > 0;)
        perm_multiprecision_run(&context, &multiprecision, chunk, 1,
                                alone + chunk * multiprecision.word_count);
    tap_ok(multiprecision.chunk_count > 1 && memcmp(word, alone, size) == 0,
           "MPFR%s, n = %d: %" PRId64 " chunks, the same alone and on threads", is_complex ? ", complex" : "",
           n, multiprecision.chunk_count);
    free(word);
    free(alone);
    perm_multiprecision_free(&multiprecision);
    perm_matrix_free(&matrix);
}

static void test_refusals(void) {
    const double entries[2] = {1, 1};
    perm_dd dd;
    perm_multiprecision multiprecision;
    perm_matrix matrix = make_matrix(1, true, entries);
    tap_ok(perm_multiprecision_init(&context, &matrix, 3, &multiprecision) == BASE_FAILED, "%s",
           context.error.cause);
    perm_matrix_free(&matrix);
    matrix = make_matrix(1, false, entries);
    tap_ok(perm_dd_init(&context, &matrix, "nonsense", &dd) == BASE_USAGE, "an unknown kernel");
    perm_matrix_free(&matrix);
}

int main(void) {
    base_context_init(&context);
    base_random_init(&numbers, context.seed, 0);
    tap_note("seed %" PRIu64, context.seed);
    for (int kind = 0; kind < KINDS; kind++) {
        for (int is_complex = 0; is_complex < 2; is_complex++) {
            test_bound("double-double", by_dd, kind, is_complex);
            test_bound("30 bits", by_30_bits, kind, is_complex);
            test_bound("200 bits", by_200_bits, kind, is_complex);
        }
    }
    test_constant("double-double", by_dd, 22, -80);
    test_constant("200 bits", by_200_bits, 14, -180);
    for (int is_complex = 0; is_complex < 2; is_complex++) {
        test_kernels(0, 21 - 3 * is_complex, is_complex);
        test_kernels(3, 22 - 4 * is_complex, is_complex);
        test_kernels(4, 11, is_complex);
        test_kernels(1, 13 - 2 * is_complex, is_complex);
    }
    test_words(12, false);
    test_words(12, true);
    test_refusals();
    return tap_done();
}
