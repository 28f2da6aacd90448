/* SPDX-License-Identifier: BSD-3-Clause */
#include "flip/formats/internal.h"

#include <ctype.h>
#include <string.h>

/* ---- which format it is ---- */

static bool has_word(const char *data, size_t size, const char *word) {
    return memmem(data, size, word, strlen(word)) != NULL;
}

/* Whether the first line has only variables a, b and c with indices, numbers, signs and brackets. A line that
 * is cut off need not have come to c. */
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

flip_format flip_format_detect(const char *data, size_t size) {
    if (size >= 4 && memcmp(data, "PK\3\4", 4) == 0)
        return FLIP_NPZ;
    flip_skip_comments(&data, &size);
    if (size == 0)
        return FLIP_NO_FORMAT;
    if (has_word(data, size, "TriadSet") && !has_word(data, size, "%%MatrixMarket"))
        return FLIP_MAPLE;
    if (*data == '{') {
        data++;
        size--;
        flip_skip_comments(&data, &size);
        return size > 0 && *data == '{'   ? FLIP_MATHEMATICA
               : size > 0 && *data == '"' ? FLIP_JSON
                                          : FLIP_NO_FORMAT;
    }
    return is_product(data, size) ? FLIP_EXP : FLIP_NO_FORMAT;
}

/* ---- reading and writing ---- */

/* A format is a row; its functions are in a file of their own, and flip_format_detect recognises it. The
 * reader of a format that holds several schemes takes a number. */
static const struct {
    base_status (*read)(flip_cursor *cursor);
    base_status (*read_one_of)(flip_cursor *cursor, int64_t index, bool *found);
    base_status (*write)(base_context *context, const flip_scheme *scheme, base_output *output);
} formats[] = {
    [FLIP_EXP] = {.read = flip_read_exp, .write = flip_write_exp},
    [FLIP_MATHEMATICA] = {.read = flip_read_mathematica, .write = flip_write_mathematica},
    [FLIP_MAPLE] = {.read = flip_read_maple, .write = flip_write_maple},
    [FLIP_JSON] = {.read = flip_read_json, .write = flip_write_json},
    [FLIP_NPZ] = {.read_one_of = flip_read_npz, .write = flip_write_npz},
};

base_status flip_import(base_context *context, const char *data, size_t size, int64_t index,
                        flip_scheme *scheme, bool *found) {
    base_status status = BASE_OK;
    flip_entries entries = {0};
    flip_cursor cursor = {context, data, data + size, &entries};
    *scheme = (flip_scheme){0};
    *found = index == 0;
    const flip_format format = flip_format_detect(data, size < FLIP_DETECT_BYTES ? size : FLIP_DETECT_BYTES);
    if (format == FLIP_NO_FORMAT)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "not a scheme in any known format"));
    if (formats[format].read_one_of != NULL)
        BASE_TRY(formats[format].read_one_of(&cursor, index, found));
    else if (*found)
        BASE_TRY(formats[format].read(&cursor));
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

base_status flip_export(base_context *context, flip_format format, const flip_scheme *scheme,
                        base_output *output) {
    if (format == FLIP_NO_FORMAT)
        return base_fail(context, BASE_USAGE, "no such format");
    return formats[format].write(context, scheme, output);
}
