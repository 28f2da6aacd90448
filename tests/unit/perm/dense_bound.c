/* SPDX-License-Identifier: BSD-3-Clause */
/* The error bound of dense permanents: random matrices of every kind against exact arithmetic. */
#include "base/core/random.h"
#include "perm/dense/dense.h"
#include "tests/support/exact.h"
#include "tests/support/tap.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static base_context context;
static base_random numbers;

static bool within_bound(const perm_dense_result *result, const mpq_t exact[2], double *loss) {
    return exact_within(result->high, result->low, result->error, result->exponent, exact, loss);
}

static base_status permanent(int n, bool is_complex, const double *entries, perm_dense_result *result) {
    const perm_dense_matrix matrix = {n, is_complex, entries, NULL, 0, NULL};
    return perm_dense_permanent(&context, &matrix, NULL, result);
}

static double uniform(double from, double to) {
    return from + (to - from) * base_random_uniform(&numbers);
}

static double random_sign(void) {
    return base_random_below(&numbers, 2) == 0 ? -1 : 1;
}

static double draw_positive(void) {
    return uniform(0, 1);
}
static double draw_signed(void) {
    return uniform(-1, 1);
}
static double draw_sign(void) {
    return random_sign();
}
static double draw_bit(void) {
    return base_random_below(&numbers, 3) == 0;
}
static double draw_integer(void) {
    return (double)base_random_below(&numbers, 201) - 100;
}
static double draw_wide(void) {
    return ldexp(uniform(-1, 1), (int)base_random_below(&numbers, 121) - 60);
}
static double draw_extreme(void) {
    return ldexp(uniform(-1, 1), (int)base_random_below(&numbers, 1997) - 998);
}
static double draw_sparse(void) {
    return base_random_below(&numbers, 2) == 0 ? 0 : uniform(-1, 1);
}
/* Columns nearly equal and opposite: row sums cancel. */
static double draw_cancelling(void) {
    return random_sign() * (1 + ldexp(uniform(-1, 1), -40));
}

static const struct {
    const char *name;
    double (*draw)(void);
} families[] = {{"uniform in [0, 1)", draw_positive},
                {"uniform in [-1, 1)", draw_signed},
                {"±1", draw_sign},
                {"0/1", draw_bit},
                {"integers", draw_integer},
                {"2^-60 to 2^60", draw_wide},
                {"1e-300 to 1e300", draw_extreme},
                {"half of them zeros", draw_sparse},
                {"nearly ±1", draw_cancelling}};
enum { FAMILIES = sizeof families / sizeof *families };

static void fill(double *entries, int count, double (*draw)(void)) {
    for (int at = 0; at < count; at++)
        entries[at] = draw();
}

static void test_bound(int family, bool is_complex) {
    enum { CASES = 150, ORDER = 9 };
    double entries[2 * ORDER * ORDER], worst = INFINITY;
    int wrong = 0, exact_results = 0;
    mpq_t exact[2];
    mpq_inits(exact[0], exact[1], NULL);
    for (int number = 0; number < CASES; number++) {
        const int n = number % 30 == 0 ? ORDER : number % 9;
        perm_dense_result result;
        double loss = 0;
        fill(entries, n * n * (1 + is_complex), families[family].draw);
        exact_of_doubles(n, is_complex, entries, exact);
        if (permanent(n, is_complex, entries, &result) != BASE_OK || !within_bound(&result, exact, &loss))
            wrong++;
        exact_results += result.error == 0;
        if (loss > 0)
            worst = fmin(worst, loss);
    }
    tap_ok(wrong == 0, "%s%s: %d matrices within the bound", is_complex ? "complex, " : "",
           families[family].name, CASES);
    tap_note("%d of them exact; the bound is at least %.3g times the error", exact_results, worst);
    mpq_clears(exact[0], exact[1], NULL);
}

/* Entries of 90 bits in rows and columns of wildly different scale, given by the double next to each and an
 * exponent. */
