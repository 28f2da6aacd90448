#include "base/core/memory.h"
#include "mm/decimal/scan.h"
#include "mm/text/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

base_status mm_text_fail(mm_text_reader *reader, int64_t line, const char *format, ...) {
    char cause[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cause, sizeof cause, format, arguments);
    va_end(arguments);
    reader->context->place.line = line;
    return base_fail(reader->context, BASE_DAMAGED, "%s", cause);
}

void mm_text_repair(mm_text_reader *reader, int64_t count, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->options->repair, sizeof reader->options->repair, format, arguments);
    va_end(arguments);
    reader->options->repairs += count;
}

base_status mm_text_peek_line(mm_text_reader *reader, const char **line, size_t *length, bool *found) {
    base_status status;
    const char *data, *end = NULL;
    size_t wanted = 4096, size, searched = 0;
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
        wanted = 2 * wanted > size ? 2 * wanted : size + 1;
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

static bool begins_with(const char *line, size_t length, const char *mark) {
    return length >= strlen(mark) && strncasecmp(line, mark, strlen(mark)) == 0;
}

/* Blank lines may follow the entries, then the end of the part, a banner, an end mark or a byte-order mark.
 */
static base_status check_end(mm_text_reader *reader) {
    base_status status;
    const char *line, *word;
    size_t length;
    bool found;
    for (;;) {
        BASE_TRY(mm_text_peek_line(reader, &line, &length, &found));
        if (!found || begins_with(line, length, "%%MatrixMarket") || begins_with(line, length, "%%End") ||
            begins_with(line, length, MM_BYTE_ORDER_MARK))
            break;
        const char *p = line;
        if (mm_text_next_word(&p, line + length, &word) > 0) {
            if (*word != '%')
                BASE_TRY(mm_text_fail(reader, reader->line, "more entries than the %lld declared",
                                      (long long)reader->nnz));
            if (!reader->shape.lenient)
                BASE_TRY(mm_text_fail(reader, reader->line, "comment behind the entries"));
            mm_text_repair(reader, 1, "comment behind the entries skipped");
        }
        mm_text_skip_line(reader, length);
    }
done:
    return status;
}

base_status mm_text_read(base_context *context, mm_source *source, mm_read_options *options,
                         mm_record *record) {
    base_status status;
    mm_text_reader reader = {.context = context, .source = source, .options = options, .record = record};
    int64_t first_line = context->place.line > 0 ? context->place.line : 1;
    reader.line = first_line;
    options->repairs = options->record_number = 0;
    options->repair[0] = '\0';
    mm_record_free(record);
    BASE_TRY(mm_text_read_header(&reader));
    BASE_TRY(mm_text_read_entries(&reader));
    BASE_TRY(check_end(&reader));
    if (options->lenient) {
        context->place.line = first_line;
        BASE_TRY(mm_text_repair_record(&reader));
    }
    context->place.line = reader.line;
done:
    free(reader.tail);
    if (status != BASE_OK)
        mm_record_free(record);
    return status;
}
