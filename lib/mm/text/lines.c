/* SPDX-License-Identifier: BSD-3-Clause */
/* The line at the front of the source, and what is said of a line: that it is wrong, or was repaired. */
#include "base/core/memory.h"
#include "mm/text/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

base_status mm_text_fail(mm_text_reader *reader, int64_t line, const char *format, ...) {
    char cause[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cause, sizeof cause, format, arguments);
    va_end(arguments);
    reader->context->place.line = line;
    return base_fail(reader->context, BASE_DAMAGED, "%s", cause);
}

void mm_text_add_note(char *notes, size_t size, const char *note) {
    const char *quote = strrchr(note, '\''), *kind = quote != NULL ? quote + 1 : note;
    const size_t used = strlen(notes);
    if (strstr(notes, kind) == NULL)
        snprintf(notes + used, size - used, "%s%s", used > 0 ? "; " : "", note);
}

void mm_text_note_repair(mm_read_options *options, int64_t count, const char *note) {
    mm_text_add_note(options->repair, sizeof options->repair, note);
    options->repairs += count;
}

void mm_text_repair(mm_text_reader *reader, int64_t count, const char *format, ...) {
    char note[sizeof reader->options->repair];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(note, sizeof note, format, arguments);
    va_end(arguments);
    mm_text_note_repair(reader->options, count, note);
}

base_status mm_text_peek_line(mm_text_reader *reader, const char **line, size_t *length, bool *found) {
    base_status status;
    const char *data, *end = NULL;
    size_t wanted = 1, size, searched = 0; /* what is not there yet a pipe may bring much later */
    for (;;) {
        BASE_TRY(mm_source_peek(reader->context, reader->source, wanted, &data, &size));
        size_t limit = size < MM_TEXT_LINE_LIMIT ? size : MM_TEXT_LINE_LIMIT;
        if (limit > searched)
            end = memchr(data + searched, '\n', limit - searched);
        if (end != NULL || size < wanted)
            break;
        if (size >= MM_TEXT_LINE_LIMIT)
            BASE_TRY(
                mm_text_fail(reader, reader->line, "line of more than %d MiB", MM_TEXT_LINE_LIMIT >> 20));
        searched = limit;
        wanted = size + 1;
    }
    *found = size > 0;
    *length = end != NULL ? (size_t)(end - data) : size;
    if (end == NULL) {
        /* Scanning numbers wants a byte that ends them. */
        BASE_TRY(base_reserve(reader->context, &reader->tail, &reader->tail_capacity, (int64_t)size + 1, 1));
        memcpy(reader->tail, data, size);
        reader->tail[size] = '\n';
        data = reader->tail;
    }
    if (end != NULL && *length > 0 && data[*length - 1] == '\r')
        --*length;
    if (memchr(data, '\r', *length) != NULL)
        BASE_TRY(mm_text_fail(reader, reader->line, "carriage return inside a line"));
    *line = data;
done:
    return status;
}

void mm_text_skip_line(mm_text_reader *reader, size_t length) {
    const char *data;
    size_t size;
    /* The line is visible already; its end is one byte or two or missing. */
    if (mm_source_peek(reader->context, reader->source, length + 2, &data, &size) != BASE_OK)
        return;
    while (length < size && data[length] == '\r')
        length++;
    length += length < size;
    mm_source_skip(reader->source, length);
    reader->line++;
}

const char *mm_text_skip_newlines(const char *text, const char *end) {
    typedef uint64_t block[4];
    block lines, bytes;
    memset(lines, '\n', sizeof lines);
    for (; end - text >= (ptrdiff_t)sizeof(block); text += sizeof(block)) {
        memcpy(bytes, text, sizeof bytes);
        if (((bytes[0] ^ lines[0]) | (bytes[1] ^ lines[1]) | (bytes[2] ^ lines[2]) | (bytes[3] ^ lines[3])) !=
            0)
            break;
    }
    while (text < end && *text == '\n')
        text++;
    return text;
}

/* Behind the blank lines at the front of a text; a line without its end stays. */
static const char *skip_blank_lines(const char *text, const char *end, int64_t *count) {
    for (;;) {
        const char *next = mm_text_skip_newlines(text, end);
        *count += next - text;
        text = next;
        while (next < end && (*next == ' ' || *next == '\t'))
            next++;
        next += next < end && *next == '\r';
        if (next == end || *next != '\n')
            return text;
        text = next + 1;
        ++*count;
    }
}

base_status mm_text_skip_blank(mm_text_reader *reader, int64_t *count) {
    base_status status;
    const char *data, *next;
    size_t size;
    *count = 0;
    do {
        BASE_TRY(mm_source_peek(reader->context, reader->source, 1, &data, &size));
        next = skip_blank_lines(data, data + size, count);
        mm_source_skip(reader->source, (size_t)(next - data));
    } while (size > 0 && next == data + size);
done:
    reader->line += *count;
    return status;
}

int64_t mm_text_count_lines(const char *text, size_t size) {
    typedef uint8_t lanes __attribute__((vector_size(16)));
    typedef uint64_t halves __attribute__((vector_size(16)));
    lanes newline;
    memset(&newline, '\n', sizeof newline);
    int64_t lines = 0;
    size_t at = 0;
    while (size - at >= sizeof(lanes)) {
        size_t blocks = (size - at) / sizeof(lanes);
        lanes counts = {0};
        for (size_t i = blocks < 255 ? blocks : 255; i > 0; i--, at += sizeof(lanes)) {
            lanes bytes;
            memcpy(&bytes, text + at, sizeof bytes);
            counts -= (lanes)(bytes == newline);
        }
        halves pairs = (halves)counts, low = pairs & UINT64_C(0x00ff00ff00ff00ff);
        halves sums = low + ((pairs >> 8) & UINT64_C(0x00ff00ff00ff00ff));
        lines += (int64_t)((sums[0] * UINT64_C(0x0001000100010001)) >> 48);
        lines += (int64_t)((sums[1] * UINT64_C(0x0001000100010001)) >> 48);
    }
    for (; at < size; at++)
        lines += text[at] == '\n';
    return lines;
}
