/* The types of json_keys.h. Integers are written in hexadecimal digits, doubles as C's %a: both exactly. */
#include "base/core/hash.h"
#include "base/core/memory.h"
#include "base/run/options.h"
#include "perm/chunks/json_keys.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char hexadecimal_digits[] = "0123456789abcdef";

static base_status valid(bool is_valid) {
    return is_valid ? BASE_OK : BASE_FAILED;
}

/* ---- numbers and truths of JSON ---- */

static json_t *write_integer(base_context *context, const void *member) {
    (void)context;
    return json_integer(*(const int64_t *)member);
}

static base_status read_from(const json_t *json, int64_t least, int64_t *integer) {
    *integer = json_integer_value(json);
    return valid(json_is_integer(json) && *integer >= least);
}

#define READ_INTEGER(name, least)                                                                            \
    static base_status read_##name(base_context *context, const json_t *json, void *member) {                \
        (void)context;                                                                                       \
        return read_from(json, least, member);                                                               \
    }                                                                                                        \
    const perm_json_type perm_json_##name = {write_integer, read_##name};

READ_INTEGER(integer, INT64_MIN)
READ_INTEGER(natural, 0)
READ_INTEGER(positive, 1)
READ_INTEGER(digits, PERM_DIGITS_ALL)

static json_t *write_boolean(base_context *context, const void *member) {
    (void)context;
    return json_boolean(*(const bool *)member);
}

static base_status read_boolean(base_context *context, const json_t *json, void *member) {
    (void)context;
    *(bool *)member = json_is_true(json);
    return valid(json_is_boolean(json));
}

const perm_json_type perm_json_boolean = {write_boolean, read_boolean};

/* ---- numbers as texts: they are words of these, with one blank between them ---- */

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
        if (!copy)
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
    return valid(text && read_real_word(&text, member) && *text == 0);
}

const perm_json_type perm_json_real = {write_real, read_real};

static json_t *write_seconds(base_context *context, const void *member) {
    (void)context;
    return json_real(*(const double *)member);
}

static base_status read_seconds(base_context *context, const json_t *json, void *member) {
    (void)context;
    *(double *)member = json_real_value(json);
    return valid(json_is_real(json) && json_real_value(json) >= 0);
}

const perm_json_type perm_json_seconds = {write_seconds, read_seconds};

static json_t *write_modulus(base_context *context, const void *member) {
    char *digits = mpz_get_str(NULL, 16, member);
    json_t *text = json_string(digits);
    (void)context;
    free(digits);
    return text;
}

static base_status read_modulus(base_context *context, const json_t *json, void *member) {
    const char *text = json_string_value(json);
    base_status status = text ? read_integer_word(context, &text, member) : BASE_FAILED;
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
    return valid(text && read_bound_words(&text, member) && *text == 0);
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
    if (!text)
        return BASE_FAILED;
    BASE_TRY(read_integer_word(context, &text, value->re));
    BASE_TRY(read_integer_word(context, &text, value->im));
    status = valid(read_exponent_word(&text, &value->exponent) && read_exponent_word(&text, &value->fives) &&
                   read_bound_words(&text, &value->error) && *text == 0);
done:
    return status;
}

const perm_json_type perm_json_value = {write_value, read_value};

/* ---- words ---- */

/* JSON has no other bytes than UTF-8. */
static bool is_escaped(char byte) {
    return (byte & 0x80) != 0 || byte == '%';
}

static json_t *write_text(base_context *context, const void *member) {
    const char *bytes = *(char *const *)member ? *(char *const *)member : "";
    char *copy = base_alloc(context, 3 * (int64_t)strlen(bytes) + 1, 1), *next = copy;
    if (!copy)
        return NULL;
    for (; *bytes; bytes++)
        if (is_escaped(*bytes))
            next += sprintf(next, "%%%02x", (unsigned char)*bytes);
        else
            *next++ = *bytes;
    *next = 0;
    json_t *string = json_string(copy);
    free(copy);
    return string;
}

/* Whether such an escape stands there; only what is written as one is. */
static bool read_escape(const char *text, char *byte) {
    const char *high = text[1] ? strchr(hexadecimal_digits, text[1]) : NULL,
               *low = high && text[2] ? strchr(hexadecimal_digits, text[2]) : NULL;
    if (!low)
        return false;
    *byte = (char)((high - hexadecimal_digits) << 4 | (low - hexadecimal_digits));
    return is_escaped(*byte);
}

static base_status read_text(base_context *context, const json_t *json, void *member) {
    const char *from = json_string_value(json);
    if (!from)
        return BASE_FAILED;
    char *to = base_copy_text(context, from, (int64_t)json_string_length(json));
    if (!to)
        return BASE_MACHINE;
    free(*(char **)member);
    *(char **)member = to;
    for (; *from; to++) {
        if ((*from & 0x80) || (*from == '%' && !read_escape(from, to)))
            return BASE_FAILED;
        if (*from != '%')
            *to = *from;
        from += *from == '%' ? 3 : 1;
    }
    *to = 0;
    return BASE_OK;
}

const perm_json_type perm_json_text = {write_text, read_text};

static json_t *write_word(base_context *context, const void *member) {
    (void)context;
    return json_string(member);
}

static base_status read_hash(base_context *context, const json_t *json, void *member) {
    (void)context;
    const char *text = json_string_value(json);
    if (!text || strlen(text) != BASE_HASH_TEXT - 1 || text[strspn(text, hexadecimal_digits)])
        return BASE_FAILED;
    memcpy(member, text, BASE_HASH_TEXT);
    return BASE_OK;
}

const perm_json_type perm_json_hash = {write_word, read_hash};

static json_t *write_field(base_context *context, const void *member) {
    (void)context;
    return json_string(mm_field_name(*(const mm_field *)member));
}

static base_status read_field(base_context *context, const json_t *json, void *member) {
    (void)context;
    const char *name = json_string_value(json);
    mm_field *field = member;
    for (*field = MM_PATTERN; name && *field <= MM_COMPLEX; (*field)++)
        if (strcmp(name, mm_field_name(*field)) == 0)
            return BASE_OK;
    return BASE_FAILED;
}

const perm_json_type perm_json_field = {write_field, read_field};

static json_t *write_part(base_context *context, const void *member) {
    const base_part *part = member;
    (void)context;
    return json_sprintf("%lld/%lld", (long long)part->index, (long long)part->count);
}

static base_status read_part(base_context *context, const json_t *json, void *member) {
    (void)context;
    const char *text = json_string_value(json);
    base_part *part = member;
    char *slash, *end;
    if (!text || text[strspn(text, "0123456789/")])
        return BASE_FAILED;
    part->index = strtoll(text, &slash, 10);
    if (*slash != '/')
        return BASE_FAILED;
    part->count = strtoll(slash + 1, &end, 10);
    return valid(end > slash + 1 && *end == 0 && part->index >= (part->count > 0) &&
                 part->index <= part->count && part->count <= 1 << 24);
}

const perm_json_type perm_json_part = {write_part, read_part};
