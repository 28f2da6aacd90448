/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounds of errors: nonnegative numbers with a 64-bit exponent, always rounded up (value.h). */
#include "perm/value/value.h"

#include <math.h>

/* Rounds up by more than the one rounding that went into the mantissa, which becomes one of [0.5, 1). */
static perm_bound normalise(double mantissa, int64_t exponent) {
    int shift;
    if (mantissa == 0)
        return (perm_bound){0, 0};
    mantissa = frexp(mantissa * (1 + 0x1p-51), &shift);
    return (perm_bound){mantissa, exponent + shift};
}

perm_bound perm_bound_from_double(double value) {
    return normalise(value, 0);
}

perm_bound perm_bound_add(perm_bound a, perm_bound b) {
    if (a.mantissa == 0)
        return b;
    if (b.mantissa == 0)
        return a;
    if (a.exponent < b.exponent)
        return perm_bound_add(b, a);
    int64_t gap = a.exponent - b.exponent;
    return normalise(a.mantissa + (gap > 60 ? 0x1p-60 : ldexp(b.mantissa, (int)-gap)), a.exponent);
}

perm_bound perm_bound_multiply(perm_bound a, perm_bound b) {
    return normalise(a.mantissa * b.mantissa, a.exponent + b.exponent);
}

static perm_bound bound_of_integer(mpz_srcptr integer, int64_t exponent) {
    long shift;
    const double mantissa = fabs(mpz_get_d_2exp(&shift, integer));
    return normalise(mantissa, mantissa == 0 ? 0 : exponent + shift);
}

perm_bound perm_bound_of(const perm_value *value) {
    perm_bound sum = bound_of_integer(value->re, value->exponent);
    if (mpz_sgn(value->im) != 0)
        sum = perm_bound_add(sum, bound_of_integer(value->im, value->exponent));
    if (sum.mantissa != 0 && value->fives != 0) {
        const double fives = -(double)value->fives * log2(5), whole = floor(fives);
        sum = normalise(sum.mantissa * exp2(fives - whole) * (1 + 1e-9), sum.exponent + (int64_t)whole);
    }
    return sum;
}

double perm_bound_log2(perm_bound bound) {
    return bound.mantissa == 0 ? -1e300 : log2(bound.mantissa) + (double)bound.exponent;
}

bool perm_bound_at_most(perm_bound a, perm_bound b) {
    if (a.mantissa == 0 || b.mantissa == 0)
        return a.mantissa == 0;
    int shift_a, shift_b;
    double mantissa_a = frexp(a.mantissa, &shift_a), mantissa_b = frexp(b.mantissa, &shift_b);
    int64_t exponent_a = a.exponent + shift_a, exponent_b = b.exponent + shift_b;
    return exponent_a != exponent_b ? exponent_a < exponent_b : mantissa_a <= mantissa_b;
}

double perm_value_log2(const perm_value *value) {
    size_t re = mpz_sgn(value->re) ? mpz_sizeinbase(value->re, 2) : 0;
    size_t im = mpz_sgn(value->im) ? mpz_sizeinbase(value->im, 2) : 0;
    size_t bits = re > im ? re : im;
    return bits ? (double)bits + (double)value->exponent - (double)value->fives * log2(5) : -1e300;
}
