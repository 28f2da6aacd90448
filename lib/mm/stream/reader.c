/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/stream/reader.h"
#include "base/core/memory.h"
#include "mm/binary/binary.h"
#include "mm/coding/detect.h"
#include "mm/formats/formats.h"
#include "mm/metadata/metadata.h"
#include "mm/record/places.h"
#include "mm/stream/inputs.h"
#include "mm/stream/internal.h"
#include "mm/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DETECT_BYTES = MM_FORMAT_DETECT_BYTES };

base_status mm_reader_open(base_context *context, const char *const *paths, int count, bool lenient,
                           mm_reader **result) {
    static const char *const standard_input[] = {"-"};
    mm_reader *reader = base_alloc_zero(context, 1, sizeof *reader);
    *result = reader;
    if (reader == NULL)
        return BASE_MACHINE;
    reader->paths = count > 0 ? paths : standard_input;
    reader->count = count > 0 ? count : 1;
    reader->lenient = lenient;
    mm_inputs_tell(context, reader->paths, reader->count);
    return BASE_OK;
}

void mm_reader_add_form(mm_reader *reader, const mm_reader_form *form) {
    reader->form = form;
}

void mm_reader_before_wait(mm_reader *reader, mm_source_wait *call, void *data) {
    reader->before_wait = call;
    reader->wait_data = data;
}

void mm_reader_keep_descriptors(mm_reader *reader) {
    reader->keeps_descriptors = true;
}

void mm_reader_leave_on_device(mm_reader *reader, unsigned kinds) {
    reader->left_on_device = kinds;
}

void mm_reader_leave_compressed(mm_reader *reader) {
    reader->leaves_compressed = true;
}

void mm_reader_read_all_members(mm_reader *reader) {
    reader->all_members = true;
}

void mm_reader_set_format(mm_reader *reader, const mm_file_format *format) {
    reader->asked = format;
}

static void close_file(mm_reader *reader) {
    if (reader->file != NULL)
        reader->format->reader->close(reader->file);
    reader->file = NULL;
}

void mm_reader_abandon_input(mm_reader *reader) {
    close_file(reader);
    if (reader->source == NULL)
        reader->next_path++; /* it could not be opened */
    mm_source_close(reader->source);
    reader->source = NULL;
    reader->in_part = false;
}

/* A file of several matrices of which only the last that was asked for is damaged. */
static bool file_goes_on(const mm_reader *reader) {
    return reader->file != NULL && reader->format->reader->goes_on != NULL &&
           reader->format->reader->goes_on(reader->file);
}

void mm_reader_abandon_part(mm_reader *reader) {
    if (file_goes_on(reader)) {
        reader->records_in_part++;
        reader->input_records++;
        return;
    }
    if (reader->source == NULL || !reader->in_archive || mm_source_has_failed(reader->source)) {
        mm_reader_abandon_input(reader);
        return;
    }
    close_file(reader);
    reader->in_part = false;
    reader->input_records++; /* the archive had a matrix, though a damaged one */
}

void mm_reader_close(mm_reader *reader) {
    if (reader == NULL)
        return;
    close_file(reader);
    mm_source_close(reader->source);
    free(reader);
}

const char *mm_reader_repair(const mm_reader *reader) {
    return reader->options.repairs > 0 ? reader->options.repair : NULL;
}

/* ---- records ---- */

static bool has_suffix(const char *text, const char *suffix) {
    size_t length = strlen(text), tail = strlen(suffix);
    return length >= tail && strcmp(text + length - tail, suffix) == 0;
}

/* A member whose bytes are no matrix is none of our business, unless its name says that it should be one. */
static bool is_foreign_member(const mm_reader *reader, const char *data, size_t size) {
    return reader->in_archive && !has_suffix(reader->member, ".mtx") && !mm_banner_detect(data, size);
}

static base_status name_member(base_context *context, const mm_reader *reader, mm_record *record) {
    if (!reader->in_archive || mm_metadata_get(record, "name", NULL, 0))
        return BASE_OK;
    return mm_metadata_name_member(context, record, reader->paths[reader->next_path - 1], reader->member);
}

