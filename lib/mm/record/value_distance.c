/* SPDX-License-Identifier: BSD-3-Clause */
/* Distances of values by numbers whose exponents do not overflow. */
#include "mm/record/value.h"

#include <gmp.h>
#include <math.h>
#include <stdlib.h>

__extension__ typedef __int128 wide;

/* fraction·2^exponent with 1/2 <= |fraction| < 1, or 0·2^0. */
typedef struct number {
    double fraction;
    int64_t exponent;
} number;

static number normalize(double fraction, int64_t exponent) {
    int more = 0;
    fraction = frexp(fraction, &more);
    return (number){fraction, fraction == 0 ? 0 : exponent + more};
}

/* The fraction of x for the exponent; what is too small for a double beside 2^exponent becomes 0. */
static double align(number x, int64_t exponent) {
    const int64_t shift = x.exponent - exponent;
    return shift < -4096 ? 0 : ldexp(x.fraction, (int)shift);
}

static int64_t larger_exponent(number a, number b) {
    if (a.fraction == 0 || b.fraction == 0)
        return a.fraction == 0 ? b.exponent : a.exponent;
    return a.exponent > b.exponent ? a.exponent : b.exponent;
}

static number add(number a, number b) {
    const int64_t exponent = larger_exponent(a, b);
    return normalize(align(a, exponent) + align(b, exponent), exponent);
}

static number size(number re, number im) {
    const int64_t exponent = larger_exponent(re, im);
    return normalize(hypot(align(re, exponent), align(im, exponent)), exponent);
}

static double to_double(number x) {
    return x.exponent > 4096 ? copysign(INFINITY, x.fraction) : align(x, 0);
}

/* ---- real parts ---- */

/* An integer, or a double cut to one, of any size. */
static void set_integer(mpz_t to, const mm_value *value) {
    switch (value->kind) {
    case MM_VALUE_BIG:
        mpz_set_str(to, value->digits, 10);
        if (value->negative)
            mpz_neg(to, to);
        break;
    case MM_VALUE_INTEGER: mpz_set_si(to, value->integer); break;
    default: mpz_set_d(to, value->real);
    }
}

static number from_integer(const mpz_t integer) {
    long exponent = 0;
    const double fraction = mpz_get_d_2exp(&exponent, integer);
    return (number){fraction, fraction == 0 ? 0 : exponent};
}

/* The real part of a; with b the exact difference from that of b, rounded. A fraction that is cut off a
 * double beside an integer beyond 64 bits is less than the rounding. */
static number from_big(const mm_value *a, const mm_value *b) {
    mpz_t integer, other;
    mpz_inits(integer, other, NULL);
    set_integer(integer, a);
    if (b != NULL) {
        set_integer(other, b);
        mpz_sub(integer, integer, other);
    }
    const number result = from_integer(integer);
    mpz_clears(integer, other, NULL);
    return result;
}

/* Whether the real part is an integer of at most 100 bits. */
static bool is_wide(const mm_value *value) {
    return value->kind == MM_VALUE_INTEGER ||
           (value->kind != MM_VALUE_BIG && fabs(value->real) < 0x1p100 && trunc(value->real) == value->real);
}

static wide to_wide(const mm_value *value) {
    return value->kind == MM_VALUE_INTEGER ? value->integer : (wide)value->real;
}

static number real_of(const mm_value *value) {
    return value->kind == MM_VALUE_BIG ? from_big(value, NULL) : normalize(value->real, 0);
}

static number real_difference(const mm_value *a, const mm_value *b) {
    if (a->kind == MM_VALUE_BIG || b->kind == MM_VALUE_BIG)
        return from_big(a, b);
    if (is_wide(a) && is_wide(b))
        return normalize((double)(to_wide(a) - to_wide(b)), 0);
    return add(normalize(a->real, 0), normalize(-b->real, 0));
}

/* ---- distances ---- */

static bool is_infinite(const mm_value *value) {
    return value->kind != MM_VALUE_BIG && (isinf(value->real) || isinf(value->imaginary));
}

/* The same in doubles, where nothing can leave their range; false elsewhere, and for integers. */
static bool is_plain(const mm_value *a, const mm_value *b, double rtol, double atol, mm_distance *distance) {
    if (a->kind < MM_VALUE_REAL || b->kind < MM_VALUE_REAL)
        return false;
    const double apart = hypot(a->real - b->real, a->imaginary - b->imaginary);
    const double largest = fmax(hypot(a->real, a->imaginary), hypot(b->real, b->imaginary));
    if (!(largest > 0x1p-900 && largest < 0x1p900) || rtol > 0x1p100)
        return false;
    *distance = (mm_distance){apart, apart / largest, apart <= atol + rtol * largest};
    return true;
}

void mm_value_distance(const mm_value *a, const mm_value *b, double rtol, double atol,
                       mm_distance *distance) {
    if (is_plain(a, b, rtol, atol, distance))
        return;
    if (is_infinite(a) || is_infinite(b)) {
        *distance = (mm_distance){INFINITY, INFINITY, false};
        return;
    }
    const number imaginary_a = normalize(a->imaginary, 0), imaginary_b = normalize(b->imaginary, 0),
                 minus_b = {-imaginary_b.fraction, imaginary_b.exponent};
    const number apart = size(real_difference(a, b), add(imaginary_a, minus_b));
    const number size_a = size(real_of(a), imaginary_a), size_b = size(real_of(b), imaginary_b);
    const number difference = add(size_a, (number){-size_b.fraction, size_b.exponent});
    const number largest = difference.fraction > 0 ? size_a : size_b;
    distance->absolute = to_double(apart);
    distance->relative = apart.fraction == 0 ? 0
                                             : ldexp(apart.fraction / largest.fraction,
                                                     (int)(apart.exponent - largest.exponent));
    const number factor = normalize(rtol, 0);
    const number allowed = add(normalize(atol, 0), normalize(factor.fraction * largest.fraction,
                                                             factor.exponent + largest.exponent));
    distance->within = add(apart, (number){-allowed.fraction, allowed.exponent}).fraction <= 0;
}
