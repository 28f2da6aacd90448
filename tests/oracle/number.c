/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/oracle/number.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

oracle_number *oracle_number_new(void) {
    oracle_number *number = malloc(sizeof *number);
    if (!number)
        abort();
    fmpq_init(number->part[0]);
    fmpq_init(number->part[1]);
    return number;
}

void oracle_number_free(oracle_number *number) {
    if (!number)
        return;
    fmpq_clear(number->part[0]);
    fmpq_clear(number->part[1]);
    free(number);
}

const char *oracle_read_decimal(const char *text, fmpz_t integer, slong *exponent) {
    const bool is_negative = *text == '-';
    bool has_point = false;
    *exponent = 0;
    fmpz_zero(integer);
    for (text += *text == '-' || *text == '+'; isdigit((unsigned char)*text) || *text == '.'; text++) {
        if (*text == '.') {
            has_point = true;
            continue;
        }
        fmpz_mul_ui(integer, integer, 10);
        fmpz_add_ui(integer, integer, (ulong)(*text - '0'));
        *exponent -= has_point;
    }
    if (*text == 'e') {
        char *end;
        *exponent += strtol(text + 1, &end, 10);
        text = end;
    }
    if (is_negative)
        fmpz_neg(integer, integer);
    return text;
}

void oracle_set_scaled(fmpq_t to, const fmpz_t integer, ulong base, slong exponent) {
    fmpz_t power;
    fmpz_init_set_ui(power, base);
    fmpz_pow_ui(power, power, (ulong)(exponent < 0 ? -exponent : exponent));
    fmpq_set_fmpz(to, integer);
    if (exponent < 0)
        fmpq_div_fmpz(to, to, power);
    else
        fmpq_mul_fmpz(to, to, power);
    fmpz_clear(power);
}

/* ---- results ---- */

/* |a - b| <= bound, by squares. */
static bool is_within(const oracle_number *a, const oracle_number *b, const fmpq_t bound) {
    fmpq_t sum, square;
    fmpq_init(sum);
    fmpq_init(square);
    for (int k = 0; k < 2; k++) {
        fmpq_sub(square, a->part[k], b->part[k]);
        fmpq_mul(square, square, square);
        fmpq_add(sum, sum, square);
    }
    fmpq_mul(square, bound, bound);
    const bool is = fmpq_cmp(sum, square) <= 0;
    fmpq_clear(sum);
    fmpq_clear(square);
    return is;
}

static void set_value(const perm_value *value, oracle_number *to) {
    const mpz_t *const parts[] = {&value->re, &value->im};
    fmpq_t fives;
    fmpz_t integer;
    fmpq_init(fives);
    fmpz_init(integer);
    fmpz_one(integer);
    oracle_set_scaled(fives, integer, 5, -value->fives);
    for (int k = 0; k < 2; k++) {
        fmpz_set_mpz(integer, *parts[k]);
        oracle_set_scaled(to->part[k], integer, 2, fmpz_is_zero(integer) ? 0 : value->exponent);
        fmpq_mul(to->part[k], to->part[k], fives);
    }
    fmpq_clear(fives);
    fmpz_clear(integer);
}

static void set_bound(const perm_bound *bound, fmpq_t to) {
    fmpz_t integer;
    int exponent;
    const double fraction = frexp(bound->mantissa, &exponent);
    fmpz_init(integer);
    fmpz_set_d(integer, ldexp(fraction, 53));
    oracle_set_scaled(to, integer, 2, fraction == 0 ? 0 : exponent - 53 + bound->exponent);
    fmpz_clear(integer);
}

/* How far the last of `digits` digits of a number may be from it, from half a unit on: 2^-52 of a double's
 * shortest digits, of others half a unit of the last digit, which may be as much as five times the error. */
static void add_rounding(const oracle_number *number, int64_t digits, const fmpq_t error, fmpq_t allowed) {
    fmpq_t share, size;
    fmpz_t integer;
    fmpq_init(share);
    fmpq_init(size);
    fmpz_init(integer);
    fmpz_one(integer);
    if (digits == PERM_DIGITS_SHORTEST)
        oracle_set_scaled(share, integer, 2, -52);
    else if (digits > 0)
        oracle_set_scaled(share, integer, 10, 1 - digits);
    for (int k = 0; k < 2; k++) {
        fmpq_abs(size, number->part[k]);
        fmpq_addmul(allowed, size, share);
    }
    if (!fmpq_is_zero(error)) {
        fmpz_set_ui(integer, 12);
        fmpq_set_fmpz(share, integer);
        fmpq_addmul(allowed, error, share);
    }
    fmpq_clear(share);
    fmpq_clear(size);
    fmpz_clear(integer);
}

/* Whether the last digit's unit, zeros at the end aside, is at least a fiftieth of the error: more digits
 * would mean nothing. One is always printed; with 16 digits and more it is the unit of the 16th that counts
 * of a double's shortest digits, which may be 17. */
