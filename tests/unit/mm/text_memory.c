/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/mm/text_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

base_status read_text(base_context *context, const char *text, size_t size, int threads,
                      mm_read_options *options, mm_record *record) {
    mm_source *source = NULL;
    const char *name;
    bool found, lenient = options->lenient;
    base_context_init(context);
    context->threads = threads;
    memset(options, 0, sizeof *options);
    options->lenient = lenient;
    base_status status = mm_source_open_memory(context, text, size, &source);
    if (status == BASE_OK)
        status = mm_source_next_part(context, source, &name, &found);
    context->place.line = 1;
    if (status == BASE_OK)
        status = mm_text_read(context, source, options, record);
    mm_source_close(source);
    return status;
}

char *write_text(const mm_record *record, int64_t number, int threads, size_t *size) {
    char path[] = "text-test-XXXXXX";
    base_context context;
    base_output *output;
    int descriptor = mkstemp(path);
    if (descriptor < 0)
        abort();
    close(descriptor);
    base_context_init(&context);
    context.threads = threads;
    if (base_output_open(&context, path, &output) != BASE_OK ||
        mm_text_write(&context, output, record, number) != BASE_OK ||
        base_output_commit(&context, output) != BASE_OK)
        abort();
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        abort();
    *size = (size_t)ftell(file);
    rewind(file);
    /* Not a byte more, so that sanitizers see any read behind them. */
    char *text = malloc(*size > 0 ? *size : 1);
    if (text == NULL || fread(text, 1, *size, file) != *size)
        abort();
    fclose(file);
    unlink(path);
    return text;
}
