/* SPDX-License-Identifier: BSD-3-Clause */
/* One record of the text form from its banner to the lines behind its entries. */
#include "mm/metadata/metadata.h"
#include "mm/text/internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

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
    int64_t blank;
    for (;;) {
        BASE_TRY(mm_text_skip_blank(reader, &blank));
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
    mm_metadata_set_place(context, record);
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
