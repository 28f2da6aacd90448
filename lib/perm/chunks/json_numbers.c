/* SPDX-License-Identifier: BSD-3-Clause */
/* The types of json_keys.h that are texts of numbers: words of these, with one blank between them. Integers
 * are written in hexadecimal digits, doubles as C's %a: both exactly. */
#include "base/core/memory.h"
#include "perm/chunks/json_keys.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char hexadecimal_digits[] = "0123456789abcdef";

static base_status valid(bool is_valid) {
    return is_valid ? BASE_OK : BASE_FAILED;
}

/* The word at *text; *text moves behind it, and behind the blank that another word must follow. */
static const char *next_word(const char **text, size_t *length) {
    const char *word = *text;
    *length = strcspn(word, " ");
    *text = word + *length + (word[*length] == ' ' && word[*length + 1]);
    return word;
}

static bool read_real_word(const char **text, double *value) {
    size_t length;
    char *end;
    const char *word = next_word(text, &length);
    if (length == 1 && *word == '0') {
        *value = 0;
        return true;
    }
    if (word[0] != '0' || word[1] != 'x')
        return false;
    *value = strtod(word, &end);
    return end == word + length && *value >= 0 && *value < HUGE_VAL;
}

static bool read_exponent_word(const char **text, int64_t *exponent) {
    size_t length;
    char *end;
    const char *word = next_word(text, &length);
    *exponent = strtoll(word, &end, 10);
    return length > 0 && strspn(word, "-0123456789") == length && end == word + length &&
           perm_exponent_is_in_range(*exponent);
}

/* Those of one limb are by far the most. */
static base_status read_integer_word(base_context *context, const char **text, mpz_t integer) {
    enum { LIMB_DIGITS = 16 };
    size_t length;
    const char *word = next_word(text, &length);
    const bool is_negative = *word == '-';
    const char *digits = word + is_negative;
    length -= is_negative;
    if (length == 0 || strspn(digits, hexadecimal_digits) != length)
        return BASE_FAILED;
    if (length <= LIMB_DIGITS) {
        mpz_set_ui(integer, strtoul(digits, NULL, 16));
    } else {
        char *copy = base_copy_text(context, digits, (int64_t)length);
        if (copy == NULL)
            return BASE_MACHINE;
        mpz_set_str(integer, copy, 16);
        free(copy);
    }
    if (is_negative)
        mpz_neg(integer, integer);
    return BASE_OK;
}

/* Most are 0, which "%a" would spell with six characters. */
static const char *print_real(double value, char text[32]) {
    snprintf(text, 32, value == 0 ? "0" : "%a", value);
    return text;
}

static json_t *write_real(base_context *context, const void *member) {
    char text[32];
    (void)context;
    return json_string(print_real(*(const double *)member, text));
}

static base_status read_real(base_context *context, const json_t *json, void *member) {
    const char *text = json_string_value(json);
    (void)context;
    return valid(text != NULL && read_real_word(&text, member) && *text == 0);
}

const perm_json_type perm_json_real = {write_real, read_real};

static json_t *write_modulus(base_context *context, const void *member) {
    char *digits = mpz_get_str(NULL, 16, member);
    json_t *text = json_string(digits);
    (void)context;
    free(digits);
    return text;
}

static base_status read_modulus(base_context *context, const json_t *json, void *member) {
    const char *text = json_string_value(json);
    base_status status = text != NULL ? read_integer_word(context, &text, member) : BASE_FAILED;
    return status == BASE_OK ? valid(*text == 0 && mpz_sgn((mpz_ptr)member) >= 0) : status;
}

const perm_json_type perm_json_modulus = {write_modulus, read_modulus};

static json_t *write_bound(base_context *context, const void *member) {
    const perm_bound *bound = member;
    char text[32];
    (void)context;
    return json_sprintf("%s %lld", print_real(bound->mantissa, text), (long long)bound->exponent);
}

static bool read_bound_words(const char **text, perm_bound *bound) {
    return read_real_word(text, &bound->mantissa) && read_exponent_word(text, &bound->exponent);
}

static base_status read_bound(base_context *context, const json_t *json, void *member) {
    const char *text = json_string_value(json);
    (void)context;
    return valid(text != NULL && read_bound_words(&text, member) && *text == 0);
}

const perm_json_type perm_json_bound = {write_bound, read_bound};

static json_t *write_value(base_context *context, const void *member) {
    const perm_value *value = member;
    char *re = mpz_get_str(NULL, 16, value->re), *im = mpz_get_str(NULL, 16, value->im);
    char mantissa[32];
    json_t *text =
        json_sprintf("%s %s %lld %lld %s %lld", re, im, (long long)value->exponent, (long long)value->fives,
                     print_real(value->error.mantissa, mantissa), (long long)value->error.exponent);
    (void)context;
    free(re);
    free(im);
    return text;
}

static base_status read_value(base_context *context, const json_t *json, void *member) {
    perm_value *value = member;
    base_status status;
    const char *text = json_string_value(json);
    if (text == NULL)
        return BASE_FAILED;
    BASE_TRY(read_integer_word(context, &text, value->re));
    BASE_TRY(read_integer_word(context, &text, value->im));
    status = valid(read_exponent_word(&text, &value->exponent) && read_exponent_word(&text, &value->fives) &&
                   read_bound_words(&text, &value->error) && *text == 0);
done:
    return status;
}

const perm_json_type perm_json_value = {write_value, read_value};