static bool has_support(const char *printed, int64_t digits, const fmpq_t error) {
    enum { DOUBLE_DIGITS = 16 };
    fmpz_t integer;
    fmpq_t unit;
    slong exponent;
    fmpz_init(integer);
    fmpq_init(unit);
    bool is = true;
    while (*printed != '\0') {
        printed = oracle_read_decimal(printed, integer, &exponent);
        printed += *printed == ' ';
        while (!fmpz_is_zero(integer) && fmpz_divisible_si(integer, 10)) {
            fmpz_divexact_ui(integer, integer, 10);
            exponent++;
        }
        const slong count = (slong)fmpz_sizeinbase(integer, 10);
        if (digits == PERM_DIGITS_SHORTEST && count > DOUBLE_DIGITS)
            exponent += count - DOUBLE_DIGITS;
        fmpz_set_ui(integer, 50);
        oracle_set_scaled(unit, integer, 10, exponent);
        is = is && (count <= 1 || fmpq_cmp(unit, error) >= 0);
    }
    fmpz_clear(integer);
    fmpq_clear(unit);
    return is;
}

static void read_printed(const char *printed, oracle_number *to) {
    fmpz_t integer;
    slong exponent;
    fmpz_init(integer);
    fmpq_zero(to->part[1]);
    for (int k = 0; k < 2 && *printed != '\0'; k++) {
        printed = oracle_read_decimal(printed, integer, &exponent);
        printed += *printed == ' ';
        oracle_set_scaled(to->part[k], integer, 10, exponent);
    }
    fmpz_clear(integer);
}

/* `error`: the estimate, or the bound where there is none. */
static const char *check(const oracle_number *permanent, const char *printed, const fmpq_t error,
                         int64_t digits) {
    const char *wrong = NULL;
    fmpq_t allowed;
    oracle_number *number = oracle_number_new();
    fmpq_init(allowed);
    fmpq_set(allowed, error);
    read_printed(printed, number);
    add_rounding(number, digits, error, allowed);
    if (!is_within(number, permanent, allowed))
        wrong = "what is printed is too far from the permanent";
    else if (!fmpq_is_zero(error) && !has_support(printed, digits, error))
        wrong = "more digits are printed than the estimate of the error, or its bound, supports";
    fmpq_clear(allowed);
    oracle_number_free(number);
    return wrong;
}

const char *oracle_check_value(const oracle_number *permanent, const perm_value *value, const char *printed,
                               int64_t digits) {
    const char *wrong;
    fmpq_t bound, estimate;
    const perm_bound estimated = perm_value_estimate(value);
    oracle_number *number = oracle_number_new();
    fmpq_init(bound);
    fmpq_init(estimate);
    set_value(value, number);
    set_bound(&value->error, bound);
    set_bound(&estimated, estimate);
    if (!is_within(number, permanent, bound))
        wrong = fmpq_is_zero(bound) ? "the value is said to be exact and is not"
                                    : "the value is farther from the permanent than its bound";
    else if (!is_within(number, permanent, estimate))
        wrong = "the value is farther from the permanent than its error is estimated";
    else
        wrong = check(permanent, printed, estimate, digits);
    oracle_number_free(number);
    fmpq_clear(bound);
    fmpq_clear(estimate);
    return wrong;
}

const char *oracle_check_double(const oracle_number *permanent, const double number[2],
                                const char *bound_text) {
    fmpq_t bound;
    perm_value value;
    oracle_number *computed = oracle_number_new(), *read = oracle_number_new();
    fmpq_init(bound);
    perm_value_init(&value);
    perm_value_set_complex(&value, number[0], number[1]);
    set_value(&value, computed);
    read_printed(bound_text, read);
    fmpq_set(bound, read->part[0]);
    const bool is_near = is_within(computed, permanent, bound);
    perm_value_free(&value);
    oracle_number_free(computed);
    oracle_number_free(read);
    fmpq_clear(bound);
    return is_near ? NULL : "a number is farther from the permanent than its bound";
}

const char *oracle_check_text(const oracle_number *permanent, const char *printed, const char *bound_text,
                              const char *estimate_text, int64_t digits) {
    fmpq_t bound, estimate;
    oracle_number *number = oracle_number_new();
    fmpq_init(bound);
    fmpq_init(estimate);
    read_printed(bound_text, number);
    fmpq_set(bound, number->part[0]);
    read_printed(estimate_text, number);
    fmpq_set(estimate, number->part[0]);
    const char *wrong = fmpq_cmp(estimate, bound) > 0 ? "the error is estimated above its bound"
                                                      : check(permanent, printed, estimate, digits);
    oracle_number_free(number);
    fmpq_clear(bound);
    fmpq_clear(estimate);
    return wrong;
}
