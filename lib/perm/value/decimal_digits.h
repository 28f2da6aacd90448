/* SPDX-License-Identifier: BSD-3-Clause */
/* Decimal digits of numbers whose exponents are beyond MPFR's range, as that is by default. */
#ifndef PERM_VALUE_DECIMAL_DIGITS_H
#define PERM_VALUE_DECIMAL_DIGITS_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

/* The leading `digits` ≥ 1 digits of |mantissa|·2^exponent, which is not 0, rounded to nearest or `up`, and
 * how many of them stand before the point. To be released with free(); NULL where there is no memory. For
 * |exponent| up to 2^60. */
char *perm_digits(mpz_srcptr mantissa, int64_t exponent, int64_t digits, bool up, int64_t *point);

#endif
