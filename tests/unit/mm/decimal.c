/* SPDX-License-Identifier: BSD-3-Clause */
/* Decimal numbers: hard cases from the literature, random doubles against the C library, exact midpoints
 * against the rule of ties to even. */
#include "mm/decimal/decimal.h"
#include "base/core/random.h"
#include "tests/support/tap.h"

#include <gmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static base_random stream;

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static const struct {
    const char *text;
    double value; /* NAN: malformed, HUGE_VAL: out of range */
} hard_cases[] = {
    {"0", 0.0},
    {"-0", -0.0},
    {"+1", 1.0},
    {".5", 0.5},
    {"5.", 5.0},
    {"1D+02", 100.0},
    {"1d2", 100.0},
    {"1E-2", 0x1.47ae147ae147bp-7},
    {"4.9406564584124654e-324", 0x1p-1074},
    {"2.4703282292062327e-324", 0.0},       /* just below half of the smallest */
    {"2.4703282292062328e-324", 0x1p-1074}, /* just above */
    {"-2.4703282292062327e-324", -0.0},
    {"2.2250738585072011e-308", 0x0.fffffffffffffp-1022}, /* hung PHP and Java once */
    {"2.2250738585072012e-308", 0x1p-1022},
    {"2.2250738585072014e-308", 0x1p-1022},
    {"9007199254740992", 0x1p53},
    {"9007199254740993", 0x1p53}, /* halfway, to even */
    {"9007199254740995", 9007199254740996.0},
    {"9007199254740993.00000000000000000000000000000000000000001", 9007199254740994.0},
    {"1.7976931348623157e308", 0x1.fffffffffffffp1023},
    {"1.7976931348623158e308", 0x1.fffffffffffffp1023},
    {"1.7976931348623159e308", HUGE_VAL},
    {"-1e309", HUGE_VAL},
    {"1e999999999999999999999", HUGE_VAL},
    {"1e-999999999999999999999", 0.0},
    {"0e999999999999999999999", 0.0},
    {"0.000000000000000000000000000000000000000000001e45", 1.0},
    {"100000000000000000000000000000000000000000000e-44", 1.0},
    {"1e23", 0x1.52d02c7e14af6p76},
    {"8.98846567431158e307", 0x1p1023},
    {"3.518437208883201171875e13", 0x1.0000000000002p45}, /* Clinger's and Gay's favourites */
    {"62.5364939768271845828", 0x1.f44abd5aa7ca4p5},
    {"8.10109172351e-10", 0x1.bd5cbaef0fd0cp-31},
    {"1.50000000000000011102230246251565", 1.5},
    {"0.500000000000000166533453693773481063544750213623046875", 0x1.0000000000002p-1},
    {"", NAN},
    {".", NAN},
    {"-", NAN},
    {"+-1", NAN},
    {"1e", NAN},
    {"1e+", NAN},
    {"e5", NAN},
    {"nan", NAN},
    {"inf", NAN},
};

static void test_hard_cases(void) {
    for (size_t i = 0; i < sizeof hard_cases / sizeof *hard_cases; i++) {
        const char *text = hard_cases[i].text, *end = text;
        double want = hard_cases[i].value, value = 0;
        mm_decimal_status status = mm_decimal_read_double(&end, &value);
        if (isnan(want))
            tap_ok(status == MM_DECIMAL_MALFORMED, "'%s' is malformed", text);
        else if (isinf(want))
            tap_ok(status == MM_DECIMAL_OUT_OF_RANGE, "'%s' is out of range", text);
        else
            tap_ok(status == MM_DECIMAL_OK && *end == '\0' && bits_of(value) == bits_of(want),
                   "'%s' is %a (%a)", text, want, value);
    }
}

static const struct {
    double value;
    const char *text;
} written[] = {
    {0.0, "0"},
    {-0.0, "-0"},
    {5.0, "5"},
    {-1e15, "-1000000000000000"},
    {1e16, "1e16"},
    {123456.789, "123456.789"},
    {0.1, "0.1"},
    {0.001, "0.001"},
    {0.00012, "0.00012"},
    {0.000012, "1.2e-5"},
    {0x1p-1074, "5e-324"},
    {0x1.fffffffffffffp1023, "1.7976931348623157e308"},
    {0x1p-1022, "2.2250738585072014e-308"},
    {2e23, "2e23"},
    {0x1p63, "9.223372036854776e18"},
    {HUGE_VAL, "inf"},
    {-HUGE_VAL, "-inf"},
};

