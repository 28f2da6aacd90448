/* SPDX-License-Identifier: BSD-3-Clause */
/* Permanents as values: printing, parsing, arithmetic and bounds, against decimal expansions known from
 * outside. */
#include "base/core/random.h"
#include "mm/metadata/metadata.h"
#include "perm/value/product.h"
#include "tests/support/tap.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static base_context context;

static void check_print(const perm_value *value, mm_field field, const char *want, const char *what) {
    char *text;
    perm_value_print(&context, value, field, &text);
    tap_ok(strcmp(text, want) == 0, "%s: %s, got %s", what, want, text);
    free(text);
}

static void test_print(void) {
    perm_value value;
    perm_value_init(&value);
    perm_value_set_digits(&value, "-340282366920938463463374607431768211456");
    check_print(&value, MM_INTEGER, "-340282366920938463463374607431768211456", "-2^128");
    perm_value_set_integer(&value, 3);
    perm_value_scale(&value, 65);
    check_print(&value, MM_INTEGER, "110680464442257309696", "3·2^65");
    perm_value_set_complex(&value, 0.1, 0);
    check_print(&value, MM_REAL, "0.1", "0.1");
    perm_value_set_complex(&value, 0.1, -2.5);
    check_print(&value, MM_COMPLEX, "0.1 -2.5", "0.1 - 2.5i");
    perm_value_set_complex(&value, 0, 0);
    check_print(&value, MM_REAL, "0", "0");
    check_print(&value, MM_COMPLEX, "0 0", "0 + 0i");
    /* 2^2000 and 2^-1500 by decimal arithmetic. */
    perm_value_set_integer(&value, 1);
    perm_value_scale(&value, 2000);
    check_print(&value, MM_REAL, "1.1481306952742545e+602", "2^2000");
    perm_value_set_integer(&value, -1);
    perm_value_scale(&value, -1500);
    check_print(&value, MM_REAL, "-2.8510609648967059e-452", "-2^-1500");
    perm_value_set_complex(&value, DBL_MAX, 0);
    check_print(&value, MM_REAL, "1.7976931348623157e308", "the largest double");
    perm_value_scale(&value, 1);
    check_print(&value, MM_REAL, "3.5953862697246314e+308", "twice that");
    perm_value_set_complex(&value, 5e-324, 0);
    check_print(&value, MM_REAL, "4.9406564584124654e-324", "the least subnormal, with all its digits");
    /* 2^(2^31) by decimal arithmetic */
    char text[40];
    perm_value_set_integer(&value, 1);
    perm_value_scale(&value, INT64_C(1) << 31);
    check_print(&value, MM_REAL, "1.7616130516839634e+646456993", "2^(2^31)");
    perm_value_scale(&value, -(INT64_C(1) << 32));
    check_print(&value, MM_REAL, "5.6766155260037313e-646456994", "2^-(2^31)");
    perm_bound_print((perm_bound){0.5, (INT64_C(1) << 31) + 1}, text);
    tap_ok(strcmp(text, "1.77e646456993") == 0, "a bound of 2^(2^31), rounded up: %s", text);
    perm_value_free(&value);
}

static void test_parse(void) {
    static const struct {
        const char *text, *want;
        mm_field field;
    } good[] = {{"12", "12", MM_INTEGER},
                {"-123456789012345678901234567890", "-123456789012345678901234567890", MM_INTEGER},
                {"2.5", "2.5", MM_REAL},
                {"1e3", "1000", MM_REAL},
                {"0.00e-999", "0", MM_REAL},
                {"5e-324", "4.9406564584124654e-324", MM_REAL},
                {"1 -2", "1 -2", MM_COMPLEX}};
    static const char *const bad[] = {"",      "x",   "1.5x",         "1 2 3",       "nan",
                                      "1e999", "--1", "1e-999999999", "1 -0.02e-400"};
    perm_value value;
    mm_field field;
    perm_value_init(&value);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        base_status status = perm_value_parse(&context, good[i].text, &value, &field);
        tap_ok(status == BASE_OK && field == good[i].field, "'%s' is read as %s", good[i].text,
               mm_field_name(good[i].field));
        check_print(&value, field, good[i].want, "... and printed");
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        tap_ok(perm_value_parse(&context, bad[i], &value, &field) == BASE_DAMAGED, "'%s' is refused", bad[i]);
    perm_value_free(&value);
}

