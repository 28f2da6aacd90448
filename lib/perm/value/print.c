/* SPDX-License-Identifier: BSD-3-Clause */
/* Values as text, with as many digits as their bounds allow (value.h). */
#include "base/core/memory.h"
#include "mm/decimal/decimal.h"
#include "perm/value/decimal_digits.h"
#include "perm/value/value.h"

#include <float.h>
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Digits of a number beyond the range of doubles; digits that a double gives back. */
enum { LONG_DIGITS = 17, DOUBLE_DIGITS = 15, LONGEST = 64 };

static base_status print_integer(base_context *context, const perm_value *value, char **text) {
    base_status status = BASE_OK;
    mpz_t integer;
    mpz_init(integer);
    if (value->exponent >= 0)
        mpz_mul_2exp(integer, value->re, (mp_bitcnt_t)value->exponent);
    else
        mpz_tdiv_q_2exp(integer, value->re, (mp_bitcnt_t)-value->exponent);
    *text = base_alloc(context, (int64_t)mpz_sizeinbase(integer, 10) + 2, 1);
    if (*text != NULL)
        mpz_get_str(*text, 10, integer);
    else
        status = BASE_MACHINE;
    mpz_clear(integer);
    return status;
}

int64_t perm_value_count_digits(const perm_value *value, mpz_srcptr part, int64_t most) {
    const perm_bound error = perm_value_estimate(value);
    if (error.mantissa == 0)
        return most;
    const double bits = (double)mpz_sizeinbase(part, 2) + (double)value->exponent - perm_bound_log2(error);
    const double meant = floor(bits * log10(2)) + 1;
    return meant < 1 ? 1 : meant < (double)most ? (int64_t)meant : most;
}

/* The double nearest to a number, or to its first digits. */
static double round_double(mpfr_srcptr number, int digits) {
    char text[LONGEST];
    if (digits > DOUBLE_DIGITS)
        return mpfr_get_d(number, MPFR_RNDN);
    mpfr_snprintf(text, sizeof text, "%.*RNe", digits - 1, number);
    return strtod(text, NULL);
}

/* Writes the first digits with an exponent; `is_short`: as doubles are written, without zeros at the end and
 * without a plus. The length, -1 where there is no memory. */
static int print_digits(mpz_srcptr mantissa, int64_t exponent, int digits, bool is_short,
                        char text[LONGEST]) {
    int64_t point = 0;
    char *found = perm_digits(mantissa, exponent, digits, false, &point);
    if (found == NULL)
        return -1;
    int count = (int)strlen(found);
    while (is_short && count > 1 && found[count - 1] == '0')
        count--;
    const int length = snprintf(text, LONGEST, "%s%c%s%.*se%s%lld", mpz_sgn(mantissa) < 0 ? "-" : "",
                                found[0], count > 1 ? "." : "", count - 1, found + 1,
                                is_short || point < 1 ? "" : "+", (long long)point - 1);
    free(found);
    return length;
}

double perm_value_to_double(const perm_value *value, mpz_srcptr part) {
    mpfr_t number;
    mpz_t power;
    const mpfr_prec_t bits = (mpfr_prec_t)mpz_sizeinbase(part, 2) + 1;
    mpfr_init2(number, bits > DBL_MANT_DIG ? bits : DBL_MANT_DIG);
    mpfr_set_z_2exp(number, part, value->exponent, MPFR_RNDN);
    if (value->fives > 0) {
        mpz_init(power);
        mpz_ui_pow_ui(power, 5, (unsigned long)value->fives);
        mpfr_t quotient;
        mpfr_init2(quotient, DBL_MANT_DIG);
        mpfr_div_z(quotient, number, power, MPFR_RNDN);
        mpfr_swap(number, quotient);
        mpfr_clear(quotient);
        mpz_clear(power);
    }
    const double nearest = mpfr_get_d(number, MPFR_RNDN);
    mpfr_clear(number);
    return nearest;
}

/* Writes one part without a NUL; the length is returned, -1 where there is no memory. */
static int print_part(const perm_value *value, mpz_srcptr mantissa, char text[LONGEST]) {
    mpfr_t number;
    if (mpz_sgn(mantissa) == 0) {
        *text = '0';
        return 1;
    }
    const int digits = (int)perm_value_count_digits(value, mantissa, LONG_DIGITS);
    mpfr_init2(number, (mpfr_prec_t)mpz_sizeinbase(mantissa, 2) + 1);
    mpfr_set_z_2exp(number, mantissa, value->exponent, MPFR_RNDN);
    const double nearest = round_double(number, digits);
    mpfr_clear(number);
    const bool is_double = fabs(nearest) >= DBL_MIN && fabs(nearest) <= DBL_MAX,
               /* Zeros before the point would look like digits. */
        is_plain = digits > DOUBLE_DIGITS || fabs(nearest) < pow(10, digits);
    return is_double && is_plain ? mm_decimal_write_double(text, nearest)
                                 : print_digits(mantissa, value->exponent, digits, is_double, text);
}

base_status perm_value_print(base_context *context, const perm_value *value, mm_field field, char **text) {
    if (field == MM_PATTERN || field == MM_INTEGER)
        return print_integer(context, value, text);
    char *line = base_alloc(context, 2 * LONGEST + 2, 1);
    *text = line;
    if (line == NULL)
        return BASE_MACHINE;
    const int real = print_part(value, value->re, line);
    int imaginary = 0;
    if (real >= 0 && field == MM_COMPLEX) {
        line[real] = ' ';
        imaginary = print_part(value, value->im, line + real + 1);
    }
    if (real < 0 || imaginary < 0)
        return base_fail(context, BASE_MACHINE, "no memory for the digits of a permanent");
    line[field == MM_COMPLEX ? real + 1 + imaginary : real] = 0;
    return BASE_OK;
}

void perm_bound_print(perm_bound bound, char text[40]) {
    mpz_t mantissa;
    int64_t point = 0;
    if (bound.mantissa == 0) {
        strcpy(text, "0");
        return;
    }
    mpz_init(mantissa);
    mpz_set_d(mantissa, ldexp(bound.mantissa, 53));
    char *digits = perm_digits(mantissa, bound.exponent - 53, 3, true, &point);
    if (digits != NULL)
        snprintf(text, 40, "%c.%se%lld", digits[0], digits + 1, (long long)point - 1);
    else
        strcpy(text, "?");
    free(digits);
    mpz_clear(mantissa);
}
