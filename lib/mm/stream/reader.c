#include "mm/stream/reader.h"
#include "base/core/memory.h"
#include "mm/metadata/metadata.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct mm_reader {
    const char *const *paths;
    int count, next_path;
    bool lenient;
    const mm_reader_form *form; /* NULL: none but our own */
    bool in_form;               /* the part is of that form */
    mm_source *source;          /* of the current input; NULL between two of them */
    bool in_part;
    bool in_archive;
    char member[BASE_PLACE_MEMBER];
    int64_t records_in_part;
    bool part_has_content;
    int64_t line;  /* of the text form, kept here while a record is being worked on */
    bool had_mark; /* a byte-order mark stood before the record */

    /* the marks of the current stream */
    int64_t records_in_stream;
    bool numbered;

    mm_read_options options;
};

enum { DETECT_BYTES = 4096 };

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
    return BASE_OK;
}

void mm_reader_add_form(mm_reader *reader, const mm_reader_form *form) {
    reader->form = form;
}

void mm_reader_abandon_input(mm_reader *reader) {
    if (reader->source == NULL)
        reader->next_path++; /* it could not be opened */
    mm_source_close(reader->source);
    reader->source = NULL;
    reader->in_part = false;
}

void mm_reader_close(mm_reader *reader) {
    if (reader == NULL)
        return;
    mm_source_close(reader->source);
    free(reader);
}

const char *mm_reader_repair(const mm_reader *reader) {
    return reader->options.repairs > 0 ? reader->options.repair : NULL;
}

/* ---- inputs and their parts ---- */

static void start_stream(mm_reader *reader) {
    reader->records_in_stream = 0;
    reader->numbered = false;
}

static void set_place(base_context *context, const mm_reader *reader) {
    base_place *place = &context->place;
    snprintf(place->file, sizeof place->file, reader->in_archive ? "%s(%s)" : "%s",
             reader->paths[reader->next_path - 1], reader->member);
    place->record = 0;
    place->line = 0;
}

/* Steps to the next part of the inputs; *found is false when there is none. */
static base_status next_part(base_context *context, mm_reader *reader, bool *found) {
    base_status status = BASE_OK;
    const char *member;
    *found = false;
    while (!*found) {
        if (reader->source == NULL) {
            if (reader->next_path == reader->count)
                break;
            memset(&context->place, 0, sizeof context->place);
            snprintf(context->place.file, sizeof context->place.file, "%s", reader->paths[reader->next_path]);
            BASE_TRY(mm_source_open(context, reader->paths[reader->next_path], &reader->source));
            reader->next_path++;
        }
        BASE_TRY(mm_source_next_part(context, reader->source, &member, found));
        if (!*found) {
            mm_source_close(reader->source);
            reader->source = NULL;
        }
    }
    if (!*found)
        goto done;
    reader->in_part = true;
    reader->in_archive = member != NULL;
    snprintf(reader->member, sizeof reader->member, "%s", member != NULL ? member : "");
    reader->records_in_part = 0;
    reader->part_has_content = false;
    reader->in_form = false;
    reader->line = 1;
    start_stream(reader);
    set_place(context, reader);
done:
    return status;
}

static bool has_suffix(const char *text, const char *suffix) {
    size_t length = strlen(text), tail = strlen(suffix);
    return length >= tail && strcmp(text + length - tail, suffix) == 0;
}

/* A member whose bytes are no matrix is none of our business, unless its name says that it should be one. */
static bool is_foreign_member(const mm_reader *reader, const char *data, size_t size) {
    static const char banner[] = "%%MatrixMarket";
    if (!reader->in_archive || has_suffix(reader->member, ".mtx"))
        return false;
    return size < strlen(banner) || strncasecmp(data, banner, strlen(banner)) != 0;
}

/* ---- the marks of a stream ---- */

static base_status end_of_part(base_context *context, mm_reader *reader) {
    reader->in_part = false;
    if (!reader->part_has_content)
        return base_fail(context, BASE_DAMAGED, "empty: no Matrix Market banner");
    if (reader->numbered)
        return base_fail(context, BASE_DAMAGED, "truncated: no end mark after record %lld",
                         (long long)reader->records_in_stream);
    return BASE_OK;
}

static base_status check_end_mark(base_context *context, mm_reader *reader, int64_t count) {
    int64_t seen = reader->numbered ? reader->records_in_stream : 0;
    if (count != seen)
        return base_fail(context, BASE_DAMAGED,
                         "the end mark says %lld records, there are %lld numbered ones", (long long)count,
                         (long long)seen);
    start_stream(reader);
    return BASE_OK;
}

static base_status check_number(base_context *context, mm_reader *reader, int64_t number) {
    if (reader->numbered && number == 0)
        return base_fail(context, BASE_DAMAGED,
                         "a record without number in a numbered stream, or its end mark is missing");
    if (number != 0 && !reader->numbered)
        start_stream(reader); /* a numbered stream behind lone matrices */
    if (number != 0 && number != reader->records_in_stream + 1)
        return base_fail(context, BASE_DAMAGED, "record number %lld where %lld is due", (long long)number,
                         (long long)reader->records_in_stream + 1);
    reader->numbered = number != 0;
    reader->records_in_stream++;
    return BASE_OK;
}

