/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/stream/writer.h"
#include "base/core/memory.h"
#include "mm/binary/binary.h"
#include "mm/record/places.h"
#include "mm/text/text.h"

#include <stdlib.h>

struct mm_writer {
    base_output *output;
    base_form form;
    int level;
    bool hashed;
    base_giver *giver; /* of the resident form */
    int64_t count;     /* records put */
    mm_record first;
    bool holds_first;             /* not known yet whether it is alone */
    bool bare;                    /* neither numbers nor end mark */
    const mm_file_format *format; /* NULL: text or binary form */
    void *file;                   /* what the format's writer keeps */
};

base_status mm_writer_open(base_context *context, base_output *output, base_form form, int level, bool hashed,
                           mm_writer **result) {
    base_status status = BASE_OK;
    mm_writer *writer = base_alloc_zero(context, 1, sizeof *writer);
    *result = writer;
    if (writer == NULL)
        BASE_TRY(BASE_MACHINE);
    writer->output = output;
    writer->form = form;
    writer->level = level;
    writer->hashed = hashed;
    mm_record_init(&writer->first);
    if (form == BASE_FORM_RESIDENT)
        BASE_TRY(base_giver_open(context, base_output_descriptor(output), &writer->giver));
    if (form == BASE_FORM_BINARY)
        BASE_TRY(base_output_refuse_terminal(context, output));
done:
    return status;
}

base_status mm_writer_set_format(base_context *context, mm_writer *writer, const mm_file_format *format) {
    writer->format = format;
    return format->is_text ? BASE_OK : base_output_refuse_terminal(context, writer->output);
}

void mm_writer_drop_marks(mm_writer *writer) {
    writer->bare = true;
}

static base_status open_format(base_context *context, mm_writer *writer) {
    const base_status status = writer->format->writer->open(context, writer->output, &writer->file);
    if (status != BASE_OK) {
        writer->format->writer->close(writer->file);
        writer->file = NULL;
    }
    return status;
}

/* A record in another format; `alone`: it is the only one. */
static base_status put_format(base_context *context, mm_writer *writer, mm_record *record, bool alone) {
    base_status status = BASE_OK;
    const mm_file_format *format = writer->format;
    if (format->write != NULL) {
        BASE_TRY(alone
                     ? format->write(context, writer->output, record)
                     : base_fail(context, BASE_FAILED,
                                 "a file in the format %s holds one matrix; --split 'DIR/{name}.%s' writes a "
                                 "file for each",
                                 format->name, format->extension));
    } else {
        if (writer->file == NULL)
            BASE_TRY(open_format(context, writer));
        BASE_TRY(format->writer->put(context, writer->file, record, alone));
    }
done:
    return status;
}

static base_status put_text(base_context *context, mm_writer *writer, const mm_record *record,
                            int64_t number) {
    return mm_text_write(context, writer->output, record, writer->bare ? 0 : number);
}

static bool takes_compressed(const mm_writer *writer) {
    return writer->format != NULL ? writer->format->takes_compressed : writer->form == BASE_FORM_BINARY;
}

/* Whether what lies on a device may stay there until it is written. */
static bool leaves_on_device(const mm_writer *writer, const mm_record *record) {
    if (writer->form == BASE_FORM_RESIDENT)
        return !writer->hashed;
    return writer->form == BASE_FORM_BINARY && writer->format == NULL &&
           mm_binary_takes_device(record, writer->level);
}

base_status mm_writer_put(base_context *context, mm_writer *writer, mm_record *record) {
    base_status status;
    writer->count++;
    if (!leaves_on_device(writer, record))
        BASE_TRY(mm_record_fetch(context, record));
    if (!takes_compressed(writer))
        BASE_TRY(mm_places_expand(context, record));
    if (writer->format == NULL && writer->form == BASE_FORM_BINARY) {
        BASE_TRY(mm_binary_write(context, writer->output, record, writer->count, writer->level));
    } else if (writer->form == BASE_FORM_RESIDENT) {
        BASE_TRY(mm_binary_write_resident(context, writer->output, writer->giver, record, writer->count,
                                          writer->hashed));
    } else if (writer->count == 1) {
        mm_record_move(&writer->first, record);
        writer->holds_first = true;
        return BASE_OK;
    } else {
        if (writer->holds_first)
            BASE_TRY(writer->format != NULL ? put_format(context, writer, &writer->first, false)
                                            : put_text(context, writer, &writer->first, 1));
        writer->holds_first = false;
        mm_record_free(&writer->first);
        BASE_TRY(writer->format != NULL ? put_format(context, writer, record, false)
                                        : put_text(context, writer, record, writer->count));
    }
done:
    mm_record_free(record);
    return status;
}

static base_status finish_format(base_context *context, mm_writer *writer) {
    base_status status = BASE_OK;
    const mm_file_format *format = writer->format;
    if (writer->holds_first)
        BASE_TRY(put_format(context, writer, &writer->first, true));
    if (format->writer != NULL && writer->file == NULL)
        BASE_TRY(open_format(context, writer));
    if (format->writer != NULL)
        BASE_TRY(format->writer->finish(context, writer->file));
done:
    return status;
}

base_status mm_writer_finish(base_context *context, mm_writer *writer) {
    if (writer->format != NULL)
        return finish_format(context, writer);
    if (writer->form != BASE_FORM_TEXT)
        return mm_binary_write_end(context, writer->output, writer->count);
    if (writer->holds_first)
        return mm_text_write(context, writer->output, &writer->first, 0);
    if (writer->bare)
        return BASE_OK;
    return base_output_print(context, writer->output, "%%%%End %lld\n", (long long)writer->count);
}

void mm_writer_close(mm_writer *writer) {
    if (writer == NULL)
        return;
    if (writer->file != NULL)
        writer->format->writer->close(writer->file);
    mm_record_free(&writer->first);
    base_giver_close(writer->giver);
    free(writer);
}
