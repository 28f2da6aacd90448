#include "base/core/memory.h"
#include "perm/chunks/answer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Integers are written in hexadecimal digits, doubles as C's %a: both exactly. */

static json_t *hexadecimal(const mpz_t integer) {
    char *digits = mpz_get_str(NULL, 16, integer);
    json_t *text = json_string(digits);
    free(digits);
    return text;
}

static json_t *real(double value) {
    char text[40];
    snprintf(text, sizeof text, "%a", value);
    return json_string(text);
}

/* JSON has no other bytes than UTF-8; the others are escaped by '%' and two digits, as is '%' itself. */
static json_t *text(const char *bytes) {
    size_t length = strlen(bytes);
    char *copy = malloc(3 * length + 1), *next = copy;
    if (!copy)
        return NULL;
    for (size_t i = 0; i < length; i++)
        if (bytes[i] & 0x80 || bytes[i] == '%')
            next += sprintf(next, "%%%02x", (unsigned char)bytes[i]);
        else
            *next++ = bytes[i];
    *next = 0;
    json_t *string = json_string(copy);
    free(copy);
    return string;
}

static json_t *bound(perm_bound bound) {
    return json_pack("[o, I]", real(bound.mantissa), (json_int_t)bound.exponent);
}

static json_t *value(const perm_value *value) {
    json_t *object = json_object();
    json_object_set_new(object, "re", hexadecimal(value->re));
    if (mpz_sgn(value->im) != 0)
        json_object_set_new(object, "im", hexadecimal(value->im));
    json_object_set_new(object, "exponent", json_integer(value->exponent));
    if (value->fives != 0)
        json_object_set_new(object, "fives", json_integer(value->fives));
    if (value->error.mantissa != 0)
        json_object_set_new(object, "error", bound(value->error));
    return object;
}

/* Runs of chunks that are in, as pairs of numbers. */
static json_t *runs(const perm_sum *sum) {
    json_t *array = json_array();
    for (int64_t k = 0, count = sum->end - sum->first; k < count;) {
        int64_t start = k;
        while (k < count && sum->done[k] == sum->done[start])
            k++;
        if (sum->done[start]) {
            json_array_append_new(array, json_integer(sum->first + start));
            json_array_append_new(array, json_integer(sum->first + k));
        }
    }
    return array;
}

static json_t *sum_object(const perm_sum *sum) {
    json_t *object = json_object();
    json_object_set_new(object, "chunks", json_integer(sum->chunks));
    json_object_set_new(object, "share", json_pack("[I, I]", (json_int_t)sum->first, (json_int_t)sum->end));
    json_object_set_new(object, "done", runs(sum));
    json_object_set_new(object, "value", value(&sum->value));
    if (mpz_sgn(sum->modulus) != 0)
        json_object_set_new(object, "modulus", hexadecimal(sum->modulus));
    if (sum->slope != 0) {
        json_object_set_new(object, "magnitude", value(&sum->magnitude));
        json_object_set_new(object, "slope", real(sum->slope));
    }
    if (sum->constant.mantissa != 0)
        json_object_set_new(object, "constant", bound(sum->constant));
    return object;
}

static json_t *leaf_object(const perm_leaf *leaf) {
    json_t *array = json_array();
    for (int k = 0; k < leaf->attempts; k++) {
        const perm_attempt *attempt = &leaf->attempt[k];
        json_array_append_new(array,
                              json_pack("{s:s, s:o, s:o, s:o, s:I, s:o}", "method", attempt->method, "states",
                                        real(attempt->states), "transitions", real(attempt->transitions),
                                        "subsets", real(attempt->subsets), "bytes",
                                        (json_int_t)attempt->bytes, "sum", sum_object(&attempt->sum)));
    }
    return json_pack("{s:o, s:I, s:b, s:o}", "cost", real(leaf->cost_seconds), "bits", (json_int_t)leaf->bits,
                     "done", leaf->is_done, "attempts", array);
}

