/* SPDX-License-Identifier: BSD-3-Clause */
/* Values in the metadata of records (value.h). */
#include "mm/metadata/metadata.h"
#include "base/core/memory.h"
#include "perm/value/value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char key[] = "perm.factor";

/* "-0x1f3p-20", an integer of hexadecimal digits times a power of two; *text moves behind it. */
static bool read_hexadecimal(const char **text, mpz_t mantissa, int64_t *exponent) {
    bool negative = **text == '-';
    const char *digits = *text + (negative || **text == '+');
    if (strncmp(digits, "0x", 2) != 0)
        return false;
    digits += 2;
    size_t length = strspn(digits, "0123456789abcdefABCDEF");
    char *copy = base_copy_silent(digits, (int64_t)length), *end;
    bool good = copy != NULL && length > 0 && digits[length] == 'p' && mpz_set_str(mantissa, copy, 16) == 0;
    free(copy);
    if (!good)
        return false;
    *exponent =
        strtoll(digits + length + 1, &end, 10); /* the last one of its range where it is beyond that */
    if (negative)
        mpz_neg(mantissa, mantissa);
    *text = end;
    return end > digits + length + 1;
}

static base_status parse_hexadecimal(base_context *context, const char *text, perm_value *value,
                                     mm_field *field) {
    const char *rest = text;
    perm_value imaginary;
    perm_value_init(&imaginary);
    perm_value_set_integer(value, 0);
    *field = MM_REAL;
    bool good = read_hexadecimal(&rest, value->re, &value->exponent);
    if (good && *rest == ' ') {
        rest++;
        *field = MM_COMPLEX;
        good = read_hexadecimal(&rest, imaginary.im, &imaginary.exponent);
    }
    good = good && *rest == 0;
    const bool is_in_range =
        perm_exponent_is_in_range(value->exponent) && perm_exponent_is_in_range(imaginary.exponent);
    if (good && is_in_range)
        perm_value_add(value, &imaginary);
    perm_value_free(&imaginary);
    if (!good)
        return base_fail(context, BASE_DAMAGED, "'%.60s' is not a number", text);
    return is_in_range
               ? BASE_OK
               : base_fail(context, BASE_DAMAGED, "'%.60s' has an exponent beyond the range, -%d to %d", text,
                           PERM_EXPONENT_MOST, PERM_EXPONENT_MOST);
}

base_status perm_value_get_factor(base_context *context, const mm_record *record, perm_value *factor,
                                  mm_field *field, bool *found) {
    size_t length;
    const char *text = mm_metadata_find(record, key, &length);
    *found = text != NULL;
    if (text == NULL)
        return BASE_OK;
    char *copy = base_copy_text(context, text, (int64_t)length);
    if (copy == NULL)
        return BASE_MACHINE;
    base_status status =
        (strstr(copy, "0x") != NULL ? parse_hexadecimal : perm_value_parse)(context, copy, factor, field);
    free(copy);
    if (status == BASE_DAMAGED) {
        char cause[sizeof context->error.cause];
        memcpy(cause, context->error.cause, sizeof cause);
        base_fail(context, status, "%s: %s", key, cause);
    }
    return status;
}

static size_t print_hexadecimal(char *text, mpz_srcptr mantissa, int64_t exponent) {
    size_t sign = mpz_sgn(mantissa) < 0;
    mpz_t absolute;
    mpz_init(absolute);
    mpz_abs(absolute, mantissa);
    strcpy(text, sign ? "-0x" : "0x");
    mpz_get_str(text + 2 + sign, 16, absolute);
    mpz_clear(absolute);
    size_t length = strlen(text);
    return length + (size_t)sprintf(text + length, "p%+lld", (long long)exponent);
}

base_status perm_value_set_factor(base_context *context, mm_record *record, const perm_value *factor,
                                  mm_field field) {
    base_status status = BASE_OK;
    char *text = NULL;
    mm_metadata_remove(record, key);
    if (mpz_cmp_ui(factor->re, 1) == 0 && mpz_sgn(factor->im) == 0 && factor->exponent == 0)
        goto done;
    if (!perm_exponent_is_in_range(factor->exponent))
        BASE_TRY(base_fail(context, BASE_FAILED, "%s has the exponent %lld, beyond the range, -%d to %d", key,
                           (long long)factor->exponent, PERM_EXPONENT_MOST, PERM_EXPONENT_MOST));
    if (field == MM_PATTERN || field == MM_INTEGER) {
        BASE_TRY(perm_value_print(context, factor, field, &text));
    } else {
        size_t digits = mpz_sizeinbase(factor->re, 16) + mpz_sizeinbase(factor->im, 16);
        text = base_alloc(context, (int64_t)digits + 80, 1);
        if (text == NULL)
            BASE_TRY(BASE_MACHINE);
        size_t length = print_hexadecimal(text, factor->re, factor->exponent);
        if (field == MM_COMPLEX) {
            text[length++] = ' ';
            print_hexadecimal(text + length, factor->im, factor->exponent);
        }
    }
    BASE_TRY(mm_metadata_set(context, record, key, "%s", text));
done:
    free(text);
    return status;
}