/* `% perm.factor` as it is read: NULL where it is refused. */
static void check_factor(const char *text, const char *want) {
    mm_record record;
    perm_value factor;
    mm_field field;
    bool found;
    perm_value_init(&factor);
    mm_record_init(&record);
    mm_metadata_set(&context, &record, "perm.factor", "%s", text);
    const base_status status = perm_value_get_factor(&context, &record, &factor, &field, &found);
    tap_ok(status == (want != NULL ? BASE_OK : BASE_DAMAGED), "the factor '%s' is %s", text,
           want != NULL ? "read" : "refused");
    if (want != NULL)
        check_print(&factor, field, want, "... and printed");
    else
        tap_ok(strncmp(context.error.cause, "perm.factor: '", 14) == 0, "... by its name: %s",
               context.error.cause);
    perm_value_free(&factor);
    mm_record_free(&record);
}

static void test_factors(void) {
    check_factor("-0x1f3p-2", "-124.75");
    check_factor("0x1p+1073741824", "4.1971574329347754e+323228496");
    check_factor("0x1p0 0x1p-1073741824", "1 2.3825649048879511e-323228497");
    check_factor("0x1p1073741825", NULL);
    check_factor("0x1p0 -0x1p-1073741825", NULL);
    check_factor("0x1p10000000000", NULL);
    check_factor("0x1p-9223372036854775808", NULL);
    check_factor("0x1p99999999999999999999", NULL);
    check_factor("1e-999999999", NULL);
    check_factor("six", NULL);
    /* What cannot be read is not written. */
    mm_record record;
    perm_value factor;
    mm_record_init(&record);
    perm_value_init(&factor);
    perm_value_set_integer(&factor, 3);
    perm_value_scale(&factor, PERM_EXPONENT_MOST + INT64_C(1));
    tap_ok(perm_value_set_factor(&context, &record, &factor, MM_REAL) == BASE_FAILED,
           "a factor beyond the range is not written");
    perm_value_free(&factor);
    mm_record_free(&record);
}

static void test_arithmetic(void) {
    perm_value a, b;
    perm_product product;
    perm_value_init(&a);
    perm_value_init(&b);
    perm_value_set_complex(&a, 3, 2);
    perm_value_set_complex(&b, 0.5, -4);
    perm_value_multiply(&a, &b);
    check_print(&a, MM_COMPLEX, "9.5 -11", "(3 + 2i)(0.5 - 4i)");
    perm_value_add(&a, &b);
    check_print(&a, MM_COMPLEX, "10 -15", "plus 0.5 - 4i");
    perm_value_set_integer(&a, 0);
    perm_value_add(&a, &b);
    check_print(&a, MM_COMPLEX, "0.5 -4", "0 plus 0.5 - 4i");
    /* 1 + 2^-200 - 1: nothing may be lost. */
    perm_value_set_integer(&a, 1);
    perm_value_set_integer(&b, 1);
    perm_value_scale(&b, -200);
    perm_value_add(&a, &b);
    perm_value_set_integer(&b, -1);
    perm_value_add(&a, &b);
    check_print(&a, MM_REAL, "6.223015277861142e-61", "1 + 2^-200 - 1");
    perm_product_init(&product);
    for (int i = 1; i <= 30; i++) {
        perm_value_set_integer(&a, i);
        perm_product_take(&product, &a);
    }
    perm_product_finish(&product, &a);
    check_print(&a, MM_INTEGER, "265252859812191058636308480000000", "30! as a product of 30");
    perm_product_finish(&product, &a);
    check_print(&a, MM_INTEGER, "1", "the empty product");
    perm_product_free(&product);
    perm_value_free(&a);
    perm_value_free(&b);
}