/* Reads `%%End N` if it stands here, and the blank lines behind it. */
static base_status read_end_mark(base_context *context, mm_reader *reader, bool *found) {
    static const char mark[] = "%%End";
    enum { LONGEST = 64 };
    const char *data;
    size_t size;
    base_status status;
    *found = false;
    BASE_TRY(mm_source_peek(context, reader->source, LONGEST, &data, &size));
    size_t length = strlen(mark);
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
    BASE_TRY(check_end_mark(context, reader, count));
    for (; at < size && isspace((unsigned char)data[at]); at++)
        reader->line += data[at] == '\n';
    mm_source_skip(reader->source, at);
done:
    return status;
}

/* ---- records ---- */

/* "HB/bcspwr02.mtx" in any archive and "bcspwr02/bcspwr02.mtx" in HB/bcspwr02.tar.gz are HB/bcspwr02. */
static base_status name_member(base_context *context, const mm_reader *reader, mm_record *record) {
    if (!reader->in_archive || mm_metadata_get(record, "name", NULL, 0))
        return BASE_OK;
    char folder[sizeof reader->member], file[sizeof reader->member];
    int length;
    const char *slash = strrchr(reader->member, '/');
    snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash - reader->member) : 0,
             reader->member);
    snprintf(file, sizeof file, "%s", slash != NULL ? slash + 1 : reader->member);
    *strchrnul(file, '.') = '\0';
    const char *group = strrchr(folder, '/') != NULL ? strrchr(folder, '/') + 1 : folder;
    length = (int)strlen(group);
    if (strncmp(file, group, (size_t)length) == 0) {
        /* The folder that the archive lies in. */
        const char *path = reader->paths[reader->next_path - 1], *end = strrchr(path, '/');
        group = end != NULL ? end : path;
        while (group > path && group[-1] != '/')
            group--;
        length = end != NULL ? (int)(end - group) : 0;
    }
    return mm_metadata_set(context, record, "name", "%.*s%s%s", length, group, length > 0 ? "/" : "", file);
}

/* A record in text form, or *end and an end mark instead. */
static base_status read_text(base_context *context, mm_reader *reader, mm_record *record, bool *end) {
    base_status status;
    context->place.line = reader->line;
    BASE_TRY(read_end_mark(context, reader, end));
    if (*end)
        goto done;
    BASE_TRY(mm_text_read(context, reader->source, &reader->options, record));
    reader->line = context->place.line;
    BASE_TRY(check_number(context, reader, reader->options.record_number));
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

/* Reads the record at the front of the part; *found is false if an end mark was there instead. */
static base_status read_record(base_context *context, mm_reader *reader, const char *data, size_t size,
                               mm_record *record, bool *found) {
    base_status status;
    bool end = false;
    int64_t number;
    context->place.record = reader->records_in_part + 1;
    memset(&reader->options, 0, sizeof reader->options);
    reader->options.lenient = reader->lenient;
    if (mm_binary_detect(data, size)) {
        BASE_TRY(mm_binary_read(context, reader->source, record, &end, &number));
        BASE_TRY(end ? check_end_mark(context, reader, number) : check_number(context, reader, number));
    } else if (reader->records_in_part == 0 && mm_boeing_detect(data, size)) {
        BASE_TRY(mm_boeing_read(context, reader->source, record));
    } else if (reader->records_in_part == 0 && mm_smtx_detect(data, size)) {
        BASE_TRY(mm_smtx_read(context, reader->source, record));
    } else {
        BASE_TRY(read_text(context, reader, record, &end));
    }
    if (reader->had_mark && reader->options.repairs++ == 0)
        snprintf(reader->options.repair, sizeof reader->options.repair, "byte-order mark removed");
    reader->had_mark = false;
    *found = !end;
    reader->part_has_content = true;
    context->place.line = 0;
done:
    return status;
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

base_status mm_reader_next(base_context *context, mm_reader *reader, mm_record *record, bool *found) {
    base_status status = BASE_OK;
    mm_record_free(record);
    *found = false;
    while (!*found) {
        const char *data;
        size_t size;
        if (!reader->in_part) {
            bool more;
            BASE_TRY(next_part(context, reader, &more));
            if (!more)
                goto done;
        }
        BASE_TRY(mm_source_peek(context, reader->source, DETECT_BYTES, &data, &size));
        if (reader->records_in_part == 0 && reader->form != NULL)
            reader->in_form = reader->form->detect(data, size < DETECT_BYTES ? size : DETECT_BYTES);
        if (reader->in_form) {
            BASE_TRY(read_form(context, reader, record, found));
            continue;
        }
        if (reader->records_in_part == 0 && is_foreign_member(reader, data, size) &&
            !mm_binary_detect(data, size) && !mm_boeing_detect(data, size) && !mm_smtx_detect(data, size)) {
            reader->in_part = false;
            continue;
        }
        if (size == 0)
            BASE_TRY(end_of_part(context, reader));
        else if (size >= strlen(MM_BYTE_ORDER_MARK) &&
                 memcmp(data, MM_BYTE_ORDER_MARK, strlen(MM_BYTE_ORDER_MARK)) == 0)
            BASE_TRY(take_mark(context, reader));
        else
            BASE_TRY(read_record(context, reader, data, size, record, found));
    }
    reader->records_in_part++;
    BASE_TRY(name_member(context, reader, record));
done:
    if (status != BASE_OK)
        mm_record_free(record);
    return status;
}
