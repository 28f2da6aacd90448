/* SPDX-License-Identifier: BSD-3-Clause */
/* What the formats share: text that is being read, numbers, and the published order of a factor's entries. */
#include "flip/formats/internal.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void flip_skip_comments(const char **data, size_t *size) {
    while (*size > 0) {
        const char *end = NULL;
        if (isspace((unsigned char)**data))
            end = *data + 1;
        else if (**data == '#' && (end = memchr(*data, '\n', *size)) != NULL)
            end++;
        else if (*size > 2 && memcmp(*data, "(*", 2) == 0 && (end = memmem(*data, *size, "*)", 2)) != NULL)
            end += 2;
        if (end == NULL)
            break;
        *size -= (size_t)(end - *data);
        *data = end;
    }
}

void flip_skip_blanks(flip_cursor *cursor) {
    const char *data = cursor->at;
    size_t size = (size_t)(cursor->end - cursor->at);
    flip_skip_comments(&data, &size);
    cursor->at = data;
}

bool flip_take(flip_cursor *cursor, char wanted) {
    flip_skip_blanks(cursor);
    if (cursor->at == cursor->end || *cursor->at != wanted)
        return false;
    cursor->at++;
    return true;
}

/* At most 18 digits, which fit 64 bits; false where there are more or none. */
static bool read_digits(flip_cursor *cursor, int64_t *number) {
    const char *start = cursor->at;
    *number = 0;
    while (cursor->at < cursor->end && isdigit((unsigned char)*cursor->at) && cursor->at - start < 18)
        *number = *number * 10 + (*cursor->at++ - '0');
    return cursor->at > start && (cursor->at == cursor->end || !isdigit((unsigned char)*cursor->at));
}

bool flip_read_rational(flip_cursor *cursor, int64_t *numerator, int64_t *denominator) {
    *denominator = 1;
    if (!read_digits(cursor, numerator))
        return false;
    if (cursor->end - cursor->at >= 2 && *cursor->at == '/' && isdigit((unsigned char)cursor->at[1])) {
        cursor->at++;
        if (!read_digits(cursor, denominator) || *denominator == 0)
            return false;
        int64_t divisor = flip_gcd(*numerator, *denominator);
        *numerator /= divisor;
        *denominator /= divisor;
    }
    return true;
}

base_status flip_fail_syntax(flip_cursor *cursor, const char *what) {
    char near[24];
    int length = 0;
    for (const char *at = cursor->at; at < cursor->end && length < 20; at++)
        near[length++] = isprint((unsigned char)*at) ? *at : ' ';
    near[length] = '\0';
    return base_fail(cursor->context, BASE_DAMAGED, "term %lld: %s expected %s%s%s",
                     (long long)cursor->entries->terms + 1, what,
                     length > 0 ? "before '" : "at the end of the file", near, length > 0 ? "'" : "");
}

base_status flip_read_matrix(flip_cursor *cursor, const char brackets[2], int64_t term, int position,
                             int64_t *nrow, int64_t *ncol) {
    base_status status = BASE_OK;
    *nrow = *ncol = 0;
    if (!flip_take(cursor, brackets[0]))
        BASE_TRY(flip_fail_syntax(cursor, "a matrix"));
    do {
        int64_t col = 0;
        if (!flip_take(cursor, brackets[0]))
            BASE_TRY(flip_fail_syntax(cursor, "a row"));
        do {
            flip_entry entry = {.term = term, .position = position, .row = *nrow, .col = col++};
            bool negative = flip_take(cursor, '-');
            flip_skip_blanks(cursor);
            if (!flip_read_rational(cursor, &entry.numerator, &entry.denominator))
                BASE_TRY(flip_fail_syntax(cursor, "a number"));
            entry.numerator = negative ? -entry.numerator : entry.numerator;
            if (entry.numerator != 0)
                BASE_TRY(flip_entries_add(cursor->context, cursor->entries, entry));
        } while (flip_take(cursor, ','));
        if (!flip_take(cursor, brackets[1]) || (*nrow > 0 && col != *ncol))
            BASE_TRY(flip_fail_syntax(cursor, "a row as long as the first"));
        *ncol = col;
        ++*nrow;
    } while (flip_take(cursor, ','));
    if (!flip_take(cursor, brackets[1]))
        BASE_TRY(flip_fail_syntax(cursor, "the end of a matrix"));
done:
    return status;
}

base_status flip_keep_shapes(flip_cursor *cursor, int64_t shape[3][2]) {
    int64_t *size = cursor->entries->size;
    bool first = size[0] == 0;
    for (int k = 0; k < 3; k++) {
        if (shape[k][1] != shape[(k + 1) % 3][0] || (!first && size[k] != shape[k][0]))
            return base_fail(cursor->context, BASE_DAMAGED, "term %lld: the matrices' sizes do not fit",
                             (long long)cursor->entries->terms + 1);
        size[k] = shape[k][0];
    }
    return BASE_OK;
}

void flip_published_shape(const int64_t size[3], int position, int64_t *nrow, int64_t *ncol) {
    *nrow = size[position];
    *ncol = size[(position + 1) % 3];
}

void flip_published_entry(const flip_scheme *scheme, int64_t term, int position, int64_t row, int64_t col,
                          int64_t *numerator, int64_t *denominator) {
    int64_t nrow, ncol;
    flip_published_shape(scheme->size, position, &nrow, &ncol);
    /* The third factor is published transposed (formats.h). */
    int64_t place = position == 2 ? col * nrow + row : row * ncol + col;
    *numerator = scheme->factor[position][term * nrow * ncol + place];
    *denominator = position == 2 ? scheme->denominator : 1;
    int64_t divisor = flip_gcd(*numerator, *denominator);
    *numerator /= divisor;
    *denominator /= divisor;
}

const char *flip_print_rational(int64_t numerator, int64_t denominator, char *text) {
    if (denominator == 1)
        snprintf(text, 48, "%lld", (long long)numerator);
    else
        snprintf(text, 48, "%lld/%lld", (long long)numerator, (long long)denominator);
    return text;
}
