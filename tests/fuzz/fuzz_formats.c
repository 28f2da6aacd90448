/* SPDX-License-Identifier: BSD-3-Clause */
/* An input as every format of other programs that is read by our own code: what HDF5 and matio make of
 * damaged files is theirs, and which of the formats the bytes look like does not matter. */
#include "check.h"
#include "mm/formats/formats.h"
#include "mm/record/places.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void read_as(base_context *context, const mm_file_format *format, mm_source *source) {
    mm_record record;
    void *file = NULL;
    bool found = true;
    mm_record_init(&record);
    if (format->read != NULL) {
        if (format->read(context, source, &record) == BASE_OK)
            check_record(&record);
    } else {
        found = format->reader->open(context, source, &file) == BASE_OK;
        while (found && format->reader->next(context, file, &record, &found) == BASE_OK) {
            if (found && mm_places_expand(context, &record) == BASE_OK)
                check_record(&record);
            mm_record_free(&record);
        }
        format->reader->close(file);
    }
    mm_record_free(&record);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    base_context context;
    const mm_file_format *format;
    base_context_init(&context);
    context.memory_bytes = 1 << 26;
    for (int row = 0; (format = mm_format_row(row)) != NULL; row++) {
        mm_source *source;
        const char *name;
        bool found;
        if (strcmp(format->name, "binsparse") == 0 || strcmp(format->name, "mat") == 0 ||
            mm_source_open_memory(&context, data, size, &source) != BASE_OK)
            continue;
        if (mm_source_next_part(&context, source, &name, &found) == BASE_OK && found)
            read_as(&context, format, source);
        mm_source_close(source);
    }
    return 0;
}
