/* SPDX-License-Identifier: BSD-3-Clause */
/* Rutherford-Boeing (Duff, Grimes, Lewis: The Rutherford-Boeing sparse matrix collection, RAL-TR-97-031) and
 * its forerunner Harwell-Boeing: assembled matrices by columns, in lines of Fortran's fixed-width fields. */
#include "base/core/memory.h"
#include "mm/decimal/decimal.h"
#include "mm/formats/formats.h"
#include "mm/formats/fortran_lines.h"
#include "mm/metadata/metadata.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = MM_FORTRAN_LINE_BYTES, KEY_COLUMN = 72 };

typedef struct boeing {
    base_context *context;
    mm_record *record;
    mm_fortran_lines lines;
    char type[4];
    int64_t value_lines, right_side_lines;
    mm_fortran_format pointers, indices, values;
} boeing;

#define FAIL(boeing, ...) base_fail((boeing)->context, BASE_DAMAGED, __VA_ARGS__)

/* ---- header ---- */

/* Numbers without sign, separated by blanks, up to the end of the line; how many, or -1. */
static int read_counts(const char *text, int64_t *counts, int most) {
    int count = 0;
    for (;;) {
        while (*text == ' ')
            text++;
        if (*text == 0)
            return count;
        if (count == most || !isdigit((unsigned char)*text) ||
            mm_decimal_read_int64(&text, &counts[count]) != MM_DECIMAL_OK || (*text != ' ' && *text != 0))
            return -1;
        count++;
    }
}

static bool is_type(const char *text) {
    return text[0] != 0 && strchr("rcipqRCIPQ", text[0]) != NULL && text[1] != 0 &&
           strchr("suhzrSUHZR", text[1]) != NULL && text[2] != 0 && strchr("aeAE", text[2]) != NULL &&
           (text[3] == ' ' || text[3] == 0);
}

static base_status set_type(boeing *boeing) {
    mm_record *record = boeing->record;
    char field = boeing->type[0], symmetry = boeing->type[1];
    if (boeing->type[2] != 'a')
        return FAIL(boeing, "a matrix of finite elements is not read");
    record->format = MM_COORDINATE;
    record->field = field == 'r'   ? MM_REAL
                    : field == 'c' ? MM_COMPLEX
                    : field == 'i' ? MM_INTEGER
                                   : MM_PATTERN;
    record->symmetry = symmetry == 's'   ? MM_SYMMETRIC
                       : symmetry == 'z' ? MM_SKEW_SYMMETRIC
                       : symmetry == 'h' ? MM_HERMITIAN
                                         : MM_GENERAL;
    if (record->symmetry != MM_GENERAL && record->nrow != record->ncol)
        return FAIL(boeing, "type %s, but %lld rows and %lld columns", boeing->type, (long long)record->nrow,
                    (long long)record->ncol);
    if ((symmetry == 'h' && record->field != MM_COMPLEX) || (symmetry == 'z' && record->field == MM_PATTERN))
        return FAIL(boeing, "type %s is not possible", boeing->type);
    return BASE_OK;
}

static base_status add_title(boeing *boeing) {
    base_status status = BASE_OK;
    static const char *const keys[] = {"title", "key"};
    char *parts[] = {boeing->lines.line,
                     boeing->lines.length > KEY_COLUMN ? boeing->lines.line + KEY_COLUMN : NULL};
    char key[LINE_BYTES] = "";
    if (parts[1] != NULL) {
        strcpy(key, parts[1]);
        *parts[1] = 0;
        parts[1] = key;
    }
    for (int i = 0; i < 2 && parts[i] != NULL; i++) {
        char *text = parts[i] + strspn(parts[i], " ");
        size_t length = strlen(text);
        while (length > 0 && text[length - 1] == ' ')
            text[--length] = 0;
        if (length > 0)
            BASE_TRY(mm_metadata_add(boeing->context, boeing->record, keys[i], "%s", text));
    }
done:
    return status;
}

