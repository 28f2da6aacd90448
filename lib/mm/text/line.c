/* SPDX-License-Identifier: BSD-3-Clause */
/* One line of any content, by all the rules. */
#include "mm/decimal/decimal.h"
#include "mm/text/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

size_t mm_text_next_word(const char **text, const char *end, const char **word) {
    const char *p = *text;
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    *word = p;
    while (p < end && *p != ' ' && *p != '\t')
        p++;
    *text = p;
    return (size_t)(p - *word);
}

static bool is_digit(char c) {
    return (unsigned char)(c - '0') <= 9;
}

/* A word for a message: cut, and without bytes that a terminal would act on. */
typedef struct shown_word {
    char text[32];
} shown_word;

static shown_word show(const char *word, size_t length) {
    shown_word shown;
    size_t limit = sizeof shown.text - 4, kept = length < limit ? length : limit;
    for (size_t i = 0; i < kept; i++)
        shown.text[i] = (char)((unsigned char)word[i] < 0x20 || word[i] == 0x7f ? '?' : word[i]);
    strcpy(shown.text + kept, length > kept ? "..." : "");
    return shown;
}

/* Reads an index into 0 … size-1; lenient reading lets a 0 through as -1. */
static bool parse_index(const mm_text_shape *shape, const char *what, const char *word, size_t length,
                        int64_t size, int64_t *index, char *note) {
    const char *p = word;
    int64_t value;
    if (!is_digit(*p) || mm_decimal_read_int64(&p, &value) == MM_DECIMAL_MALFORMED || p != word + length) {
        snprintf(note, MM_TEXT_NOTE, "%s index '%s' is not a positive integer", what,
                 show(word, length).text);
        return false;
    }
    if (value > size || value < 0) {
        snprintf(note, MM_TEXT_NOTE, "%s %s exceeds %lld", what, show(word, length).text, (long long)size);
        return false;
    }
    if (value == 0 && !shape->lenient) {
        snprintf(note, MM_TEXT_NOTE, "%s index 0: indices count from 1", what);
        return false;
    }
    *index = value - 1;
    return true;
}

/* Infinities are read as they stand, like duplicates: real files hold them, and the tools that calculate
 * refuse them. */
static bool is_infinity(const char *word, size_t length, double *value) {
    size_t sign = *word == '-' || *word == '+';
    if (!(length - sign == 3 && strncasecmp(word + sign, "inf", 3) == 0) &&
        !(length - sign == 8 && strncasecmp(word + sign, "infinity", 8) == 0))
        return false;
    *value = *word == '-' ? -HUGE_VAL : HUGE_VAL;
    return true;
}

static bool parse_real(const char *word, size_t length, double *value, char *note) {
    const char *p = word;
    if (is_infinity(word, length, value))
        return true;
    switch (mm_decimal_read_double(&p, value)) {
    case MM_DECIMAL_OK:
        if (p == word + length)
            return true;
        break;
    case MM_DECIMAL_OUT_OF_RANGE:
        if (p != word + length)
            break;
        snprintf(note, MM_TEXT_NOTE, "value '%s' is beyond the range of double", show(word, length).text);
        return false;
    case MM_DECIMAL_MALFORMED: break;
    }
    snprintf(note, MM_TEXT_NOTE, "value '%s' is not a decimal number", show(word, length).text);
    return false;
}

/* An integer that is kept as its digits or must fit into 64 bits. *repaired tells of a fraction `.000`. */
static bool parse_integer(const mm_text_shape *shape, const char *word, size_t length, mm_text_entry *entry,
                          bool *repaired, char *note) {
    const char *p = word, *end = word + length;
    p += *p == '-' || *p == '+';
    const char *digits = p;
    while (p < end && is_digit(*p))
        p++;
    entry->digits = word;
    entry->digits_length = p - word;
    if (p > digits && p < end && *p == '.' && shape->lenient) {
        p++;
        while (p < end && *p == '0')
            p++;
        *repaired = true;
    }
    if (p == digits || p != end) {
        snprintf(note, MM_TEXT_NOTE, "value '%s' is not an integer", show(word, length).text);
        return false;
    }
    p = word;
    if (!shape->digits && mm_decimal_read_int64(&p, &entry->integer) != MM_DECIMAL_OK) {
        snprintf(note, MM_TEXT_NOTE, "integer '%s' is beyond 64 bits", show(word, length).text);
        return false;
    }
    return true;
}

