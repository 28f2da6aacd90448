/* SPDX-License-Identifier: BSD-3-Clause */
/* The hot loop of the text reader. One function with constant arguments becomes one loop per format and
 * field; a line that is not as plain as most goes to mm_text_parse_line. */
#include "mm/decimal/scan.h"
#include "mm/text/internal.h"

#include <stdio.h>

MM_SCAN_INLINE const char *skip_blanks(const char *p) {
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
}

MM_SCAN_INLINE bool read_blanks(const char **text) {
    const char *p = *text;
    if (*p != ' ' && *p != '\t')
        return false;
    *text = skip_blanks(p + 1);
    return true;
}

/* Whether indices have at most two digits, and values perhaps. The same for all lines of a record. */
MM_SCAN_INLINE bool is_small(const mm_text_shape *shape) {
    return shape->nrow < 100 && shape->ncol < 100;
}

/* Reads two numbers of at most two digits; false, and nothing moved, on anything else. */
MM_SCAN_INLINE bool read_few(const char **text, uint64_t *first, uint64_t *second) {
    const char *p = *text;
    if (!mm_scan_few(&p, first) || !read_blanks(&p) || !mm_scan_few(&p, second))
        return false;
    *text = p;
    return true;
}

/* Reads row and column. */
MM_SCAN_INLINE bool read_indices(const char **text, const mm_text_shape *shape, mm_text_entry *entry) {
    uint64_t row, col;
    if (!(is_small(shape) && read_few(text, &row, &col)) && !mm_scan_pair(text, &row, &col) &&
        (!mm_scan_unsigned(text, &row) || !read_blanks(text) || !mm_scan_unsigned(text, &col)))
        return false;
    entry->row = (int64_t)row - 1;
    entry->col = (int64_t)col - 1;
    return row - 1 < (uint64_t)shape->nrow && col - 1 < (uint64_t)shape->ncol;
}

MM_SCAN_INLINE bool read_integer(const char **text, const mm_text_shape *shape, int64_t *integer) {
    uint64_t few;
    if (!is_small(shape) || !mm_scan_few(text, &few))
        return mm_scan_integer(text, integer);
    *integer = (int64_t)few;
    return true;
}

/* Reads the line at *text if it is plain, and moves *text behind it. */
MM_SCAN_INLINE bool read_plain_line(const char **text, const mm_text_shape *shape, bool coordinate,
                                    mm_field field, mm_text_entry *entry) {
    const char *p = skip_blanks(*text);
    if (coordinate) {
        if (!read_indices(&p, shape, entry))
            return false;
        if (field != MM_PATTERN && !read_blanks(&p))
            return false;
    }
    if (field == MM_INTEGER && !read_integer(&p, shape, &entry->integer))
        return false;
    if ((field == MM_REAL || field == MM_COMPLEX) && mm_scan_double(&p, &entry->real) != MM_DECIMAL_OK)
        return false;
    if (field == MM_COMPLEX && (!read_blanks(&p) || mm_scan_double(&p, &entry->imaginary) != MM_DECIMAL_OK))
        return false;
    if (__builtin_expect(*p != '\n', 0)) {
        p = skip_blanks(p);
        p += *p == '\r';
        if (*p != '\n')
            return false;
    }
    if (coordinate && shape->symmetry != MM_GENERAL && entry->row <= entry->col) {
        if (entry->row < entry->col || shape->symmetry == MM_SKEW_SYMMETRIC)
            return false;
        if (field == MM_COMPLEX && shape->symmetry == MM_HERMITIAN && entry->imaginary != 0)
            return false;
    }
    *text = p + 1;
    return true;
}

/* The rare line: empty, to be repaired, unusual or wrong. */
static __attribute__((noinline)) mm_text_line read_rare_line(const char **text, const mm_text_shape *shape,
                                                             mm_text_piece *piece, mm_text_entry *entry) {
    char note[MM_TEXT_NOTE];
    if (**text == '\n') {
        *text = mm_text_skip_newlines(*text, piece->end);
        return MM_LINE_EMPTY;
    }
    const char *line = *text, *end = memchr(line, '\n', (size_t)(piece->end - line));
    mm_text_line result = mm_text_parse_line(shape, line, end, entry, note);
    if (result == MM_LINE_BAD) {
        piece->failed = line;
        snprintf(piece->note, sizeof piece->note, "%s", note);
        return result;
    }
    if (note[0] != '\0') {
        piece->repairs++;
        mm_text_add_note(piece->note, sizeof piece->note, note);
    }
    *text = end + 1;
    return result;
}

MM_SCAN_INLINE void parse_lines(const mm_text_shape *shape, mm_record *record, mm_text_piece *piece,
                                bool coordinate, mm_field field, bool plain) {
    const char *p = piece->text, *end = piece->end;
    int64_t k = piece->first, *row = record->row, *col = record->col, *integer = record->integer;
    double *real = record->real;
    mm_text_entry entry = {0};
    while (p < end) {
        if (!plain || __builtin_expect(!read_plain_line(&p, shape, coordinate, field, &entry), 0)) {
            mm_text_line line = read_rare_line(&p, shape, piece, &entry);
            if (line == MM_LINE_EMPTY)
                continue;
            if (line == MM_LINE_BAD)
                break;
        }
        if (coordinate) {
            row[k] = entry.row;
            col[k] = entry.col;
        }
        if (field == MM_REAL)
            real[k] = entry.real;
        if (field == MM_COMPLEX) {
            real[2 * k] = entry.real;
            real[2 * k + 1] = entry.imaginary;
        }
        if (field == MM_INTEGER)
            integer[k] = shape->digits ? entry.digits - piece->text : entry.integer;
        k++;
    }
    piece->entries = k - piece->first;
}

void mm_text_parse_piece(const mm_text_shape *shape, mm_record *record, mm_text_piece *piece) {
    bool coordinate = shape->format == MM_COORDINATE;
    piece->failed = NULL;
    piece->repairs = 0;
    piece->note[0] = '\0';
    if (shape->digits || shape->vector) {
        switch (shape->field) {
        case MM_PATTERN: parse_lines(shape, record, piece, true, MM_PATTERN, false); break;
        case MM_INTEGER: parse_lines(shape, record, piece, coordinate, MM_INTEGER, false); break;
        case MM_REAL: parse_lines(shape, record, piece, true, MM_REAL, false); break;
        case MM_COMPLEX: parse_lines(shape, record, piece, true, MM_COMPLEX, false); break;
        }
        return;
    }
    switch (shape->field) {
    case MM_PATTERN: parse_lines(shape, record, piece, true, MM_PATTERN, true); break;
    case MM_INTEGER:
        if (coordinate)
            parse_lines(shape, record, piece, true, MM_INTEGER, true);
        else
            parse_lines(shape, record, piece, false, MM_INTEGER, true);
        break;
    case MM_REAL:
        if (coordinate)
            parse_lines(shape, record, piece, true, MM_REAL, true);
        else
            parse_lines(shape, record, piece, false, MM_REAL, true);
        break;
    case MM_COMPLEX:
        if (coordinate)
            parse_lines(shape, record, piece, true, MM_COMPLEX, true);
        else
            parse_lines(shape, record, piece, false, MM_COMPLEX, true);
        break;
    }
}