static base_status read_header(boeing *boeing) {
    base_status status;
    mm_record *record = boeing->record;
    int64_t counts[5] = {0};
    BASE_TRY(mm_fortran_next_line(&boeing->lines));
    BASE_TRY(add_title(boeing));
    BASE_TRY(mm_fortran_next_line(&boeing->lines));
    if (read_counts(boeing->lines.line, counts, 5) < 4)
        BASE_TRY(FAIL(boeing, "four numbers of lines are due"));
    boeing->value_lines = counts[3];
    boeing->right_side_lines = counts[4];
    BASE_TRY(mm_fortran_next_line(&boeing->lines));
    if (!is_type(boeing->lines.line) || read_counts(boeing->lines.line + 3, counts, 4) < 3)
        BASE_TRY(FAIL(boeing, "type, rows, columns and entries are due"));
    for (int i = 0; i < 3; i++)
        boeing->type[i] = (char)tolower((unsigned char)boeing->lines.line[i]);
    record->nrow = counts[0];
    record->ncol = counts[1];
    record->nnz = counts[2];
    BASE_TRY(set_type(boeing));
    BASE_TRY(mm_fortran_next_line(&boeing->lines));
    const char *text = boeing->lines.line;
    bool good = mm_fortran_read_format(&text, &boeing->pointers) &&
                mm_fortran_read_format(&text, &boeing->indices) && boeing->pointers.letter == 'I' &&
                boeing->indices.letter == 'I';
    if (good && record->field != MM_PATTERN)
        good = mm_fortran_read_format(&text, &boeing->values) &&
               (boeing->values.letter == 'I') == (record->field == MM_INTEGER);
    if (!good)
        BASE_TRY(FAIL(boeing, "a format that is not known: %.60s", boeing->lines.line));
    if ((boeing->value_lines > 0) != (record->field != MM_PATTERN && record->nnz > 0))
        BASE_TRY(
            FAIL(boeing, "type %s with %lld lines of values", boeing->type, (long long)boeing->value_lines));
    if (boeing->right_side_lines > 0) {
        BASE_TRY(mm_fortran_next_line(&boeing->lines));
        BASE_TRY(mm_metadata_add(boeing->context, record, "boeing.rhs", "left out"));
    }
done:
    return status;
}

/* ---- sections: arrays grow as their numbers arrive ---- */

static base_status read_pointers(boeing *boeing, int64_t **start) {
    base_status status = BASE_OK;
    const mm_record *record = boeing->record;
    int64_t capacity = 0, pointer;
    for (int64_t j = 0; j <= record->ncol; j++) {
        BASE_TRY(mm_fortran_next_integer(&boeing->lines, &boeing->pointers, j == 0, &pointer));
        BASE_TRY(base_reserve(boeing->context, start, &capacity, j + 1, sizeof **start));
        (*start)[j] = pointer - 1;
        if (pointer < 1 || pointer - 1 > record->nnz ||
            (j == 0 ? pointer != 1 : pointer - 1 < (*start)[j - 1]))
            BASE_TRY(FAIL(boeing, "column pointer %lld does not follow", (long long)pointer));
    }
    if ((*start)[record->ncol] != record->nnz)
        BASE_TRY(FAIL(boeing, "the columns have %lld entries, not %lld", (long long)(*start)[record->ncol],
                      (long long)record->nnz));
    BASE_TRY(mm_fortran_end_section(&boeing->lines, &boeing->pointers));
done:
    return status;
}

static base_status read_indices(boeing *boeing, const int64_t *start) {
    base_status status = BASE_OK;
    mm_record *record = boeing->record;
    int64_t capacity = 0, index, col = 0;
    BASE_TRY(base_resize(boeing->context, &record->row, 0, sizeof *record->row));
    for (int64_t k = 0; k < record->nnz; k++) {
        BASE_TRY(mm_fortran_next_integer(&boeing->lines, &boeing->indices, k == 0, &index));
        BASE_TRY(base_reserve(boeing->context, &record->row, &capacity, k + 1, sizeof *record->row));
        record->row[k] = index - 1;
        while (start[col + 1] <= k)
            col++;
        if (index < 1 || index > record->nrow)
            BASE_TRY(FAIL(boeing, "row %lld exceeds %lld", (long long)index, (long long)record->nrow));
        int64_t least = record->symmetry == MM_GENERAL ? 0 : col + (record->symmetry == MM_SKEW_SYMMETRIC);
        if (index - 1 < least)
            BASE_TRY(FAIL(boeing, "row %lld of column %lld does not lie in the lower triangle",
                          (long long)index, (long long)col + 1));
    }
    if (record->nnz > 0)
        BASE_TRY(mm_fortran_end_section(&boeing->lines, &boeing->indices));
    record->col = base_alloc(boeing->context, record->nnz, sizeof *record->col);
    if (record->col == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t j = 0; j < record->ncol; j++)
        for (int64_t k = start[j]; k < start[j + 1]; k++)
            record->col[k] = j;
done:
    return status;
}

