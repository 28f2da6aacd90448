/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/source/lines.h"
#include "base/core/memory.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_LIMIT = 1 << 24 };

base_status mm_lines_open(base_context *context, const char *path, mm_lines *lines) {
    base_status status;
    const char *name;
    bool found;
    *lines = (mm_lines){0};
    BASE_TRY(mm_source_open(context, path, &lines->source));
    BASE_TRY(mm_source_next_part(context, lines->source, &name, &found));
done:
    if (status != BASE_OK)
        mm_lines_close(lines);
    return status;
}

void mm_lines_close(mm_lines *lines) {
    if (lines == NULL)
        return;
    mm_source_close(lines->source);
    free(lines->text);
    *lines = (mm_lines){0};
}

base_status mm_lines_next(base_context *context, mm_lines *lines, bool *found) {
    base_status status;
    const char *text, *newline = NULL;
    size_t size = 0, wanted = 1;
    context->place.line = ++lines->number;
    for (;;) {
        BASE_TRY(mm_source_peek(context, lines->source, wanted, &text, &size));
        newline = size > 0 ? memchr(text, '\n', size) : NULL;
        if (newline != NULL || size < wanted)
            break;
        if (size > LINE_LIMIT)
            BASE_TRY(base_fail(context, BASE_DAMAGED, "a line of more than %d bytes", LINE_LIMIT));
        wanted = 2 * size;
    }
    *found = size > 0;
    const size_t length = newline != NULL ? (size_t)(newline - text) : size;
    BASE_TRY(base_reserve(context, &lines->text, &lines->capacity, (int64_t)length + 1, 1));
    if (length > 0)
        memcpy(lines->text, text, length);
    lines->text[length] = '\0';
    mm_source_skip(lines->source, length + (newline != NULL));
done:
    return status;
}
