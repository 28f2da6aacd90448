/* SPDX-License-Identifier: BSD-3-Clause */
/* The types of json_keys.h that are JSON's own, and words. */
#include "base/core/hash.h"
#include "base/core/memory.h"
#include "base/run/options.h"
#include "perm/chunks/json_keys.h"

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

/* ---- words ---- */

/* JSON has no other bytes than UTF-8. */
static bool is_escaped(char byte) {
    return (byte & 0x80) != 0 || byte == '%';
}

static json_t *write_text(base_context *context, const void *member) {
    const char *bytes = *(char *const *)member != NULL ? *(char *const *)member : "";
    char *copy = base_alloc(context, 3 * (int64_t)strlen(bytes) + 1, 1), *next = copy;
    if (copy == NULL)
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
               *low = high != NULL && text[2] ? strchr(hexadecimal_digits, text[2]) : NULL;
    if (low == NULL)
        return false;
    *byte = (char)((high - hexadecimal_digits) << 4 | (low - hexadecimal_digits));
    return is_escaped(*byte);
}

static base_status read_text(base_context *context, const json_t *json, void *member) {
    const char *from = json_string_value(json);
    if (from == NULL)
        return BASE_FAILED;
    char *to = base_copy_text(context, from, (int64_t)json_string_length(json));
    if (to == NULL)
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
    if (text == NULL || strlen(text) != BASE_HASH_TEXT - 1 || text[strspn(text, hexadecimal_digits)])
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
    for (*field = MM_PATTERN; name != NULL && *field <= MM_COMPLEX; (*field)++)
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
    if (text == NULL || text[strspn(text, "0123456789/")])
        return BASE_FAILED;
    part->index = strtoll(text, &slash, 10);
    if (*slash != '/')
        return BASE_FAILED;
    part->count = strtoll(slash + 1, &end, 10);
    return valid(end > slash + 1 && *end == 0 && part->index >= (part->count > 0) &&
                 part->index <= part->count && part->count <= 1 << 24);
}

const perm_json_type perm_json_part = {write_part, read_part};
