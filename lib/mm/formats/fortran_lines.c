/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/formats/fortran_lines.h"

#include <string.h>

#define FAIL(lines, ...) base_fail((lines)->context, BASE_DAMAGED, __VA_ARGS__)

base_status mm_fortran_try_line(mm_fortran_lines *lines, bool *found) {
    base_status status;
    const char *data, *newline;
    size_t size;
    BASE_TRY(mm_source_peek(lines->context, lines->source, MM_FORTRAN_LINE_BYTES, &data, &size));
    *found = size > 0;
    if (!*found)
        goto done;
    lines->context->place.line++;
    newline = memchr(data, '\n', size);
    lines->line_ended = newline != NULL;
    lines->length = newline != NULL ? (size_t)(newline - data) : size;
    if (lines->length >= MM_FORTRAN_LINE_BYTES)
        BASE_TRY(FAIL(lines, "a line of more than %d bytes", MM_FORTRAN_LINE_BYTES - 1));
    if (memchr(data, 0, lines->length) != NULL)
        BASE_TRY(FAIL(lines, "a NUL byte"));
    memcpy(lines->line, data, lines->length);
    mm_source_skip(lines->source, lines->length + (newline != NULL));
    if (lines->length > 0 && lines->line[lines->length - 1] == '\r')
        lines->length--;
    lines->line[lines->length] = 0;
    lines->used = 0;
done:
    return status;
}

static base_status cut_off(const mm_fortran_lines *lines) {
    return FAIL(lines, "the Rutherford-Boeing file is cut off");
}

base_status mm_fortran_next_line(mm_fortran_lines *lines) {
    bool found;
    base_status status = mm_fortran_try_line(lines, &found);
    return status == BASE_OK && !found ? cut_off(lines) : status;
}

/* ---- fields ---- */

/* The next field without its blanks, in a buffer of MM_FORTRAN_FIELD_BYTES, with a NUL. */
static base_status next_field(mm_fortran_lines *lines, const mm_fortran_format *format, bool first,
                              char *field) {
    base_status status = BASE_OK;
    if (first || lines->used == format->per_line)
        BASE_TRY(mm_fortran_next_line(lines));
    size_t begin = (size_t)lines->used * (size_t)format->width, end = begin + (size_t)format->width;
    if (end > lines->length && !lines->line_ended)
        BASE_TRY(cut_off(lines));
    end = end < lines->length ? end : lines->length;
    while (begin < end && lines->line[begin] == ' ')
        begin++;
    while (end > begin && lines->line[end - 1] == ' ')
        end--;
    if (begin >= end)
        BASE_TRY(FAIL(lines, "a number is missing"));
    memcpy(field, lines->line + begin, end - begin);
    field[end - begin] = 0;
    lines->used++;
done:
    return status;
}

base_status mm_fortran_end_section(mm_fortran_lines *lines, const mm_fortran_format *format) {
    size_t end = (size_t)lines->used * (size_t)format->width;
    if (end < lines->length && strspn(lines->line + end, " ") != lines->length - end)
        return FAIL(lines, "more numbers than there are due");
    return BASE_OK;
}

base_status mm_fortran_next_integer(mm_fortran_lines *lines, const mm_fortran_format *format, bool first,
                                    int64_t *value) {
    char field[MM_FORTRAN_FIELD_BYTES];
    const char *fault;
    base_status status;
    BASE_TRY(next_field(lines, format, first, field));
    fault = mm_fortran_integer(field, value);
    if (fault != NULL)
        BASE_TRY(FAIL(lines, "%s: '%s'", fault, field));
done:
    return status;
}

base_status mm_fortran_next_double(mm_fortran_lines *lines, const mm_fortran_format *format, bool first,
                                   double *value) {
    char field[MM_FORTRAN_FIELD_BYTES];
    const char *fault;
    base_status status;
    BASE_TRY(next_field(lines, format, first, field));
    fault = mm_fortran_double(field, format, value);
    if (fault != NULL)
        BASE_TRY(FAIL(lines, "%s: '%s'", fault, field));
done:
    return status;
}
