/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/value/value.h"
#include "base/core/memory.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

/* What a rounded value keeps beyond its error. */
enum { GUARD_BITS = 64 };

void perm_value_init(perm_value *value) {
    mpz_init(value->re);
    mpz_init(value->im);
    value->exponent = value->fives = 0;
    value->error = value->estimate = (perm_bound){0, 0};
}

void perm_value_free(perm_value *value) {
    if (value == NULL)
        return;
    mpz_clear(value->re);
    mpz_clear(value->im);
    perm_value_init(value);
}

void perm_value_move(perm_value *to, perm_value *from) {
    perm_value_free(to);
    *to = *from;
    perm_value_init(from);
}

void perm_value_copy(perm_value *to, const perm_value *from) {
    mpz_set(to->re, from->re);
    mpz_set(to->im, from->im);
    to->exponent = from->exponent;
    to->fives = from->fives;
    to->error = from->error;
    to->estimate = from->estimate;
}

static void set_exact(perm_value *value) {
    value->error = value->estimate = (perm_bound){0, 0};
}

void perm_value_set_estimate(perm_value *value, perm_bound estimate) {
    value->estimate = perm_bound_at_most(value->error, estimate) ? (perm_bound){0, 0} : estimate;
}

/* Both errors grow. */
static void add_error(perm_value *value, perm_bound more) {
    value->error = perm_bound_add(value->error, more);
    if (value->estimate.mantissa != 0)
        perm_value_set_estimate(value, perm_bound_add(value->estimate, more));
}

/* mpz_set_ui takes memory for a 0, too, which most imaginary parts are. */
static void set_zero(mpz_t part) {
    if (mpz_sgn(part) != 0)
        mpz_set_ui(part, 0);
}

void perm_value_set_integer(perm_value *value, int64_t integer) {
    if (integer != 0)
        mpz_set_si(value->re, integer);
    else
        set_zero(value->re);
    set_zero(value->im);
    value->exponent = value->fives = 0;
    set_exact(value);
}

static int64_t set_double(mpz_t mantissa, double value) {
    int exponent;
    const int64_t whole = (int64_t)ldexp(frexp(value, &exponent), 53);
    if (whole == 0) {
        set_zero(mantissa);
        return 0;
    }
    const int zeros = __builtin_ctzll((unsigned long long)whole);
    mpz_set_si(mantissa, whole >> zeros);
    return exponent - 53 + zeros;
}

/* Brings two mantissas to the smaller of their exponents, which is returned. */
static int64_t align(mpz_t a, int64_t a_exponent, mpz_t b, int64_t b_exponent) {
    if (mpz_sgn(a) == 0)
        return b_exponent;
    if (mpz_sgn(b) == 0)
        return a_exponent;
    if (a_exponent > b_exponent) {
        mpz_mul_2exp(a, a, (mp_bitcnt_t)(a_exponent - b_exponent));
        return b_exponent;
    }
    mpz_mul_2exp(b, b, (mp_bitcnt_t)(b_exponent - a_exponent));
    return a_exponent;
}

void perm_value_set_complex(perm_value *value, double re, double im) {
    int64_t re_exponent = set_double(value->re, re);
    int64_t im_exponent = set_double(value->im, im);
    value->exponent = im == 0 ? re_exponent : align(value->re, re_exponent, value->im, im_exponent);
    value->fives = 0;
    set_exact(value);
}

bool perm_value_set_digits(perm_value *value, const char *digits) {
    perm_value_set_integer(value, 0);
    return mpz_set_str(value->re, digits + (*digits == '+'), 10) == 0;
}

bool perm_exponent_is_in_range(int64_t exponent) {
    return exponent >= -PERM_EXPONENT_MOST && exponent <= PERM_EXPONENT_MOST;
}

bool perm_value_is_in_range(const perm_value *value) {
    return perm_exponent_is_in_range(value->exponent) && perm_exponent_is_in_range(value->fives) &&
           perm_exponent_is_in_range(value->error.exponent);
}

bool perm_value_is_zero(const perm_value *value) {
    return mpz_sgn(value->re) == 0 && mpz_sgn(value->im) == 0 && value->error.mantissa == 0;
}

bool perm_value_is_exact(const perm_value *value) {
    return value->error.mantissa == 0;
}

void perm_value_round(perm_value *value) {
    if (value->error.mantissa == 0)
        return;
    /* Bits below the error by more than the guard mean nothing. */
    int64_t cut = perm_value_estimate(value).exponent - GUARD_BITS - value->exponent;
    if (cut <= 0)
        return;
    mpz_tdiv_q_2exp(value->re, value->re, (mp_bitcnt_t)cut);
    mpz_tdiv_q_2exp(value->im, value->im, (mp_bitcnt_t)cut);
    value->exponent += cut;
    add_error(value, (perm_bound){1, value->exponent + 1});
}

/* |ab - a'b'| ≤ |a|·δb + |b|·δa + δa·δb, with a and b as computed. */
static perm_bound multiply_errors(perm_bound a, perm_bound error_a, perm_bound b, perm_bound error_b) {
    return perm_bound_add(perm_bound_multiply(a, error_b),
                          perm_bound_multiply(perm_bound_add(b, error_b), error_a));
}