static void test_layout(void) {
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        char text[MM_DECIMAL_LONGEST + 1];
        text[mm_decimal_write_double(text, written[i].value)] = '\0';
        tap_ok(strcmp(text, written[i].text) == 0, "%a is written %s (%s)", written[i].value, written[i].text,
               text);
    }
}

/* Doubles of every sort: any bits, moderate exponents, few digits, subnormal, powers of two, integers. */
static double random_double(void) {
    uint64_t bits = base_random_bits(&stream);
    double value;
    switch (base_random_below(&stream, 6)) {
    case 0: break;
    case 1:
        bits = (bits & UINT64_C(0x800fffffffffffff)) | (970 + base_random_below(&stream, 120)) << 52;
        break;
    case 2: return (double)(int64_t)(bits >> base_random_below(&stream, 64)) / 1000;
    case 3: bits &= UINT64_C(0x800fffffffffffff); break;
    case 4: bits &= UINT64_C(0xfff0000000000000); break;
    case 5: return (double)(bits >> base_random_below(&stream, 64));
    }
    value = from_bits(bits);
    return isfinite(value) ? value : 1.0 / 3;
}

/* The digits of a number without leading and trailing zeros. */
static int significant_digits(const char *text, char *digits) {
    int count = 0, last = 0;
    for (; *text != '\0' && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9' && (count > 0 || *text != '0')) {
            digits[count++] = *text;
            if (*text != '0')
                last = count;
        }
    digits[last] = '\0';
    return last;
}

static void test_random(int count) {
    int wrong_reads = 0, wrong_writes = 0, longer = 0, farther = 0;
    for (int i = 0; i < count; i++) {
        double value = random_double(), back;
        char text[MM_DECIMAL_LONGEST + 1], printed[64], ours[64], theirs[64];
        text[mm_decimal_write_double(text, value)] = '\0';
        if (bits_of(strtod(text, NULL)) != bits_of(value)) {
            tap_note("%a written as %s", value, text);
            wrong_writes++;
        }
        int shortest = 1;
        do
            snprintf(printed, sizeof printed, "%.*e", shortest - 1, value);
        while (strtod(printed, NULL) != value && shortest++ < 17);
        int length = significant_digits(text, ours);
        longer += length > shortest;
        significant_digits(printed, theirs);
        /* printf rounds to the closest of that many digits. */
        farther += length == shortest && strcmp(ours, theirs) != 0;
        snprintf(printed, sizeof printed, "%.*e", (int)base_random_below(&stream, 26), value);
        const char *end = printed;
        mm_decimal_status status = mm_decimal_read_double(&end, &back);
        double want = strtod(printed, NULL);
        if (isinf(want) ? status != MM_DECIMAL_OUT_OF_RANGE
                        : status != MM_DECIMAL_OK || *end != '\0' || bits_of(back) != bits_of(want)) {
            tap_note("%s read as %a", printed, back);
            wrong_reads++;
        }
    }
    tap_ok(wrong_reads == 0, "%d random decimals are read as strtod does", count);
    tap_ok(wrong_writes == 0, "%d random doubles read back exactly", count);
    tap_ok(longer == 0, "none has more digits than the shortest %%e that reads back");
    tap_ok(farther == 0, "none of that length is closer");
}

static bool reads_as(const char *text, double want) {
    double value = 0;
    const char *end = text;
    bool good = mm_decimal_read_double(&end, &value) == MM_DECIMAL_OK && *end == '\0' &&
                bits_of(value) == bits_of(want);
    if (!good)
        tap_note("%s read as %a, not %a", text, value, want);
    return good;
}

/* The exact midpoint of two neighbours has up to 770 digits: it goes to the even one, and its last digit up
 * or down to that side. */
