#include "flip/formats/internal.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- which format it is ---- */

static bool has_word(const char *data, size_t size, const char *word) {
    return memmem(data, size, word, strlen(word)) != NULL;
}

/* A first line of letters a, b and c with indices and what stands between them. */
static bool is_product(const char *data, size_t size) {
    bool letter[3] = {false, false, false};
    size_t at = 0;
    for (; at < size && data[at] != '\n'; at++) {
        if (data[at] >= 'a' && data[at] <= 'c' && at + 1 < size &&
            (isdigit((unsigned char)data[at + 1]) || data[at + 1] == '_'))
            letter[data[at] - 'a'] = true;
        else if (data[at] == 0 || strchr("0123456789_()+-*/ \t\r,", data[at]) == NULL)
            return false;
    }
    return letter[0] && letter[1] && (letter[2] || at == size);
}

static void skip_comments(const char **data, size_t *size) {
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

flip_format flip_format_detect(const char *data, size_t size) {
    if (size >= 4 && memcmp(data, "PK\3\4", 4) == 0)
        return FLIP_NPZ;
    skip_comments(&data, &size);
    if (size == 0)
        return FLIP_NO_FORMAT;
    if (has_word(data, size, "TriadSet") && !has_word(data, size, "%%MatrixMarket"))
        return FLIP_MAPLE;
    if (*data == '{') {
        data++;
        size--;
        skip_comments(&data, &size);
        return size > 0 && *data == '{'   ? FLIP_MATHEMATICA
               : size > 0 && *data == '"' ? FLIP_JSON
                                          : FLIP_NO_FORMAT;
    }
    return is_product(data, size) ? FLIP_EXP : FLIP_NO_FORMAT;
}

/* ---- what the readers share ---- */

void flip_skip_blanks(flip_cursor *cursor) {
    const char *data = cursor->at;
    size_t size = (size_t)(cursor->end - cursor->at);
    skip_comments(&data, &size);
    cursor->at = data;
}

bool flip_take(flip_cursor *cursor, char wanted) {
    flip_skip_blanks(cursor);
    if (cursor->at == cursor->end || *cursor->at != wanted)
        return false;
    cursor->at++;
    return true;
}

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

base_status flip_import(base_context *context, const char *data, size_t size, int64_t index,
                        flip_scheme *scheme, bool *found) {
    base_status status = BASE_OK;
    flip_entries entries = {0};
    flip_cursor cursor = {context, data, data + size, &entries};
    *scheme = (flip_scheme){0};
    *found = index == 0;
    switch (flip_format_detect(data, size < FLIP_DETECT_BYTES ? size : FLIP_DETECT_BYTES)) {
    case FLIP_NPZ: BASE_TRY(flip_read_npz(context, data, size, index, &entries, found)); break;
    case FLIP_EXP: BASE_TRY(*found ? flip_read_exp(&cursor) : BASE_OK); break;
    case FLIP_MATHEMATICA: BASE_TRY(*found ? flip_read_mathematica(&cursor) : BASE_OK); break;
    case FLIP_MAPLE: BASE_TRY(*found ? flip_read_maple(&cursor) : BASE_OK); break;
    case FLIP_JSON: BASE_TRY(*found ? flip_read_json(context, data, size, &entries) : BASE_OK); break;
    default: BASE_TRY(base_fail(context, BASE_DAMAGED, "not a scheme in any known format"));
    }
    if (*found)
        BASE_TRY(flip_entries_finish(context, &entries, scheme));
done:
    flip_entries_free(&entries);
    return status;
}

static bool detect(const char *data, size_t size) {
    return flip_format_detect(data, size) != FLIP_NO_FORMAT;
}

static base_status read(base_context *context, const char *data, size_t size, int64_t index,
                        mm_record *record, bool *found) {
    flip_scheme scheme;
    base_status status = flip_import(context, data, size, index, &scheme, found);
    if (status == BASE_OK && *found)
        status = flip_scheme_to_record(context, &scheme, record);
    flip_scheme_free(&scheme);
    return status;
}

const mm_reader_form flip_reader_form = {FLIP_LARGEST_FILE_BYTES, detect, read};

/* ---- what the writers share ---- */

void flip_published_shape(const int64_t size[3], int position, int64_t *nrow, int64_t *ncol) {
    *nrow = size[position];
    *ncol = size[(position + 1) % 3];
}

void flip_published_entry(const flip_scheme *scheme, int64_t term, int position, int64_t row, int64_t col,
                          int64_t *numerator, int64_t *denominator) {
    int64_t nrow, ncol;
    flip_published_shape(scheme->size, position, &nrow, &ncol);
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

base_status flip_export(base_context *context, flip_format format, const flip_scheme *scheme,
                        base_output *output) {
    switch (format) {
    case FLIP_EXP: return flip_write_exp(context, scheme, output);
    case FLIP_MATHEMATICA: return flip_write_mathematica(context, scheme, output);
    case FLIP_MAPLE: return flip_write_maple(context, scheme, output);
    case FLIP_JSON: return flip_write_json(context, scheme, output);
    case FLIP_NPZ: return flip_write_npz(context, scheme, output);
    default: return base_fail(context, BASE_USAGE, "no such format");
    }
}
