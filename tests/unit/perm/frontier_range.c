/* SPDX-License-Identifier: BSD-3-Clause */
/* Permanents by a frontier in floating point at the ends of the range of doubles. */
#include "tests/support/frontier_matrix.h"
#include "tests/support/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows scaled by powers of two far beyond the range of doubles, and back. */
static void test_range(base_context *context, base_random *random) {
    int wrong = 0;
    for (int round = 0; round < 20; round++) {
        perm_value plain, scaled;
        int64_t total = 0;
        perm_value_init(&plain);
        perm_value_init(&scaled);
        fill_random(random, 12, 0.3, false);
        permanent(context, &a, PERM_DOUBLE, &plain);
        for (int64_t i = 0; i < a.n; i++) {
            int shift = (int)base_random_below(random, 1800) - 900;
            total += shift;
            for (int64_t j = 0; j < a.n; j++)
                a.re[i][j] = ldexp(a.re[i][j], shift);
        }
        permanent(context, &a, PERM_DOUBLE, &scaled);
        perm_value_scale(&scaled, -total);
        perm_bound allowed = perm_bound_add(plain.error, scaled.error);
        perm_value minus;
        perm_value_init(&minus);
        perm_value_set_integer(&minus, -1);
        plain.error = scaled.error = (perm_bound){0, 0};
        perm_value_multiply(&minus, &plain);
        perm_value_add(&minus, &scaled);
        wrong += !perm_bound_at_most(perm_bound_of(&minus), allowed) ||
                 perm_bound_log2(allowed) > perm_value_log2(&plain) - 40;
        perm_value_free(&minus);
        perm_value_free(&plain);
        perm_value_free(&scaled);
    }
    tap_ok(wrong == 0, "rows times 2^-900 to 2^900: %d of 20 wrong", wrong);
}

/* Whether the value is as far from the exact one as its error says, and its error at most 2^bits of that. */
static bool is_within(const perm_value *value, const perm_value *exact, double bits) {
    perm_value difference;
    perm_value_init(&difference);
    perm_value_set_integer(&difference, -1);
    perm_value_multiply(&difference, exact);
    perm_value_add(&difference, value);
    difference.error = (perm_bound){0, 0};
    const bool is_within = perm_bound_at_most(perm_bound_of(&difference), value->error) &&
                           perm_bound_log2(value->error) < perm_value_log2(exact) + bits;
    perm_value_free(&difference);
    return is_within;
}

/* Ones in the first column and the last row, elsewhere e: no scaling of rows and columns makes the products
 * of the permanent e^(n-2) (n-1)! (n-1 + e) as large as the entries. e = 3·2^-least. */
static void test_small_products(base_context *context, int64_t n, int least, int imaginary) {
    const double e = ldexp(3, -least);
    perm_value exact, value, factor;
    clear(n);
    a.field = imaginary ? MM_COMPLEX : MM_REAL;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            *(imaginary && j > 0 && i < n - 1 ? &a.im[i][j] : &a.re[i][j]) = j == 0 || i == n - 1 ? 1 : e;
    perm_value_init(&exact);
    perm_value_init(&value);
    perm_value_init(&factor);
    perm_value_set_complex(&exact, imaginary ? 0 : e, imaginary ? e : 0);
    perm_value_copy(&factor, &exact);
    perm_value_set_integer(&value, n - 1);
    perm_value_add(&exact, &value);
    for (int64_t k = 1; k < n; k++) {
        if (k > 1)
            perm_value_multiply(&exact, &factor);
        perm_value_set_integer(&value, k);
        perm_value_multiply(&exact, &value);
    }
    for (perm_arithmetic arithmetic = PERM_DOUBLE; arithmetic <= PERM_QUAD; arithmetic++) {
        permanent(context, &a, arithmetic, &value);
        tap_ok(is_within(&value, &exact, arithmetic == PERM_QUAD ? -95 : INFINITY),
               "order %lld, entries 3·2^-%d%s: arithmetic %d is within its bound", (long long)n, least,
               imaginary ? "i" : "", (int)arithmetic);
    }
    perm_value_free(&exact);
    perm_value_free(&value);
    perm_value_free(&factor);
}

/* The permanent of the rows from `row` without the columns in `used`, by expansion, exactly. */
static void expand(int64_t row, unsigned used, perm_value *sum) {
    perm_value minor, entry;
    perm_value_set_integer(sum, row == a.n);
    perm_value_init(&minor);
    perm_value_init(&entry);
    for (int64_t j = 0; row < a.n && j < a.n; j++)
        if (!(used >> j & 1) && (a.re[row][j] != 0 || a.im[row][j] != 0)) {
            expand(row + 1, used | 1u << j, &minor);
            perm_value_set_complex(&entry, a.re[row][j], a.im[row][j]);
            perm_value_multiply(&minor, &entry);
            perm_value_add(sum, &minor);
        }
    perm_value_free(&minor);
    perm_value_free(&entry);
}

/* A number of random size, of one up to 2, or of 2^-1000 and less. */
static double take_part(base_random *random) {
    const double number = (base_random_below(random, 2) ? 1 : -1) * (1 + base_random_uniform(random));
    const int64_t kind = (int64_t)base_random_below(random, 3);
    return kind == 0   ? ldexp(number, (int)base_random_below(random, 2096) - 1074)
           : kind == 1 ? number
                       : ldexp(number, -1000 - (int)base_random_below(random, 74));
}

/* Entries from the least subnormal to the largest double. */
static void test_magnitudes(base_context *context, base_random *random) {
    enum { ROUNDS = 200 };
    int wrong[2] = {0};
    perm_value exact, value;
    perm_value_init(&exact);
    perm_value_init(&value);
    for (int round = 0; round < ROUNDS; round++) {
        clear(5);
        a.field = round % 2 ? MM_COMPLEX : MM_REAL;
        for (int64_t i = 0; i < a.n; i++)
            for (int64_t j = 0; j < a.n; j++) {
                a.re[i][j] = base_random_below(random, 4) ? take_part(random) : 0;
                a.im[i][j] = round % 2 && base_random_below(random, 2) ? take_part(random) : 0;
            }
        expand(0, 0, &exact);
        for (int k = 0; k < 2; k++) {
            permanent(context, &a, k ? PERM_QUAD : PERM_DOUBLE, &value);
            wrong[k] += !is_within(&value, &exact, INFINITY);
        }
    }
    tap_ok(wrong[0] == 0, "entries of all magnitudes: doubles within their bounds but for %d", wrong[0]);
    tap_ok(wrong[1] == 0, "entries of all magnitudes: 113 bits within their bounds but for %d", wrong[1]);
    perm_value_free(&exact);
    perm_value_free(&value);
}

int main(void) {
    base_context context;
    base_random random;
    base_context_init(&context);
    base_random_init(&random, 5, 0);
    tap_note("seed 5");
    test_range(&context, &random);
    test_small_products(&context, 12, 700, 0);
    test_small_products(&context, 18, 1000, 0);
    test_small_products(&context, 18, 1000, 1);
    test_magnitudes(&context, &random);
    return tap_done();
}