/* A record in text form, or *end and an end mark instead. */
static base_status read_text(base_context *context, mm_reader *reader, mm_record *record, bool *end) {
    base_status status;
    context->place.line = reader->line;
    BASE_TRY(mm_marks_read_end(context, &reader->marks, reader->source, &reader->line, end));
    if (*end)
        goto done;
    BASE_TRY(mm_text_read(context, reader->source, &reader->options, record));
    reader->line = context->place.line;
    BASE_TRY(mm_marks_check_number(context, &reader->marks, reader->options.record_number));
done:
    return status;
}

/* Takes a byte-order mark off the front of the part. */
static base_status take_mark(base_context *context, mm_reader *reader) {
    context->place.record = reader->records_in_part + 1;
    context->place.line = reader->line;
    if (!reader->lenient)
        return base_fail(context, BASE_DAMAGED, "a byte-order mark; mm-cat --lenient removes it");
    mm_source_skip(reader->source, strlen(MM_BYTE_ORDER_MARK));
    reader->had_mark = true;
    return BASE_OK;
}

static bool begins_with_mark(const char *data, size_t size) {
    return size >= strlen(MM_BYTE_ORDER_MARK) &&
           memcmp(data, MM_BYTE_ORDER_MARK, strlen(MM_BYTE_ORDER_MARK)) == 0;
}

/* Of a record that was read, that a mark was taken off. */
static void note_mark(mm_reader *reader) {
    if (reader->had_mark)
        mm_text_note_repair(&reader->options, 1, "byte-order mark removed");
    reader->had_mark = false;
}

/* The giver has not looked at the numbers, nor has who read the record. */
static base_status fetch(base_context *context, mm_record *record) {
    base_status status = BASE_OK;
    const bool is_new = record->on_device.descriptor > 0;
    BASE_TRY(mm_record_fetch(context, record));
    if (is_new)
        BASE_TRY(mm_binary_check(context, record));
done:
    return status;
}

/* Reads the record at the front of the part; *found is false if an end mark was there instead. */
static base_status read_record(base_context *context, mm_reader *reader, const char *data, size_t size,
                               mm_record *record, bool *found) {
    base_status status;
    bool end = false;
    int64_t number;
    context->place.record = reader->records_in_part + 1;
    context->place.name[0] = '\0';
    memset(&reader->options, 0, sizeof reader->options);
    reader->options.lenient = reader->lenient;
    if (mm_binary_detect(data, size)) {
        BASE_TRY(mm_binary_read(context, reader->source, record, &end, &number));
        if ((reader->left_on_device >> record->kind & 1) == 0)
            BASE_TRY(fetch(context, record));
        if (!reader->keeps_descriptors)
            mm_record_close_descriptor(record);
        BASE_TRY(end ? mm_marks_check_count(context, &reader->marks, number)
                     : mm_marks_check_number(context, &reader->marks, number));
    } else {
        BASE_TRY(read_text(context, reader, record, &end));
    }
    note_mark(reader);
    *found = !end;
    reader->part_has_content = true;
    context->place.line = 0;
done:
    return status;
}

/* A format that holds one matrix has read all of it. */
static base_status check_end(base_context *context, mm_reader *reader) {
    const char *data;
    size_t size;
    const base_status status = mm_source_peek(context, reader->source, 1, &data, &size);
    if (status == BASE_OK && size > 0)
        return base_fail(context, BASE_DAMAGED, "there is more behind the matrix");
    return status;
}

/* The next matrix of a part in another format; *found is false at the part's end. */
static base_status read_format(base_context *context, mm_reader *reader, mm_record *record, bool *found) {
    base_status status;
    const mm_file_format *format = reader->format;
    context->place.record = reader->records_in_part + 1;
    context->place.name[0] = '\0';
    memset(&reader->options, 0, sizeof reader->options);
    if (format->read != NULL) {
        *found = reader->records_in_part == 0;
        if (*found)
            BASE_TRY(format->read(context, reader->source, record));
        else
            BASE_TRY(check_end(context, reader));
    } else {
        if (reader->file == NULL) {
            status = format->reader->open(context, reader->source, &reader->file);
            if (status != BASE_OK)
                close_file(reader);
            BASE_TRY(status);
        }
        BASE_TRY(format->reader->next(context, reader->file, record, found));
        if (!reader->leaves_compressed)
            BASE_TRY(mm_places_expand(context, record));
    }
    context->place.line = 0;
    note_mark(reader);
    if (!*found) {
        close_file(reader);
        reader->in_part = false;
    }
done:
    return status;
}