json_t *perm_answer_to_json(const perm_answer *answer) {
    json_t *blocks = json_array(), *object = json_object();
    for (int64_t i = 0; i < answer->count; i++)
        json_array_append_new(blocks, leaf_object(&answer->leaf[i]));
    char part[48];
    snprintf(part, sizeof part, "%lld/%lld", (long long)answer->part.index, (long long)answer->part.count);
    json_object_set_new(object, "record", json_integer(answer->record));
    json_object_set_new(object, "name", text(answer->name));
    json_object_set_new(object, "part", json_string(part));
    json_object_set_new(object, "hash", json_string(answer->hash));
    json_object_set_new(object, "field", json_string(mm_field_name(answer->field)));
    json_object_set_new(object, "n", json_integer(answer->n));
    json_object_set_new(object, "nnz", json_integer(answer->nnz));
    json_object_set_new(object, "whole", json_boolean(answer->is_whole));
    json_object_set_new(object, "singular", json_boolean(answer->is_singular));
    json_object_set_new(object, "factor", value(&answer->factor));
    if (answer->rounded.mantissa != 0) {
        json_object_set_new(object, "rounded", bound(answer->rounded));
        json_object_set_new(object, "absolute", bound(answer->absolute));
    }
    if (answer->ones != 0)
        json_object_set_new(object, "ones", json_integer(answer->ones));
    if (answer->digits != PERM_DIGITS_SHORTEST)
        json_object_set_new(object, "digits", json_integer(answer->digits));
    json_object_set_new(object, "blocks", blocks);
    json_object_set_new(object, "seconds", json_real(answer->seconds));
    json_object_set_new(object, "comments", text(answer->comments ? answer->comments : ""));
    return object;
}

/* ---- reading: each function returns false where anything is missing or out of range ---- */

static bool get_integer(const json_t *object, const char *key, int64_t *integer) {
    const json_t *found = json_object_get(object, key);
    *integer = json_integer_value(found);
    return json_is_integer(found);
}

static bool get_hexadecimal(const json_t *found, mpz_t integer) {
    return json_is_string(found) && mpz_set_str(integer, json_string_value(found), 16) == 0;
}

static bool get_real(const json_t *found, double *result) {
    char *end;
    if (!json_is_string(found))
        return false;
    *result = strtod(json_string_value(found), &end);
    return *end == 0 && *result >= 0 && *result < HUGE_VAL;
}

static char *get_text(base_context *context, const json_t *found) {
    const char *string = json_string_value(found);
    char *copy = string ? base_copy_text(context, string, (int64_t)strlen(string)) : NULL, *to = copy;
    for (const char *from = copy; from && *from; to++) {
        char digits[3] = {from[1], from[1] ? from[2] : 0, 0};
        bool escaped = *from == '%';
        *to = escaped ? (char)strtol(digits, NULL, 16) : *from;
        from += escaped ? strlen(digits) + 1 : 1;
    }
    if (copy)
        *to = 0;
    return copy;
}

static bool get_bound(const json_t *found, perm_bound *bound) {
    bound->exponent = json_integer_value(json_array_get(found, 1));
    return get_real(json_array_get(found, 0), &bound->mantissa) &&
           json_is_integer(json_array_get(found, 1)) && perm_exponent_is_in_range(bound->exponent);
}

static bool get_value(const json_t *object, perm_value *value) {
    const json_t *im = json_object_get(object, "im"), *error = json_object_get(object, "error");
    return get_hexadecimal(json_object_get(object, "re"), value->re) &&
           (!im || get_hexadecimal(im, value->im)) && get_integer(object, "exponent", &value->exponent) &&
           (!json_object_get(object, "fives") || get_integer(object, "fives", &value->fives)) &&
           (!error || get_bound(error, &value->error)) && perm_value_is_in_range(value);
}

static bool get_runs(const json_t *array, perm_sum *sum) {
    for (size_t i = 0; i + 1 < json_array_size(array); i += 2) {
        int64_t start = json_integer_value(json_array_get(array, i)),
                end = json_integer_value(json_array_get(array, i + 1));
        if (start < sum->first || start > end || end > sum->end)
            return false;
        memset(sum->done + (start - sum->first), 1, (size_t)(end - start));
        sum->left -= end - start;
    }
    return sum->left >= 0;
}

static bool get_sum(base_context *context, const json_t *object, perm_sum *sum) {
    const json_t *share = json_object_get(object, "share"), *modulus = json_object_get(object, "modulus"),
                 *magnitude = json_object_get(object, "magnitude"),
                 *constant = json_object_get(object, "constant");
    if (!get_integer(object, "chunks", &sum->chunks))
        return false;
    sum->first = json_integer_value(json_array_get(share, 0));
    sum->end = json_integer_value(json_array_get(share, 1));
    sum->left = sum->end - sum->first;
    if (sum->first < 0 || sum->left < 0 || sum->end > sum->chunks || sum->chunks > INT64_C(1) << 32)
        return false;
    sum->done = base_alloc_zero(context, sum->left, 1);
    return sum->done && get_runs(json_object_get(object, "done"), sum) &&
           get_value(json_object_get(object, "value"), &sum->value) &&
           (!modulus || get_hexadecimal(modulus, sum->modulus)) &&
           (!magnitude || (get_value(magnitude, &sum->magnitude) &&
                           get_real(json_object_get(object, "slope"), &sum->slope))) &&
           (!constant || get_bound(constant, &sum->constant));
}

