/* SPDX-License-Identifier: BSD-3-Clause */
/* {"n": [n, m, p], "m": rank, "z2": true, "u": [[...]], "v": ..., "w": ...}; further keys are not looked at.
 */
#include "flip/formats/internal.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

/* Reads a whole number, a fraction in a string, or a real number that is a dyadic fraction k / 2^e. */
static bool read_number(const json_t *number, flip_entry *entry) {
    entry->denominator = 1;
    if (json_is_integer(number)) {
        entry->numerator = json_integer_value(number);
        return entry->numerator != INT64_MIN;
    }
    if (json_is_string(number)) {
        const char *text = json_string_value(number);
        bool negative = *text == '-';
        flip_cursor cursor = {NULL, text + negative, text + strlen(text), NULL};
        bool good =
            flip_read_rational(&cursor, &entry->numerator, &entry->denominator) && cursor.at == cursor.end;
        entry->numerator = negative ? -entry->numerator : entry->numerator;
        return good;
    }
    double value = json_is_real(number) ? json_real_value(number) : NAN;
    for (; value != floor(value) && entry->denominator < 1 << 30; value *= 2)
        entry->denominator *= 2;
    if (!(fabs(value) < 0x1p53) || value != floor(value))
        return false;
    entry->numerator = (int64_t)value;
    return true;
}

static base_status read_factors(base_context *context, const json_t *rows, int position, int64_t nrow,
                                int64_t ncol, flip_entries *entries) {
    base_status status = BASE_OK;
    if (!json_is_array(rows) || (int64_t)json_array_size(rows) != entries->terms)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "\"u\", \"v\" and \"w\" are not lists of one length"));
    for (int64_t r = 0; r < entries->terms; r++) {
        const json_t *row = json_array_get(rows, (size_t)r);
        if (!json_is_array(row) || (int64_t)json_array_size(row) != nrow * ncol)
            BASE_TRY(base_fail(context, BASE_DAMAGED, "term %lld: %lld numbers expected", (long long)r + 1,
                               (long long)(nrow * ncol)));
        for (int64_t e = 0; e < nrow * ncol; e++) {
            flip_entry entry = {r, position, e / ncol, e % ncol, 0, 1};
            if (!read_number(json_array_get(row, (size_t)e), &entry))
                BASE_TRY(
                    base_fail(context, BASE_DAMAGED, "term %lld: not an exact number", (long long)r + 1));
            if (entry.numerator != 0)
                BASE_TRY(flip_entries_add(context, entries, entry));
        }
    }
done:
    return status;
}

base_status flip_read_json(flip_cursor *cursor) {
    base_context *context = cursor->context;
    flip_entries *entries = cursor->entries;
    const char *data = cursor->at;
    const size_t size = (size_t)(cursor->end - cursor->at);
    static const char *const keys[] = {"u", "v", "w"};
    base_status status = BASE_OK;
    json_error_t error;
    json_t *root = json_loadb(data, size, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "JSON, line %d: %s", error.line, error.text));
    const json_t *sizes = json_object_get(root, "n");
    for (size_t k = 0; k < 3; k++) {
        entries->size[k] = json_integer_value(json_array_get(sizes, k));
        if (json_array_size(sizes) != 3 || entries->size[k] < 1 || entries->size[k] > FLIP_LARGEST_SIZE)
            BASE_TRY(base_fail(context, BASE_DAMAGED, "\"n\" is not a list of three sizes"));
    }
    entries->terms = (int64_t)json_array_size(json_object_get(root, "u"));
    for (int k = 0; k < 3; k++) {
        int64_t nrow, ncol;
        flip_published_shape(entries->size, k, &nrow, &ncol);
        BASE_TRY(read_factors(context, json_object_get(root, keys[k]), k, nrow, ncol, entries));
    }
done:
    json_decref(root);
    return status;
}

base_status flip_write_json(base_context *context, const flip_scheme *scheme, base_output *output) {
    base_status status = BASE_OK;
    char text[48];
    BASE_TRY(base_output_print(context, output, "{\"n\": [%lld, %lld, %lld], \"m\": %lld, \"z2\": %s",
                               (long long)scheme->size[0], (long long)scheme->size[1],
                               (long long)scheme->size[2], (long long)scheme->rank,
                               scheme->field == FLIP_F2 ? "true" : "false"));
    for (int k = 0; k < 3; k++) {
        int64_t nrow, ncol, numerator, denominator;
        flip_published_shape(scheme->size, k, &nrow, &ncol);
        BASE_TRY(base_output_print(context, output, ", \"%c\": [", 'u' + k));
        for (int64_t e = 0; e < scheme->rank * nrow * ncol; e++) {
            int64_t place = e % (nrow * ncol);
            flip_published_entry(scheme, e / (nrow * ncol), k, place / ncol, place % ncol, &numerator,
                                 &denominator);
            const char *quote = denominator == 1 ? "" : "\"";
            BASE_TRY(base_output_print(context, output, "%s%s%s%s%s",
                                       place > 0 ? ", "
                                       : e > 0   ? "], ["
                                                 : "[",
                                       quote, flip_print_rational(numerator, denominator, text), quote,
                                       e + 1 == scheme->rank * nrow * ncol ? "]" : ""));
        }
        BASE_TRY(base_output_print(context, output, "]"));
    }
    BASE_TRY(base_output_print(context, output, "}\n"));
done:
    return status;
}