/* Symmetric formats store the lower triangle, and their diagonals are not free. */
static bool check_triangle(const mm_text_shape *shape, const mm_text_entry *entry, char *note) {
    if (shape->lenient || shape->symmetry == MM_GENERAL || shape->format == MM_ARRAY)
        return true;
    const char *name = mm_symmetry_name(shape->symmetry);
    if (entry->row < entry->col)
        snprintf(note, MM_TEXT_NOTE, "entry (%lld, %lld) above the diagonal of a %s matrix",
                 (long long)entry->row + 1, (long long)entry->col + 1, name);
    else if (entry->row == entry->col && shape->symmetry == MM_SKEW_SYMMETRIC)
        snprintf(note, MM_TEXT_NOTE, "entry on the diagonal of a %s matrix", name);
    else if (entry->row == entry->col && shape->symmetry == MM_HERMITIAN && entry->imaginary != 0)
        snprintf(note, MM_TEXT_NOTE, "complex entry on the diagonal of a %s matrix", name);
    else
        return true;
    return false;
}

/* Word i of an entry of so many words. */
static bool parse_word(const mm_text_shape *shape, int i, int words, const char *word, size_t length,
                       mm_text_entry *entry, bool *repaired, char *note) {
    const bool coordinate = shape->format == MM_COORDINATE;
    if (length == 0) {
        snprintf(note, MM_TEXT_NOTE, "%d words where an entry has %d", i, words);
        return false;
    }
    if (i == 0 && coordinate)
        return parse_index(shape, "row", word, length, shape->nrow, &entry->row, note);
    if (i == 1 && coordinate && !shape->vector)
        return parse_index(shape, "column", word, length, shape->ncol, &entry->col, note);
    if (shape->field == MM_INTEGER)
        return parse_integer(shape, word, length, entry, repaired, note);
    return parse_real(word, length,
                      shape->field == MM_COMPLEX && i == words - 1 ? &entry->imaginary : &entry->real, note);
}

mm_text_line mm_text_parse_line(const mm_text_shape *shape, const char *line, const char *end,
                                mm_text_entry *entry, char note[MM_TEXT_NOTE]) {
    const char *p = line, *word;
    note[0] = '\0';
    if (end > line && end[-1] == '\r')
        end--;
    if (end > line && memchr(line, '\r', (size_t)(end - line)) != NULL) {
        snprintf(note, MM_TEXT_NOTE, "carriage return inside a line");
        return MM_LINE_BAD;
    }
    size_t length = mm_text_next_word(&p, end, &word);
    if (length == 0)
        return MM_LINE_EMPTY;
    if (*word == '%') {
        snprintf(note, MM_TEXT_NOTE,
                 shape->lenient ? "comment among the entries skipped" : "comment among the entries");
        return shape->lenient ? MM_LINE_EMPTY : MM_LINE_BAD;
    }
    bool repaired = false;
    const int numbers = shape->field == MM_PATTERN ? 0 : shape->field == MM_COMPLEX ? 2 : 1;
    const int words = numbers + (shape->format == MM_COORDINATE ? 2 - shape->vector : 0);
    entry->row = entry->col = 0;
    for (int i = 0; i < words; i++) {
        if (!parse_word(shape, i, words, word, length, entry, &repaired, note))
            return MM_LINE_BAD;
        length = mm_text_next_word(&p, end, &word);
    }
    const bool has_fraction = repaired;
    if (length > 0) {
        const bool ignored = shape->lenient && !shape->inferred;
        repaired = true;
        snprintf(note, MM_TEXT_NOTE, ignored ? "'%s' behind an entry ignored" : "'%s' behind an entry",
                 show(word, length).text);
        if (!ignored)
            return MM_LINE_BAD;
    }
    if (has_fraction)
        mm_text_add_note(note, MM_TEXT_NOTE, "integer with a fraction of zeros");
    if (!check_triangle(shape, entry, note))
        return MM_LINE_BAD;
    return repaired ? MM_LINE_REPAIRED : MM_LINE_ENTRY;
}