/* The error of a product and a sum covers what moving the operands inside their bounds can do. */
static void test_bounds(void) {
    base_random random;
    bool good = true, cut = true;
    base_random_init(&random, 7, 0);
    for (int i = 0; i < 2000; i++) {
        perm_value a, b, moved_a, moved_b;
        perm_value *all[] = {&a, &b, &moved_a, &moved_b};
        double x[2], e[2];
        for (int k = 0; k < 4; k++)
            perm_value_init(all[k]);
        for (int k = 0; k < 2; k++) {
            x[k] = ldexp(base_random_uniform(&random) - 0.5, (int)base_random_below(&random, 60));
            e[k] = ldexp(base_random_uniform(&random), (int)base_random_below(&random, 40) - 30);
            perm_value_set_complex(all[k], x[k], 0);
            all[k]->error = perm_bound_from_double(e[k]);
            perm_value shift;
            perm_value_init(&shift);
            perm_value_set_complex(all[k + 2], x[k], 0);
            perm_value_set_complex(&shift, base_random_below(&random, 2) ? e[k] : -e[k], 0);
            perm_value_add(all[k + 2], &shift);
            perm_value_free(&shift);
        }
        if (i % 2) {
            perm_value_multiply(&a, &b);
            perm_value_multiply(&moved_a, &moved_b);
        } else {
            perm_value_add(&a, &b);
            perm_value_add(&moved_a, &moved_b);
        }
        perm_bound stated = a.error;
        cut &= mpz_sgn(a.re) == 0 || mpz_sizeinbase(a.re, 2) < 300;
        perm_value_set_integer(&b, -1);
        perm_value_multiply(&b, &moved_a);
        a.error = (perm_bound){0, 0};
        perm_value_add(&a, &b);
        good &= perm_bound_at_most(perm_bound_of(&a), stated);
        for (int k = 0; k < 4; k++)
            perm_value_free(all[k]);
    }
    tap_ok(good, "2000 random sums and products stay inside their bounds (seed 7)");
    tap_ok(cut, "... with a few words of mantissa");
    char text[40];
    perm_bound_print(perm_bound_from_double(1.0 / 3), text);
    tap_ok(strcmp(text, "3.34e-1") == 0, "1/3 as a bound: 3.34e-1, got %s", text);
    perm_bound_print((perm_bound){0, 0}, text);
    tap_ok(strcmp(text, "0") == 0, "no error: 0, got %s", text);
    tap_ok(perm_bound_log2(perm_bound_multiply((perm_bound){1, 5000}, (perm_bound){1, 5000})) >= 10000,
           "bounds do not overflow");
}

/* value ± 2^error, estimated at 2^estimate. */
static void set_estimated(perm_value *value, double number, int error, int estimate) {
    perm_value_set_complex(value, number, 0);
    value->error = perm_bound_from_double(ldexp(1, error));
    perm_value_set_estimate(value, perm_bound_from_double(ldexp(1, estimate)));
}

static bool is_near(perm_bound bound, double want) {
    const double log2_ratio = perm_bound_log2(bound) - log2(want);
    return log2_ratio >= 0 && log2_ratio < 1e-9;
}

static void test_estimates(void) {
    perm_value a, b;
    perm_value_init(&a);
    perm_value_init(&b);
    set_estimated(&a, 3, -10, -40);
    set_estimated(&b, 5, -20, -10);
    tap_ok(a.estimate.mantissa != 0 && b.estimate.mantissa == 0, "an estimate beyond the bound is none");
    perm_value_add(&a, &b);
    tap_ok(is_near(a.error, 0x1p-10 + 0x1p-20) && is_near(perm_value_estimate(&a), 0x1p-40 + 0x1p-20),
           "a sum: bounds add up, and estimates with the bound of what has none");
    set_estimated(&a, 3, -10, -40);
    perm_value_multiply(&a, &b);
    tap_ok(is_near(perm_value_estimate(&a), 3 * 0x1p-20 + (5 + 0x1p-20) * 0x1p-40), "a product's estimate");
    set_estimated(&a, 3, -10, -40);
    perm_value_scale(&a, 7);
    tap_ok(is_near(a.error, 0x1p-3) && is_near(a.estimate, 0x1p-33), "both are scaled");
    set_estimated(&a, 2, -3, -40);
    perm_value_round_to_integer(&a);
    tap_ok(perm_value_is_exact(&a) && a.estimate.mantissa == 0, "an integer by its bound has no estimate");
    set_estimated(&a, 2, 3, -40);
    perm_value_round_to_integer(&a);
    tap_ok(!perm_value_is_exact(&a), "an estimate says of no integer that it is one");
    /* 2^-14 is 6e-5: of 1/3 four digits are known and the next one nearly. */
    set_estimated(&a, 1.0 / 3, 20, -14);
    check_print(&a, MM_REAL, "0.3333", "1/3 by its estimate");
    set_estimated(&a, -1e6 / 3, 20, 10);
    check_print(&a, MM_REAL, "-3.33e5", "-1e6/3 by its estimate, without zeros that look like digits");
    set_estimated(&a, 1.0 / 3, 20, 4);
    check_print(&a, MM_REAL, "0.3", "one digit where none is known");
    set_estimated(&a, 1.0 / 3, 20, -60);
    check_print(&a, MM_REAL, "0.3333333333333333", "the double where all are known");
    perm_value_free(&a);
    perm_value_free(&b);
}

int main(void) {
    base_context_init(&context);
    test_print();
    test_estimates();
    test_parse();
    test_factors();
    test_arithmetic();
    test_bounds();
    return tap_done();
}
