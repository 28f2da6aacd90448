/* SPDX-License-Identifier: BSD-3-Clause */
/* The text form, strictly and leniently. */
#include "check.h"
#include "mm/text/text.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void read_text(const unsigned char *data, size_t size, bool lenient) {
    base_context context;
    mm_source *source;
    const char *name, *bytes;
    size_t visible;
    bool found;
    mm_record record;
    base_context_init(&context);
    mm_record_init(&record);
    if (mm_source_open_memory(&context, data, size, &source) != BASE_OK)
        return;
    if (mm_source_next_part(&context, source, &name, &found) == BASE_OK && found) {
        mm_read_options options = {.lenient = lenient};
        context.place.line = 1;
        while (mm_source_peek(&context, source, 1, &bytes, &visible) == BASE_OK && visible > 0 &&
               mm_text_read(&context, source, &options, &record) == BASE_OK) {
            check_record(&record);
            mm_record_free(&record);
        }
    }
    mm_record_free(&record);
    mm_source_close(source);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    read_text(data, size, false);
    read_text(data, size, true);
    return 0;
}
