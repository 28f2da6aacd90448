/* SPDX-License-Identifier: BSD-3-Clause */
/* Distances of values and tolerances: infinities, the ends of the range of doubles, integers of any size. */
#include "mm/record/value.h"
#include "tests/support/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A value: an integer's digits, a real number, or the two parts of a complex one. */
static mm_value parse_value(const char *text) {
    static char copies[2][2048];
    static int next;
    char *rest, *copy = strcpy(copies[next], text);
    next = !next;
    mm_value value = {.kind = MM_VALUE_REAL, .real = strtod(copy, &rest)};
    if (*rest != '\0')
        return (mm_value){.kind = MM_VALUE_COMPLEX, .real = value.real, .imaginary = strtod(rest, NULL)};
    if (strpbrk(copy, ".einf") != NULL)
        return value;
    int64_t starts[2] = {0};
    mm_record record = {.field = MM_INTEGER, .nnz = 1, .digits = copy, .digits_start = starts};
    return mm_value_of(&record, 0);
}

/* 1 followed by `zeros` zeros and a last digit. */
static const char *big(char *text, int zeros, char last) {
    text[0] = '1';
    memset(text + 1, '0', (size_t)zeros);
    text[zeros] = last;
    text[zeros + 1] = '\0';
    return text;
}

static void check_distance(const char *a_text, const char *b_text, double rtol, double atol, bool within) {
    const mm_value a = parse_value(a_text), b = parse_value(b_text);
    mm_distance there, back;
    mm_value_distance(&a, &b, rtol, atol, &there);
    mm_value_distance(&b, &a, rtol, atol, &back);
    tap_ok(there.within == within && back.within == within, "%.24s and %.24s are %swithin rtol %g, atol %g",
           a_text, b_text, within ? "" : "not ", rtol, atol);
    tap_ok(there.absolute == back.absolute && there.relative == back.relative && !isnan(there.absolute) &&
               !isnan(there.relative),
           "... from either side, %g and %g apart", there.absolute, there.relative);
}

static void check_table(void) {
    static const struct {
        const char *a, *b;
        double rtol, atol;
        bool within;
    } cases[] = {
        /* infinities */
        {"inf", "1.0", 1e-12, 0, false},
        {"inf", "1.0", 1e300, 1e300, false},
        {"inf", "-inf", 1.999, 1, false},
        {"inf", "1.7976931348623157e308", 2, 1, false},
        {"inf", "5", 2, 1, false},
        {"inf 1", "inf 1.0000001", 1e-3, 1e-3, false},
        {"1 inf", "1 -inf", 2, 1, false},
        {"inf 0", "1e300 0", 2, 1, false},
        /* beyond the range on the way */
        {"1e308", "-1e308", 1.999, 0, false},
        {"1e308", "-1e308", 2, 0, true},
        {"1e308", "-1e308", 1.999, 1.7e308, true},
        {"1e308", "-1e308", 0, 1.7e308, false},
        {"1.5e308", "1.4999e308", 1e-4, 0, true},
        {"1.5e308", "1.4999e308", 1e-5, 0, false},
        {"1e308", "1.1e308", 10, 0, true},
        {"1.7e308 1.7e308", "-1.7e308 -1.7e308", 1.999, 0, false},
        {"1.7e308 1.7e308", "1.7e308 1.6999e308", 1e-4, 0, true},
        {"1.7e308 1.7e308", "1.7e308 1.6999e308", 1e-5, 0, false},
        /* below it */
        {"5e-324", "1e-323", 0.4, 0, false},
        {"5e-324", "1e-323", 0.5, 0, true},
        {"5e-324", "-5e-324", 1.9, 0, false},
        {"5e-324", "-5e-324", 2, 0, true},
        {"5e-324", "0.0", 0.99, 0, false},
        {"5e-324", "-0.0", 1, 0, true},
        {"1e-310", "0.0", 0, 1e-309, true},
        {"1e308 1e-300", "1e308 2e-300", 0, 9e-301, false},
        {"1e308 1e-300", "1e308 2e-300", 0, 1.1e-300, true},
        /* integers */
        {"9007199254740993", "9007199254740992", 0, 0.5, false},
        {"9007199254740993", "9007199254740992", 0, 1, true},
        {"9007199254740993", "9007199254740992.0", 0, 0.5, false},
        {"9007199254740993", "9007199254740992.0", 0, 1, true},
        {"9007199254740993", "9007199254740992 0", 0, 0.5, false},
        {"9223372036854775807", "-9223372036854775808", 1.99, 0, false},
        {"9223372036854775807", "-9223372036854775808", 2, 0, true},
        {"9223372036854775807", "9223372036854775808.0", 0, 0.5, false},
        {"9223372036854775807", "9223372036854775808", 0, 1, true},
        {"18446744073709551616", "18446744073709551617", 0, 0.5, false},
        {"18446744073709551616", "18446744073709551617", 0, 1, true},
        {"18446744073709551617", "18446744073709551616.0", 0, 0.5, false},
        {"18446744073709551617", "0.5", 1, 0, true},
        {"18446744073709551617", "0.5", 0.99, 0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_distance(cases[i].a, cases[i].b, cases[i].rtol, cases[i].atol, cases[i].within);
}

static void check_long_integers(void) {
    char left[1024], right[1024];
    check_distance(big(left, 1000, '0'), big(right, 1000, '1'), 0, 0.5, false);
    check_distance(big(left, 1000, '0'), big(right, 1000, '1'), 0, 1, true);
    check_distance(big(left, 1000, '0'), big(right, 900, '0'), 0.99, 1e300, false);
    check_distance(big(left, 1000, '0'), big(right, 900, '0'), 1, 0, true);
    check_distance(big(left, 1000, '0'), "1e308", 0.99, 0, false);
    check_distance(big(left, 1000, '0'), "inf", 2, 1, false);
}

static void check_sizes(void) {
    const mm_value a = parse_value("9223372036854775807"), b = parse_value("9223372036854775805");
    mm_distance distance;
    mm_value_distance(&a, &b, 0, 0, &distance);
    tap_ok(distance.absolute == 2, "integers of 64 bits have an exact distance");
    const mm_value huge = parse_value("1e308"), other = parse_value("-1e308");
    mm_value_distance(&huge, &other, 0, 0, &distance);
    tap_ok(isinf(distance.absolute) && distance.relative == 2, "2e308 is beyond doubles, relatively it is 2");
}

int main(void) {
    check_table();
    check_long_integers();
    check_sizes();
    return tap_done();
}
