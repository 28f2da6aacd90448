/* SPDX-License-Identifier: BSD-3-Clause */
/* Banner, comments and size line. */
#include "base/core/memory.h"
#include "mm/decimal/decimal.h"
#include "mm/metadata/metadata.h"
#include "mm/text/internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Room for the comments of most records at once. */
enum { FEW_COMMENTS = 512 };

static const char banner_mark[] = "%%MatrixMarket";

static bool is_word(const char *word, size_t length, const char *name) {
    return length > 0 && ((*word ^ *name) & ~0x20) == 0 && strlen(name) == length &&
           strncasecmp(word, name, length) == 0;
}

/* The index of a word in a NULL-terminated list, or -1. */
static int find_word(const char *word, size_t length, const char *const *names) {
    for (int i = 0; names[i] != NULL; i++)
        if (is_word(word, length, names[i]))
            return i;
    return -1;
}

/* What the formats do not define: as NIST's mmio. */
static base_status check_banner(mm_text_reader *reader) {
    mm_record *record = reader->record;
    if (record->field == MM_PATTERN && record->format == MM_ARRAY)
        return mm_text_fail(reader, reader->line, "banner: an array pattern has no entries");
    if (record->symmetry == MM_SKEW_SYMMETRIC && record->field == MM_PATTERN)
        return mm_text_fail(reader, reader->line, "banner: a pattern cannot be skew-symmetric");
    if (record->symmetry == MM_HERMITIAN && record->field != MM_COMPLEX) {
        if (record->field == MM_PATTERN || !reader->shape.lenient)
            return mm_text_fail(reader, reader->line, "banner: hermitian, but not complex");
        record->symmetry = MM_SYMMETRIC;
        mm_text_repair(reader, 1, "hermitian without complex numbers read as symmetric");
    }
    return BASE_OK;
}

static base_status parse_banner(mm_text_reader *reader, const char *line, size_t size) {
    static const char *const formats[] = {"coordinate", "array", NULL};
    static const char *const fields[] = {"pattern", "integer", "real", "complex", "double", NULL};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian", NULL};
    static const char *const parts[] = {"", "object", "format", "field", "symmetry"};
    const char *end = line + size, *word;
    mm_record *record = reader->record;
    for (int i = 0; i < 5; i++) {
        size_t length = mm_text_next_word(&line, end, &word);
        int choice = 0;
        if (i == 1 && reader->shape.lenient && is_word(word, length, "vector"))
            reader->shape.vector = true;
        else if (i == 1)
            choice = is_word(word, length, "matrix") ? 0 : -1;
        else if (i == 2)
            record->format = (mm_format)(choice = find_word(word, length, formats));
        else if (i == 3) {
            choice = find_word(word, length, fields);
            record->field = choice == 4 ? MM_REAL : (mm_field)choice;
        } else if (i == 4)
            record->symmetry = (mm_symmetry)(choice = find_word(word, length, symmetries));
        if (length == 0)
            return mm_text_fail(reader, reader->line, "banner without %s", parts[i]);
        if (choice < 0)
            return mm_text_fail(reader, reader->line, "banner: unknown %s '%.*s'", parts[i],
                                (int)(length < 32 ? length : 32), word);
    }
    if (mm_text_next_word(&line, end, &word) > 0) {
        if (!reader->shape.lenient)
            return mm_text_fail(reader, reader->line, "banner of more than five words");
        mm_text_repair(reader, 1, "words behind the banner ignored");
    }
    if (reader->shape.vector)
        mm_text_repair(reader, 1, "vector read as a matrix of one column");
    return check_banner(reader);
}

/* Reads the banner, or finds in lenient reading that there is none. */
static base_status read_banner(mm_text_reader *reader, bool *inferred) {
    base_status status = BASE_OK;
    const char *line, *word;
    size_t length;
    bool found;
    int64_t blank = 0;
    *inferred = false;
    if (reader->shape.lenient)
        BASE_TRY(mm_text_skip_blank(reader, &blank));
    if (blank > 0)
        mm_text_repair(reader, blank, "blank line before the banner skipped");
    BASE_TRY(mm_text_peek_line(reader, &line, &length, &found));
    const char *p = line, *q = line;
    if (found && *line == '%' && is_word(line, mm_text_next_word(&p, line + length, &word), banner_mark)) {
        BASE_TRY(parse_banner(reader, line, length));
        mm_text_skip_line(reader, length);
    } else if (found && reader->shape.lenient &&
               (*line == '%' ||
                (mm_text_next_word(&q, line + length, &word) > 0 && (unsigned char)(*word - '0') <= 9)))
        *inferred = true;
    else
        status = mm_text_fail(reader, reader->line, "no %s banner", banner_mark);
done:
    return status;
}

