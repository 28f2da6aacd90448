/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams of records, in and out. */
#include "mmpipe/stream.h"
#include "api/internal.h"
#include "base/core/memory.h"
#include "flip/formats/formats.h"
#include "mm/metadata/metadata.h"
#include "mm/stream/reader.h"
#include "mm/stream/writer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Static_assert((int)MMPIPE_BINARY == BASE_FORM_BINARY, "forms are the same");

/* ---- in ---- */

struct mmpipe_reader {
    mm_reader *reader;
    char **path; /* `count` copies, which the reader points to */
    int count;
};

static base_status copy_paths(base_context *context, const char *const *path, mmpipe_reader *reader) {
    reader->path = base_alloc_zero(context, reader->count, sizeof *reader->path);
    if (reader->path == NULL)
        return BASE_MACHINE;
    for (int i = 0; i < reader->count; i++) {
        reader->path[i] = base_copy_text(context, path[i], (int64_t)strlen(path[i]));
        if (reader->path[i] == NULL)
            return BASE_MACHINE;
    }
    return BASE_OK;
}

mmpipe_status mmpipe_reader_open(mmpipe_context *context, const char *const *path, int count, unsigned flags,
                                 mmpipe_reader **result) {
    base_status status;
    base_context *base = &context->base;
    mmpipe_reader *reader = base_alloc_zero(base, 1, sizeof *reader);
    *result = NULL;
    if (reader == NULL)
        return MMPIPE_MACHINE;
    BASE_TRY(api_begin(context));
    if (count < 0 || flags > (MMPIPE_LENIENT | MMPIPE_SCHEMES))
        BASE_TRY(base_fail(base, BASE_USAGE, "%d files, flags %u", count, flags));
    reader->count = count;
    BASE_TRY(copy_paths(base, path, reader));
    BASE_TRY(mm_reader_open(base, (const char *const *)reader->path, count, (flags & MMPIPE_LENIENT) != 0,
                            &reader->reader));
    if ((flags & MMPIPE_SCHEMES) != 0)
        mm_reader_add_form(reader->reader, &flip_reader_form);
    *result = reader;
done:
    if (status != BASE_OK)
        mmpipe_reader_close(reader);
    return api_status(status);
}

static base_status next_record(base_context *context, void *from, mmpipe_record *record, bool *found) {
    base_status status;
    BASE_TRY(mm_reader_next(context, from, &record->record, found));
    if (*found && mm_metadata_find(&record->record, "name", &(size_t){0}) == NULL)
        BASE_TRY(mm_record_name(context, &record->record, &record->file_name));
done:
    return status;
}

mmpipe_status mmpipe_reader_next(mmpipe_context *context, mmpipe_reader *reader, mmpipe_record **record) {
    return api_record_next(context, next_record, reader->reader, record);
}

void mmpipe_reader_skip_file(mmpipe_reader *reader) {
    mm_reader_abandon_input(reader->reader);
}

const char *mmpipe_reader_repair(const mmpipe_reader *reader) {
    return mm_reader_repair(reader->reader);
}

void mmpipe_reader_close(mmpipe_reader *reader) {
    if (reader == NULL)
        return;
    if (reader->reader != NULL)
        mm_reader_close(reader->reader);
    for (int i = 0; reader->path != NULL && i < reader->count; i++)
        free(reader->path[i]);
    free(reader->path);
    free(reader);
}

/* ---- out ---- */

struct mmpipe_writer {
    base_output *output; /* NULL: committed */
    mm_writer *writer;
    bool is_standard;
};

mmpipe_status mmpipe_writer_open(mmpipe_context *context, const char *path, mmpipe_form form, int level,
                                 mmpipe_writer **result) {
    base_status status;
    base_context *base = &context->base;
    mmpipe_writer *writer = base_alloc_zero(base, 1, sizeof *writer);
    *result = NULL;
    if (writer == NULL)
        return MMPIPE_MACHINE;
    BASE_TRY(api_begin(context));
    if ((unsigned)form > MMPIPE_BINARY || level < 0 || level > 19 || (path != NULL && path[0] == '\0'))
        BASE_TRY(base_fail(base, BASE_USAGE, "form %d, level %d (0 to 19), a path that is not empty",
                           (int)form, level));
    writer->is_standard = path == NULL || strcmp(path, "-") == 0;
    if (writer->is_standard)
        BASE_TRY(base_output_open_descriptor(base, STDOUT_FILENO, &writer->output));
    else
        BASE_TRY(base_output_open(base, path, &writer->output));
    BASE_TRY(mm_writer_open(base, writer->output, (base_form)form, level, false, &writer->writer));
    *result = writer;
done:
    if (status != BASE_OK)
        mmpipe_writer_close(writer);
    return api_status(status);
}

mmpipe_status mmpipe_writer_put(mmpipe_context *context, mmpipe_writer *writer, mmpipe_record *record) {
    base_status status;
    BASE_TRY(api_begin(context));
    if (writer->writer == NULL)
        BASE_TRY(base_fail(&context->base, BASE_USAGE, "the writer has finished"));
    BASE_TRY(api_record_own(&context->base, record));
    BASE_TRY(mm_writer_put(&context->base, writer->writer, &record->record));
done:
    return api_status(status);
}

mmpipe_status mmpipe_writer_finish(mmpipe_context *context, mmpipe_writer *writer) {
    base_status status;
    BASE_TRY(api_begin(context));
    if (writer->writer == NULL)
        BASE_TRY(base_fail(&context->base, BASE_USAGE, "the writer has finished"));
    BASE_TRY(mm_writer_finish(&context->base, writer->writer));
    mm_writer_close(writer->writer);
    writer->writer = NULL;
    if (writer->is_standard) {
        BASE_TRY(base_output_flush(&context->base, writer->output));
    } else {
        base_output *output = writer->output;
        writer->output = NULL; /* freed, whether or not that succeeds */
        BASE_TRY(base_output_commit(&context->base, output));
    }
done:
    return api_status(status);
}

void mmpipe_writer_close(mmpipe_writer *writer) {
    if (writer == NULL)
        return;
    if (writer->writer != NULL)
        mm_writer_close(writer->writer);
    base_output_discard(writer->output);
    free(writer);
}