static void test_inexact_entries(bool is_complex) {
    enum { CASES = 60, ORDER = 8 };
    int wrong = 0;
    mpq_t exact[2];
    mpz_t entry[ORDER * ORDER][2], whole[2];
    gmp_randstate_t state;
    gmp_randinit_default(state);
    gmp_randseed_ui(state, context.seed);
    mpz_inits(whole[0], whole[1], NULL);
    mpq_inits(exact[0], exact[1], NULL);
    for (int at = 0; at < ORDER * ORDER; at++)
        mpz_inits(entry[at][0], entry[at][1], NULL);
    for (int number = 0; number < CASES; number++) {
        double entries[2 * ORDER * ORDER] = {0};
        int64_t exponents[ORDER * ORDER], row[ORDER], column[ORDER], sum = 0;
        const int n = 1 + number % ORDER;
        for (int k = 0; k < n; k++) {
            row[k] = (int64_t)base_random_below(&numbers, 2000001) - 1000000;
            column[k] = (int64_t)base_random_below(&numbers, 20001) - 10000;
            sum += row[k] + column[k];
        }
        for (int at = 0; at < n * n; at++) {
            exponents[at] = row[at % n] + column[at / n];
            for (int part = 0; part <= is_complex; part++) {
                mpz_urandomb(entry[at][part], state, 90);
                entries[is_complex ? 2 * at + part : at] = mpz_get_d(entry[at][part]); /* rounds towards 0 */
            }
        }
        const perm_dense_matrix matrix = {n, is_complex, entries, exponents, 0x1p-52, NULL};
        perm_dense_result result;
        exact_permanent(n, entry, whole);
        for (int part = 0; part < 2; part++)
            mpq_set_z(exact[part], whole[part]);
        const base_status status = perm_dense_permanent(&context, &matrix, NULL, &result);
        result.exponent -= sum;
        wrong += status != BASE_OK || !within_bound(&result, exact, NULL) ||
                 result.error > 1e-9 * hypot(result.high[0], result.high[1]);
    }
    tap_ok(wrong == 0, "%sentries of 90 bits with exponents: %d matrices within a bound of 1e-9",
           is_complex ? "complex, " : "", CASES);
    for (int at = 0; at < ORDER * ORDER; at++)
        mpz_clears(entry[at][0], entry[at][1], NULL);
    mpz_clears(whole[0], whole[1], NULL);
    mpq_clears(exact[0], exact[1], NULL);
    gmp_randclear(state);
}

/* Orders of several blocks and lanes, with integers whose products do not fit. */
static void test_orders(bool is_complex) {
    enum { ORDER = 15 };
    double entries[2 * ORDER * ORDER] = {0};
    mpz_t entry[ORDER * ORDER][2], whole[2];
    mpq_t exact[2];
    int wrong = 0;
    mpz_inits(whole[0], whole[1], NULL);
    mpq_inits(exact[0], exact[1], NULL);
    for (int at = 0; at < ORDER * ORDER; at++)
        mpz_inits(entry[at][0], entry[at][1], NULL);
    for (int n = 8; n <= ORDER; n++) {
        perm_dense_result result;
        for (int at = 0; at < n * n; at++)
            for (int part = 0; part <= is_complex; part++) {
                const double value = rint(uniform(-0x1p40, 0x1p40));
                entries[is_complex ? 2 * at + part : at] = value;
                mpz_set_d(entry[at][part], value);
            }
        exact_permanent(n, entry, whole);
        for (int part = 0; part < 2; part++)
            mpq_set_z(exact[part], whole[part]);
        wrong += permanent(n, is_complex, entries, &result) != BASE_OK ||
                 !within_bound(&result, exact, NULL) ||
                 result.error > 1e-9 * hypot(result.high[0], result.high[1]);
    }
    tap_ok(wrong == 0, "%sintegers up to 2^40, n = 8 … %d, within a bound of 1e-9",
           is_complex ? "complex, " : "", ORDER);
    for (int at = 0; at < ORDER * ORDER; at++)
        mpz_clears(entry[at][0], entry[at][1], NULL);
    mpz_clears(whole[0], whole[1], NULL);
    mpq_clears(exact[0], exact[1], NULL);
}

int main(void) {
    base_context_init(&context);
    base_random_init(&numbers, context.seed, 0);
    tap_note("seed %" PRIu64, context.seed);
    for (int is_complex = 0; is_complex < 2; is_complex++) {
        for (int family = 0; family < FAMILIES; family++)
            test_bound(family, is_complex);
        test_orders(is_complex);
        test_inexact_entries(is_complex);
    }
    return tap_done();
}