/* Appends a comment line to the record, or several; `capacity` is that of the comments. */
static base_status keep_comment(mm_text_reader *reader, const char *line, size_t length, int64_t *used,
                                int64_t *capacity) {
    mm_record *record = reader->record;
    base_status status;
    if (memchr(line, '\0', length) != NULL)
        BASE_TRY(mm_text_fail(reader, reader->line, "NUL byte in a comment"));
    if (*used + (int64_t)length >= MM_TEXT_COMMENTS_LIMIT)
        BASE_TRY(
            mm_text_fail(reader, reader->line, "more than %d MiB of comments", MM_TEXT_COMMENTS_LIMIT >> 20));
    const int64_t needed = *used + (int64_t)length + 2;
    BASE_TRY(base_reserve(reader->context, &record->comments, capacity,
                          needed > FEW_COMMENTS ? needed : FEW_COMMENTS, 1));
    memcpy(record->comments + *used, line, length);
    *used += (int64_t)length;
    record->comments[(*used)++] = '\n';
    record->comments[*used] = '\0';
done:
    return status;
}

/* The comment lines at the front that are whole and visible, as plain as programs write them. Their length
 * without the last one's end, 0: there are none; *lines: how many. */
static size_t find_plain_comments(const char *data, size_t size, int64_t *lines) {
    size_t length = 0;
    *lines = 0;
    while (length < size && data[length] == '%') {
        const char *end = memchr(data + length, '\n', size - length);
        if (end == NULL)
            break;
        length = (size_t)(end + 1 - data);
        ++*lines;
    }
    if (length == 0 || length > MM_TEXT_LINE_LIMIT || memchr(data, '\r', length) != NULL ||
        memchr(data, '\0', length) != NULL)
        return 0;
    return length - 1;
}

/* Those at once: most comments of small records. */
static base_status read_plain_comments(mm_text_reader *reader, int64_t *used, int64_t *capacity) {
    base_status status;
    const char *data;
    size_t size;
    int64_t lines;
    BASE_TRY(mm_source_peek(reader->context, reader->source, 1, &data, &size));
    const size_t length = find_plain_comments(data, size, &lines);
    if (length == 0)
        goto done;
    BASE_TRY(keep_comment(reader, data, length, used, capacity));
    mm_source_skip(reader->source, length + 1);
    reader->line += lines;
done:
    return status;
}

/* Comments and blank lines up to the size line, which is left at the front. */
static base_status read_comments(mm_text_reader *reader) {
    base_status status;
    int64_t used = 0, capacity = 0;
    const char *line, *word;
    size_t length;
    bool found;
    int64_t blank;
    BASE_TRY(read_plain_comments(reader, &used, &capacity));
    for (;;) {
        BASE_TRY(mm_text_skip_blank(reader, &blank));
        BASE_TRY(mm_text_peek_line(reader, &line, &length, &found));
        if (!found)
            BASE_TRY(mm_text_fail(reader, reader->line, "truncated: no size line"));
        const char *p = line;
        size_t word_length = mm_text_next_word(&p, line + length, &word);
        if (word_length > 0 && *word != '%')
            break;
        if (word_length > 0) {
            size_t blanks = (size_t)(word - line);
            if (blanks > 0 && !reader->shape.lenient)
                BASE_TRY(mm_text_fail(reader, reader->line, "blanks before a comment"));
            if (blanks > 0)
                mm_text_repair(reader, 1, "blanks before a comment removed");
            BASE_TRY(keep_comment(reader, word, length - blanks, &used, &capacity));
        }
        mm_text_skip_line(reader, length);
    }
done:
    return status;
}

/* The size line's numbers, as many as there are up to 3; further words are refused or ignored. */
static base_status parse_sizes(mm_text_reader *reader, const char *line, size_t size, int wanted,
                               int64_t sizes[3], int *count) {
    const char *end = line + size, *word;
    size_t length;
    *count = 0;
    while ((length = mm_text_next_word(&line, end, &word)) > 0) {
        if (*count == wanted) {
            if (!reader->shape.lenient || reader->shape.inferred)
                return mm_text_fail(reader, reader->line, "size line of more than %d numbers", wanted);
            mm_text_repair(reader, 1, "words behind the sizes ignored");
            break;
        }
        const char *p = word;
        int64_t *value = &sizes[*count];
        if ((unsigned char)(*p - '0') > 9 || mm_decimal_read_int64(&p, value) == MM_DECIMAL_MALFORMED ||
            p != word + length)
            return mm_text_fail(reader, reader->line, "size '%.*s' is not a number",
                                (int)(length < 32 ? length : 32), word);
        p = word;
        if (mm_decimal_read_int64(&p, value) != MM_DECIMAL_OK || *value > INT64_C(1) << 62)
            return mm_text_fail(reader, reader->line, "size %.*s is beyond 2^62",
                                (int)(length < 32 ? length : 32), word);
        ++*count;
    }
    return BASE_OK;
}

