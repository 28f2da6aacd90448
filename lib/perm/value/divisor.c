/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/value/divisor.h"

void perm_divisor_init(perm_divisor *d) {
    mpz_init(d->odd);
    d->exponent = 0;
}

void perm_divisor_free(perm_divisor *d) {
    mpz_clear(d->odd);
}

void perm_divisor_clear(perm_divisor *d) {
    mpz_set_ui(d->odd, 0);
    d->exponent = 0;
}

void perm_value_take_twos(perm_value *value) {
    mp_bitcnt_t zeros = mpz_sgn(value->re) == 0 ? mpz_scan1(value->im, 0) : mpz_scan1(value->re, 0);
    if (mpz_sgn(value->re) != 0 && mpz_sgn(value->im) != 0 && mpz_scan1(value->im, 0) < zeros)
        zeros = mpz_scan1(value->im, 0);
    if (zeros == 0)
        return;
    mpz_tdiv_q_2exp(value->re, value->re, zeros);
    mpz_tdiv_q_2exp(value->im, value->im, zeros);
    value->exponent += (int64_t)zeros;
}

void perm_divisor_join(perm_divisor *d, const perm_value *value) {
    if (mpz_sgn(d->odd) == 0 || value->exponent < d->exponent)
        d->exponent = value->exponent;
    mpz_gcd(d->odd, d->odd, value->re);
    if (mpz_sgn(value->im) != 0)
        mpz_gcd(d->odd, d->odd, value->im);
    mpz_tdiv_q_2exp(d->odd, d->odd, mpz_scan1(d->odd, 0));
}

void perm_divisor_divide(const perm_divisor *d, perm_value *value) {
    value->exponent -= d->exponent;
    if (mpz_cmp_ui(d->odd, 1) == 0)
        return;
    mpz_divexact(value->re, value->re, d->odd);
    mpz_divexact(value->im, value->im, d->odd);
}

void perm_divisor_multiply(const perm_divisor *d, perm_value *value) {
    value->exponent += d->exponent;
    mpz_mul(value->re, value->re, d->odd);
    mpz_mul(value->im, value->im, d->odd);
}