void perm_value_multiply(perm_value *to, const perm_value *by) {
    if (to->error.mantissa != 0 || by->error.mantissa != 0) {
        const perm_bound a = perm_bound_of(to), b = perm_bound_of(by);
        const perm_bound estimate = multiply_errors(a, perm_value_estimate(to), b, perm_value_estimate(by));
        to->error = multiply_errors(a, to->error, b, by->error);
        perm_value_set_estimate(to, estimate);
    }
    if (mpz_sgn(to->im) == 0 && mpz_sgn(by->im) == 0) {
        mpz_mul(to->re, to->re, by->re);
    } else {
        mpz_t re, im;
        mpz_init(re);
        mpz_init(im);
        mpz_mul(re, to->re, by->re);
        mpz_submul(re, to->im, by->im);
        mpz_mul(im, to->re, by->im);
        mpz_addmul(im, to->im, by->re);
        mpz_swap(to->re, re);
        mpz_swap(to->im, im);
        mpz_clear(re);
        mpz_clear(im);
    }
    to->exponent += by->exponent;
    to->fives += by->fives;
    perm_value_round(to);
}

/* So that it has `fives`, which are more. */
static void multiply_fives(perm_value *value, int64_t fives) {
    mpz_t power;
    mpz_init(power);
    mpz_ui_pow_ui(power, 5, (unsigned long)(fives - value->fives));
    mpz_mul(value->re, value->re, power);
    mpz_mul(value->im, value->im, power);
    value->fives = fives;
    mpz_clear(power);
}

/* The sum of values with different fives. */
static void add_decimal(perm_value *to, const perm_value *by) {
    perm_value other;
    perm_value_init(&other);
    perm_value_copy(&other, by);
    if (to->fives < other.fives)
        multiply_fives(to, other.fives);
    else
        multiply_fives(&other, to->fives);
    perm_value_add(to, &other);
    perm_value_free(&other);
}

void perm_value_add(perm_value *to, const perm_value *by) {
    bool zero = mpz_sgn(to->re) == 0 && mpz_sgn(to->im) == 0;
    int64_t gap = zero ? 0 : by->exponent - to->exponent;
    const perm_bound estimate = perm_bound_add(perm_value_estimate(to), perm_value_estimate(by));
    to->error = perm_bound_add(to->error, by->error);
    perm_value_set_estimate(to, estimate);
    if (zero) {
        to->exponent = by->exponent;
        to->fives = by->fives;
    }
    if (mpz_sgn(by->re) == 0 && mpz_sgn(by->im) == 0)
        return;
    if (to->fives != by->fives) {
        add_decimal(to, by);
        return;
    }
    if (gap < 0) {
        mpz_mul_2exp(to->re, to->re, (mp_bitcnt_t)-gap);
        mpz_mul_2exp(to->im, to->im, (mp_bitcnt_t)-gap);
        to->exponent = by->exponent;
        gap = 0;
    }
    mpz_t shifted;
    mpz_init(shifted);
    mpz_mul_2exp(shifted, by->re, (mp_bitcnt_t)gap);
    mpz_add(to->re, to->re, shifted);
    mpz_mul_2exp(shifted, by->im, (mp_bitcnt_t)gap);
    mpz_add(to->im, to->im, shifted);
    mpz_clear(shifted);
    perm_value_round(to);
}

void perm_value_scale(perm_value *value, int64_t exponent) {
    value->exponent += exponent;
    if (value->error.mantissa != 0)
        value->error.exponent += exponent;
    if (value->estimate.mantissa != 0)
        value->estimate.exponent += exponent;
}

void perm_value_divide_factorial(perm_value *value, int64_t d) {
    mpz_t factorial;
    mpz_ptr part[2] = {value->re, value->im};
    if (d < 2)
        return;
    mpz_init(factorial);
    mpz_fac_ui(factorial, (unsigned long)d);
    const mp_bitcnt_t twos = mpz_scan1(factorial, 0);
    mpz_tdiv_q_2exp(factorial, factorial, twos);
    perm_value_scale(value, -(int64_t)twos);
    if (perm_value_is_exact(value)) {
        for (int k = 0; k < 2; k++)
            mpz_divexact(part[k], part[k], factorial);
    } else {
        /* The quotient keeps as many bits; what is cut off is added to the error. */
        const mp_bitcnt_t shift = mpz_sizeinbase(factorial, 2) + 64;
        long exponent;
        const double mantissa = mpz_get_d_2exp(&exponent, factorial);
        perm_bound inverse = perm_bound_from_double(1 / mantissa);
        inverse.exponent -= exponent;
        const perm_bound estimate = perm_bound_multiply(perm_value_estimate(value), inverse);
        value->error = perm_bound_multiply(value->error, inverse);
        perm_value_set_estimate(value, estimate);
        for (int k = 0; k < 2; k++) {
            mpz_mul_2exp(part[k], part[k], shift);
            mpz_tdiv_q(part[k], part[k], factorial);
        }
        value->exponent -= (int64_t)shift;
        add_error(value, (perm_bound){1, value->exponent + 1});
        perm_value_round(value);
    }
    mpz_clear(factorial);
}

void perm_value_round_to_integer(perm_value *value) {
    const perm_bound half = {0.5, 0};
    if (perm_value_is_exact(value) || !perm_bound_at_most(perm_bound_add(value->error, value->error), half))
        return;
    if (value->exponent < 0) {
        const mp_bitcnt_t shift = (mp_bitcnt_t)-value->exponent;
        mpz_t middle;
        mpz_init(middle);
        mpz_setbit(middle, shift - 1);
        mpz_add(value->re, value->re, middle);
        mpz_fdiv_q_2exp(value->re, value->re, shift);
        mpz_clear(middle);
        value->exponent = 0;
    }
    set_exact(value);
}
