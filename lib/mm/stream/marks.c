/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/stream/marks.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

base_status mm_marks_check_count(base_context *context, mm_marks *marks, int64_t count) {
    int64_t seen = marks->numbered ? marks->records : 0;
    if (count != seen)
        return base_fail(context, BASE_DAMAGED,
                         "the end mark says %lld records, there are %lld numbered ones", (long long)count,
                         (long long)seen);
    *marks = (mm_marks){.records = 0};
    return BASE_OK;
}

base_status mm_marks_check_number(base_context *context, mm_marks *marks, int64_t number) {
    if (marks->numbered && number == 0)
        return base_fail(context, BASE_DAMAGED,
                         "a record without number in a numbered stream, or its end mark is missing");
    if (number != 0 && !marks->numbered)
        *marks = (mm_marks){.records = 0}; /* a numbered stream behind lone matrices */
    if (number != 0 && number != marks->records + 1)
        return base_fail(context, BASE_DAMAGED, "record number %lld where %lld is due", (long long)number,
                         (long long)marks->records + 1);
    marks->numbered = number != 0;
    marks->records++;
    return BASE_OK;
}

base_status mm_marks_read_end(base_context *context, mm_marks *marks, mm_source *source, int64_t *line,
                              bool *found) {
    static const char mark[] = "%%End";
    enum { LONGEST = 64 };
    const char *data;
    size_t size;
    base_status status;
    *found = false;
    const size_t length = strlen(mark);
    BASE_TRY(mm_source_peek(context, source, length, &data, &size));
    if (size >= length && strncasecmp(data, mark, length) == 0)
        BASE_TRY(mm_source_peek(context, source, LONGEST, &data, &size));
    if (size < length || strncasecmp(data, mark, length) != 0)
        goto done;
    *found = true;
    int64_t count = 0;
    size_t at = length;
    while (at < size && (data[at] == ' ' || data[at] == '\t'))
        at++;
    size_t digits = at;
    for (; at < size && isdigit((unsigned char)data[at]) && at < digits + 18; at++)
        count = 10 * count + (data[at] - '0');
    bool good = at > digits && digits > length;
    while (at < size && (data[at] == ' ' || data[at] == '\t' || data[at] == '\r'))
        at++;
    /* Without its newline the number may have been cut. */
    if (!good || at >= size || data[at] != '\n')
        BASE_TRY(base_fail(context, BASE_DAMAGED, "malformed or truncated end mark"));
    BASE_TRY(mm_marks_check_count(context, marks, count));
    for (; at < size && isspace((unsigned char)data[at]); at++)
        *line += data[at] == '\n';
    mm_source_skip(source, at);
done:
    return status;
}