/* Without a banner the first entry tells the field; the size line has been skipped. Two numbers and then two
 * again may be the sizes of an array of complex numbers, but they are an edge list far more often. */
static base_status infer_field(mm_text_reader *reader) {
    base_status status = BASE_OK;
    mm_record *record = reader->record;
    const char *line, *word;
    size_t length;
    int words = 0;
    bool found;
    BASE_TRY(mm_text_peek_line(reader, &line, &length, &found));
    const char *end = line + length;
    while (found && mm_text_next_word(&line, end, &word) > 0 && *word != '%')
        words++;
    if (record->format == MM_ARRAY && words > 1)
        BASE_TRY(mm_text_fail(reader, reader->line,
                              "no banner, and %d numbers where an array has one. An edge list is read by "
                              "mm-cat --from edges",
                              words));
    record->field = record->format == MM_ARRAY ? MM_REAL
                    : words == 2               ? MM_PATTERN
                    : words == 4               ? MM_COMPLEX
                                               : MM_REAL;
done:
    return status;
}

static base_status read_sizes(mm_text_reader *reader, bool inferred) {
    base_status status;
    mm_record *record = reader->record;
    const char *line;
    size_t length;
    bool found;
    int64_t sizes[3] = {0, 0, 0};
    int count, wanted = inferred || record->format == MM_COORDINATE ? 3 : 2;
    wanted -= reader->shape.vector;
    BASE_TRY(mm_text_peek_line(reader, &line, &length, &found));
    BASE_TRY(parse_sizes(reader, line, length, wanted, sizes, &count));
    if (inferred && count == 2)
        record->format = MM_ARRAY;
    else if (count < wanted)
        BASE_TRY(
            mm_text_fail(reader, reader->line, "size line of %d numbers where %d belong", count, wanted));
    record->nrow = sizes[0];
    record->ncol = reader->shape.vector ? 1 : sizes[1];
    if (record->symmetry != MM_GENERAL && record->nrow != record->ncol) {
        if (!reader->shape.lenient || reader->shape.vector || record->format == MM_ARRAY)
            BASE_TRY(
                mm_text_fail(reader, reader->line, "%s, but not square", mm_symmetry_name(record->symmetry)));
        mm_text_repair(reader, 1, "%s, but not square: read as general", mm_symmetry_name(record->symmetry));
        record->symmetry = MM_GENERAL;
    }
    reader->nnz = record->format == MM_ARRAY ? mm_array_length(record->nrow, record->ncol, record->symmetry)
                                             : sizes[wanted - 1];
    if (reader->nnz < 0)
        BASE_TRY(mm_text_fail(reader, reader->line, "an array of more than 2^62 entries"));
    mm_text_skip_line(reader, length);
    if (inferred) {
        BASE_TRY(infer_field(reader));
        mm_text_repair(reader, 1, "no banner: read as %s %s general", mm_format_name(record->format),
                       mm_field_name(record->field));
    }
done:
    return status;
}

/* The comments that mean something to the reader. */
static void apply_comments(mm_text_reader *reader) {
    mm_record *record = reader->record;
    char value[32];
    if (mm_metadata_get(record, "record", value, sizeof value)) {
        const char *p = value;
        int64_t number;
        if (mm_decimal_read_int64(&p, &number) == MM_DECIMAL_OK && *p == '\0' && number > 0) {
            reader->options->record_number = number;
            mm_metadata_remove(record, "record");
        }
    }
    if (record->field != MM_INTEGER)
        return;
    if (mm_metadata_get(record, "integers", value, sizeof value) && strcmp(value, "big") == 0) {
        reader->shape.digits = reader->big_integers = true;
        mm_metadata_remove(record, "integers");
    }
    if (record->format == MM_COORDINATE && mm_metadata_get(record, "scheme", NULL, 0))
        record->kind = MM_SCHEME;
}

base_status mm_text_read_header(mm_text_reader *reader) {
    base_status status;
    bool inferred;
    mm_text_shape *shape = &reader->shape;
    mm_record *record = reader->record;
    shape->lenient = reader->options->lenient;
    BASE_TRY(read_banner(reader, &inferred));
    shape->inferred = inferred;
    BASE_TRY(read_comments(reader));
    BASE_TRY(read_sizes(reader, inferred));
    apply_comments(reader);
    shape->format = record->format;
    shape->field = record->field;
    shape->symmetry = record->symmetry;
    shape->nrow = record->nrow;
    shape->ncol = record->ncol;
    if (shape->lenient && record->field == MM_INTEGER)
        shape->digits = true; /* a value beyond 64 bits may come late */
    shape->vector = shape->vector && record->format == MM_COORDINATE;
done:
    return status;
}
