/* SPDX-License-Identifier: BSD-3-Clause */
/* Values with a chosen number of digits. */
#include "base/core/memory.h"
#include "perm/value/decimal_digits.h"
#include "perm/value/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Integers of so many digits are written without an exponent, as doubles are. */
enum { PLAIN_DIGITS = 16 };

static void multiply_fives(mpz_t integer, int64_t exponent) {
    mpz_t power;
    mpz_init(power);
    mpz_ui_pow_ui(power, 5, (unsigned long)exponent);
    mpz_mul(integer, integer, power);
    mpz_clear(power);
}

/* Prints all digits: mantissa·2^exponent·5^-fives is an integer times 10^-places. */
static char *get_all_digits(mpz_srcptr mantissa, int64_t exponent, int64_t fives, int64_t *point) {
    mpz_t integer;
    mpz_init(integer);
    mpz_abs(integer, mantissa);
    if (exponent < 0) {
        mp_bitcnt_t zeros = mpz_scan1(integer, 0);
        zeros = zeros < (mp_bitcnt_t)-exponent ? zeros : (mp_bitcnt_t)-exponent;
        mpz_tdiv_q_2exp(integer, integer, zeros);
        exponent += (int64_t)zeros;
    }
    int64_t places = exponent < 0 ? -exponent : 0;
    places = fives > places ? fives : places;
    mpz_mul_2exp(integer, integer, (mp_bitcnt_t)(exponent + places));
    multiply_fives(integer, places - fives);
    char *text = base_alloc_silent((int64_t)mpz_sizeinbase(integer, 10) + 2, 1);
    if (text != NULL) {
        mpz_get_str(text, 10, integer);
        *point = (int64_t)strlen(text) - places;
    }
    mpz_clear(integer);
    return text;
}

/* Puts sign, point and exponent to the digits; `line` has room for them and 40 bytes. The length. */
static int64_t lay_out(bool negative, char *digits, int64_t point, char *line) {
    char *to = line;
    int64_t length = (int64_t)strlen(digits);
    while (length > 1 && digits[length - 1] == '0')
        length--;
    digits[length] = 0;
    if (negative)
        *to++ = '-';
    if (point < -3 || (point > PLAIN_DIGITS && point > length)) {
        *to++ = digits[0];
        return to - line + sprintf(to, "%s%se%+lld", length > 1 ? "." : "", digits + 1, (long long)point - 1);
    }
    if (point <= 0) {
        to += sprintf(to, "0.");
        for (int64_t k = point; k < 0; k++)
            *to++ = '0';
        return to - line + sprintf(to, "%s", digits);
    }
    for (int64_t k = 0; k < point || k < length; k++) {
        if (k == point)
            *to++ = '.';
        *to++ = k < length ? digits[k] : '0';
    }
    *to = 0;
    return to - line;
}

static base_status print_part(base_context *context, mpz_srcptr mantissa, const perm_value *value,
                              int64_t digits, char **text) {
    int64_t point = 1;
    char *found;
    if (mpz_sgn(mantissa) == 0)
        found = base_copy_silent("0", 1);
    else if (digits == PERM_DIGITS_ALL && perm_value_is_exact(value))
        found = get_all_digits(mantissa, value->exponent, value->fives, &point);
    else
        found = perm_digits(
            mantissa, value->exponent,
            perm_value_count_digits(value, mantissa, digits == PERM_DIGITS_ALL ? INT32_MAX : digits), false,
            &point);
    if (found == NULL)
        return base_fail(context, BASE_MACHINE, "no memory for the digits of a permanent");
    *text = base_alloc(context, (int64_t)strlen(found) + 40, 1);
    if (*text != NULL)
        lay_out(mpz_sgn(mantissa) < 0, found, point, *text);
    free(found);
    return *text != NULL ? BASE_OK : BASE_MACHINE;
}

base_status perm_value_print_digits(base_context *context, const perm_value *value, mm_field field,
                                    int64_t digits, char **text) {
    base_status status = BASE_OK;
    char *part[2] = {NULL, NULL};
    *text = NULL;
    if (!perm_value_is_exact(value) && field < MM_REAL)
        field = MM_REAL;
    if (digits == PERM_DIGITS_SHORTEST || field < MM_REAL)
        return perm_value_print(context, value, field, text);
    BASE_TRY(print_part(context, value->re, value, digits, &part[0]));
    if (field == MM_COMPLEX) {
        BASE_TRY(print_part(context, value->im, value, digits, &part[1]));
        int64_t length = (int64_t)(strlen(part[0]) + strlen(part[1])) + 2;
        *text = base_alloc(context, length, 1);
        if (*text != NULL)
            sprintf(*text, "%s %s", part[0], part[1]);
        status = *text != NULL ? BASE_OK : BASE_MACHINE;
    } else {
        *text = part[0];
        part[0] = NULL;
    }
done:
    free(part[0]);
    free(part[1]);
    return status;
}