/* Finds the format of a part that was just begun; *foreign: it is a member of an archive that is no matrix.
 */
static void find_format(mm_reader *reader, const char *data, size_t size, bool *foreign) {
    const size_t seen = size < DETECT_BYTES ? size : DETECT_BYTES;
    *foreign = false;
    reader->in_form = reader->form != NULL && reader->form->detect(data, seen);
    reader->format = NULL;
    if (reader->in_form || mm_binary_detect(data, size))
        return;
    if (!begins_with_mark(data, size)) /* it comes off first */
        reader->format = reader->asked != NULL ? reader->asked : mm_format_detect(data, seen);
    *foreign = reader->format == NULL && is_foreign_member(reader, data, size);
}

/* The next record of a part in the program's own form; *found is false at the part's end. */
static base_status read_form(base_context *context, mm_reader *reader, mm_record *record, bool *found) {
    base_status status;
    const char *data;
    size_t size, most = reader->form->largest_bytes;
    context->place.record = reader->records_in_part + 1;
    memset(&reader->options, 0, sizeof reader->options);
    BASE_TRY(mm_source_peek(context, reader->source, most + 1, &data, &size));
    if (size > most)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "more than %zu bytes in this format", most));
    BASE_TRY(reader->form->read(context, data, size, reader->records_in_part, record, found));
    if (!*found) {
        mm_source_skip(reader->source, size);
        reader->in_part = false;
    }
done:
    return status;
}

/* As much of what comes as tells what it is: no more, because a pipe may bring that much later, perhaps only
 * once this record has been answered. */
static base_status peek_record(base_context *context, mm_reader *reader, const char **data, size_t *size) {
    base_status status;
    BASE_TRY(mm_source_peek(context, reader->source, MM_BANNER_BYTES, data, size));
    if (reader->records_in_part == 0 && !mm_banner_detect(*data, *size) && !mm_binary_detect(*data, *size))
        BASE_TRY(mm_source_peek(context, reader->source, DETECT_BYTES, data, size));
done:
    return status;
}

base_status mm_reader_next(base_context *context, mm_reader *reader, mm_record *record, bool *found) {
    base_status status = BASE_OK;
    mm_record_free(record);
    *found = false;
    while (!*found) {
        const char *data;
        size_t size;
        if (!reader->in_part) {
            bool more;
            BASE_TRY(mm_reader_next_part(context, reader, &more));
            if (!more)
                goto done;
        }
        BASE_TRY(peek_record(context, reader, &data, &size));
        bool foreign = false;
        if (reader->records_in_part == 0 && !reader->part_has_content && reader->file == NULL)
            find_format(reader, data, size, &foreign);
        if (foreign) {
            reader->in_part = false;
            continue;
        }
        if (reader->in_form || reader->format != NULL) {
            BASE_TRY((reader->in_form ? read_form : read_format)(context, reader, record, found));
            continue;
        }
        if (size == 0)
            BASE_TRY(mm_reader_end_part(context, reader));
        else if (begins_with_mark(data, size))
            BASE_TRY(take_mark(context, reader));
        else
            BASE_TRY(read_record(context, reader, data, size, record, found));
    }
    reader->records_in_part++;
    reader->input_records++;
    if (reader->source != NULL)
        mm_source_tell_progress(context, reader->source);
    BASE_TRY(name_member(context, reader, record));
    if (context->place.name[0] == '\0') /* the reader of text has set it already */
        mm_metadata_set_place(context, record);
done:
    if (status != BASE_OK)
        mm_record_free(record);
    return status;
}