static void test_midpoints(int count) {
    mpz_t number, power;
    mpz_init(number);
    mpz_init(power);
    int wrong = 0;
    for (int i = 0; i < count; i++) {
        uint64_t bits = bits_of(random_double()) & ~(UINT64_C(1) << 63);
        if (bits >= UINT64_C(0x7fe) << 52)
            continue;
        double below = from_bits(bits), above = from_bits(bits + 1), even = bits & 1 ? above : below;
        int exponent = (int)(bits >> 52);
        uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
        mpz_set_ui(number, exponent ? fraction | UINT64_C(1) << 52 : fraction);
        mpz_mul_ui(number, number, 2);
        mpz_add_ui(number, number, 1);
        int power_of_two = (exponent ? exponent - 1075 : -1074) - 1, tens = 0;
        if (power_of_two >= 0)
            mpz_mul_2exp(number, number, (mp_bitcnt_t)power_of_two);
        else {
            tens = -power_of_two;
            mpz_ui_pow_ui(power, 5, (unsigned long)tens);
            mpz_mul(number, number, power);
        }
        char *digits = mpz_get_str(NULL, 10, number), text[2000];
        snprintf(text, sizeof text, "%se-%d", digits, tens);
        wrong += !reads_as(text, even);
        snprintf(text, sizeof text, "%s0000000000000000000000000000001e-%d", digits, tens + 31);
        wrong += !reads_as(text, above);
        free(digits);
        mpz_mul_ui(number, number, 10);
        mpz_sub_ui(number, number, 1);
        digits = mpz_get_str(NULL, 10, number);
        snprintf(text, sizeof text, "%se-%d", digits, tens + 1);
        wrong += !reads_as(text, below);
        free(digits);
    }
    mpz_clear(number);
    mpz_clear(power);
    tap_ok(wrong == 0, "%d exact midpoints and their neighbours are rounded right", count);
}

static void test_integers(int count) {
    static const struct {
        const char *text;
        mm_decimal_status status;
        int64_t value;
    } cases[] = {
        {"0", MM_DECIMAL_OK, 0},
        {"-0", MM_DECIMAL_OK, 0},
        {"+7", MM_DECIMAL_OK, 7},
        {"9223372036854775807", MM_DECIMAL_OK, INT64_MAX},
        {"-9223372036854775808", MM_DECIMAL_OK, INT64_MIN},
        {"9223372036854775808", MM_DECIMAL_OUT_OF_RANGE, 0},
        {"-9223372036854775809", MM_DECIMAL_OUT_OF_RANGE, 0},
        {"18446744073709551616", MM_DECIMAL_OUT_OF_RANGE, 0},
        {"00000000000000000000000000000012", MM_DECIMAL_OK, 12},
        {"", MM_DECIMAL_MALFORMED, 0},
        {"-", MM_DECIMAL_MALFORMED, 0},
        {"x", MM_DECIMAL_MALFORMED, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = 0;
        const char *end = cases[i].text;
        mm_decimal_status status = mm_decimal_read_int64(&end, &value);
        tap_ok(status == cases[i].status && (status != MM_DECIMAL_OK || value == cases[i].value),
               "integer '%s'", cases[i].text);
    }
    int wrong = 0;
    for (int i = 0; i < count; i++) {
        int64_t value = (int64_t)base_random_bits(&stream) >> base_random_below(&stream, 64), back = 0;
        if (i < 40)
            value = i < 20   ? (int64_t)pow(10, i / 2) - i % 2
                    : i < 30 ? INT64_MIN + i - 20
                             : INT64_MAX - i + 30;
        char text[MM_DECIMAL_LONGEST + 1], want[32];
        text[mm_decimal_write_int64(text, value)] = '\0';
        snprintf(want, sizeof want, "%lld", (long long)value);
        const char *end = text;
        wrong += strcmp(text, want) != 0 || mm_decimal_read_int64(&end, &back) != MM_DECIMAL_OK ||
                 back != value || *end != '\0';
    }
    tap_ok(wrong == 0, "%d random integers are written as printf does and read back", count);
}

int main(void) {
    const char *given = getenv("MMPIPE_SEED");
    uint64_t seed = given != NULL ? strtoull(given, NULL, 10) : 1;
    tap_note("MMPIPE_SEED=%llu", (unsigned long long)seed);
    base_random_init(&stream, seed, 0);
    test_hard_cases();
    test_layout();
    test_random(300000);
    test_midpoints(20000);
    test_integers(100000);
    return tap_done();
}