static base_status read_values(boeing *boeing) {
    base_status status = BASE_OK;
    mm_record *record = boeing->record;
    int64_t capacity = 0, count = record->field == MM_COMPLEX ? 2 * record->nnz : record->nnz;
    if (record->field == MM_INTEGER)
        BASE_TRY(base_resize(boeing->context, &record->integer, 0, sizeof *record->integer));
    else
        BASE_TRY(base_resize(boeing->context, &record->real, 0, sizeof *record->real));
    for (int64_t k = 0; k < count; k++) {
        if (record->field == MM_INTEGER) {
            BASE_TRY(
                base_reserve(boeing->context, &record->integer, &capacity, k + 1, sizeof *record->integer));
            BASE_TRY(mm_fortran_next_integer(&boeing->lines, &boeing->values, k == 0, &record->integer[k]));
            continue;
        }
        BASE_TRY(base_reserve(boeing->context, &record->real, &capacity, k + 1, sizeof *record->real));
        BASE_TRY(mm_fortran_next_double(&boeing->lines, &boeing->values, k == 0, &record->real[k]));
        int64_t entry = k / 2;
        if (record->symmetry == MM_HERMITIAN && k % 2 == 1 && record->row[entry] == record->col[entry] &&
            record->real[k] != 0)
            BASE_TRY(FAIL(boeing, "a diagonal entry of a Hermitian matrix is not real"));
    }
    if (count > 0)
        BASE_TRY(mm_fortran_end_section(&boeing->lines, &boeing->values));
done:
    return status;
}

static base_status read_end(boeing *boeing) {
    base_status status;
    bool found = true;
    while (found) {
        BASE_TRY(mm_fortran_try_line(&boeing->lines, &found));
        if (found && boeing->right_side_lines == 0 && strspn(boeing->lines.line, " ") != boeing->lines.length)
            BASE_TRY(FAIL(boeing, "there is more behind the last number"));
    }
done:
    return status;
}

base_status mm_boeing_read(base_context *context, mm_source *source, mm_record *record) {
    base_status status;
    int64_t *start = NULL;
    boeing boeing = {.context = context, .record = record, .lines = {.context = context, .source = source}};
    mm_record_free(record);
    context->place.line = 0;
    BASE_TRY(read_header(&boeing));
    BASE_TRY(read_pointers(&boeing, &start));
    BASE_TRY(read_indices(&boeing, start));
    if (record->field != MM_PATTERN)
        BASE_TRY(read_values(&boeing));
    BASE_TRY(read_end(&boeing));
done:
    free(start);
    if (status != BASE_OK)
        mm_record_free(record);
    return status;
}

/* Line 3 begins with a type and line 4 with a parenthesis; nothing else looks like that. */
bool mm_boeing_detect(const char *data, size_t size) {
    const char *line[5] = {data}, *end = data + size;
    for (int i = 1; i < 5; i++) {
        const char *newline = memchr(line[i - 1], '\n', (size_t)(end - line[i - 1]));
        if (newline == NULL && i < 4)
            return false;
        line[i] = newline != NULL ? newline + 1 : end;
    }
    char type[8] = "";
    memcpy(type, line[2], line[3] - line[2] < 7 ? (size_t)(line[3] - line[2]) : 7);
    const char *format = line[3];
    while (format < line[4] && *format == ' ')
        format++;
    return is_type(type) && format < line[4] && *format == '(';
}
