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

/* Digits of a number beyond the range of doubles. */
enum { LONG_DIGITS = 17, LONGEST = 64 };

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

/* Writes one part without a NUL; the length is returned, -1 where there is no memory. */
static int print_part(mpz_srcptr mantissa, int64_t exponent, char text[LONGEST]) {
    mpfr_t number;
    if (mpz_sgn(mantissa) == 0) {
        *text = '0';
        return 1;
    }
    mpfr_init2(number, (mpfr_prec_t)mpz_sizeinbase(mantissa, 2) + 1);
    mpfr_set_z_2exp(number, mantissa, exponent, MPFR_RNDN);
    double nearest = mpfr_get_d(number, MPFR_RNDN);
    int length;
    if (fabs(nearest) >= DBL_MIN && fabs(nearest) <= DBL_MAX) {
        length = mm_decimal_write_double(text, nearest);
    } else {
        int64_t point = 0;
        char *digits = perm_digits(mantissa, exponent, LONG_DIGITS, false, &point);
        length = digits != NULL ? snprintf(text, LONGEST, "%s%c.%se%+lld", mpz_sgn(mantissa) < 0 ? "-" : "",
                                           digits[0], digits + 1, (long long)point - 1)
                                : -1;
        free(digits);
    }
    mpfr_clear(number);
    return length;
}

base_status perm_value_print(base_context *context, const perm_value *value, mm_field field, char **text) {
    if (field == MM_PATTERN || field == MM_INTEGER)
        return print_integer(context, value, text);
    char *line = base_alloc(context, 2 * LONGEST + 2, 1);
    *text = line;
    if (line == NULL)
        return BASE_MACHINE;
    const int real = print_part(value->re, value->exponent, line);
    int imaginary = 0;
    if (real >= 0 && field == MM_COMPLEX) {
        line[real] = ' ';
        imaginary = print_part(value->im, value->exponent, line + real + 1);
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