static bool get_leaf(base_context *context, const json_t *object, perm_leaf *leaf) {
    const json_t *array = json_object_get(object, "attempts");
    size_t attempts = json_array_size(array);
    bool good = attempts <= 2 && get_real(json_object_get(object, "cost"), &leaf->cost_seconds) &&
                get_integer(object, "bits", &leaf->bits);
    for (size_t k = 0; good && k < attempts; k++) {
        const json_t *from = json_array_get(array, k);
        perm_attempt *attempt = &leaf->attempt[k];
        const char *method = json_string_value(json_object_get(from, "method"));
        good = method && strlen(method) < sizeof attempt->method &&
               get_real(json_object_get(from, "states"), &attempt->states) &&
               get_real(json_object_get(from, "transitions"), &attempt->transitions) &&
               get_real(json_object_get(from, "subsets"), &attempt->subsets) &&
               get_integer(from, "bytes", &attempt->bytes) &&
               get_sum(context, json_object_get(from, "sum"), &attempt->sum);
        if (good)
            strcpy(attempt->method, method);
    }
    leaf->attempts = (int)attempts;
    leaf->is_done = json_is_true(json_object_get(object, "done"));
    return good;
}

static bool get_field(const json_t *found, mm_field *field) {
    const char *name = json_string_value(found);
    for (*field = MM_PATTERN; name && *field <= MM_COMPLEX; (*field)++)
        if (strcmp(name, mm_field_name(*field)) == 0)
            return true;
    return false;
}

static bool get_head(base_context *context, const json_t *object, perm_answer *answer) {
    long long index, count;
    int end = 0;
    const char *part = json_string_value(json_object_get(object, "part")),
               *hash = json_string_value(json_object_get(object, "hash"));
    const json_t *rounded = json_object_get(object, "rounded");
    char *name = get_text(context, json_object_get(object, "name"));
    answer->comments = get_text(context, json_object_get(object, "comments"));
    bool good = name && answer->comments && part && hash && strlen(hash) < sizeof answer->hash &&
                sscanf(part, "%lld/%lld%n", &index, &count, &end) == 2 && part[end] == 0 && index >= 0 &&
                index <= count && get_integer(object, "record", &answer->record) &&
                get_integer(object, "n", &answer->n) && get_integer(object, "nnz", &answer->nnz) &&
                get_field(json_object_get(object, "field"), &answer->field) &&
                get_value(json_object_get(object, "factor"), &answer->factor) &&
                (!rounded || (get_bound(rounded, &answer->rounded) &&
                              get_bound(json_object_get(object, "absolute"), &answer->absolute)));
    if (good) {
        answer->part = (base_part){index, count};
        strcpy(answer->hash, hash);
        snprintf(answer->name, sizeof answer->name, "%s", name);
    }
    free(name);
    answer->is_whole = json_is_true(json_object_get(object, "whole"));
    answer->is_singular = json_is_true(json_object_get(object, "singular"));
    answer->seconds = json_number_value(json_object_get(object, "seconds"));
    return good;
}

/* What is 0 where it is not said. */
static bool get_optional(const json_t *object, const char *key, int64_t least, int64_t *integer) {
    *integer = 0;
    return !json_object_get(object, key) || (get_integer(object, key, integer) && *integer >= least);
}

base_status perm_answer_from_json(base_context *context, const json_t *object, perm_answer *answer) {
    const json_t *blocks = json_object_get(object, "blocks");
    bool good = get_head(context, object, answer) && get_optional(object, "ones", 0, &answer->ones) &&
                get_optional(object, "digits", PERM_DIGITS_ALL, &answer->digits);
    for (size_t i = 0; good && i < json_array_size(blocks); i++) {
        perm_leaf *leaf = perm_answer_leaf(context, answer, answer->count);
        good = leaf && get_leaf(context, json_array_get(blocks, i), leaf);
    }
    if (good)
        return BASE_OK;
    return context->error.status == BASE_MACHINE
               ? BASE_MACHINE
               : base_fail(context, BASE_DAMAGED,
                           "no part of a permanent, or a damaged one (exponents are from -%d to %d)",
                           PERM_EXPONENT_MOST, PERM_EXPONENT_MOST);
}
