/* SPDX-License-Identifier: BSD-3-Clause */
/* One record of the binary form, or the frame that ends the stream. */
#include "base/core/memory.h"
#include "mm/binary/internal.h"

#include <stdlib.h>

/* Finds where the decimal numbers begin, and that they are such. */
static base_status index_digits(base_context *context, mm_record *record, int64_t tail_bytes) {
    base_status status = BASE_OK;
    const char *text = record->digits, *end = text + tail_bytes;
    record->digits_start = base_alloc(context, record->nnz + 1, sizeof *record->digits_start);
    if (record->digits_start == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t k = 0; k < record->nnz; k++) {
        record->digits_start[k] = text - record->digits;
        if (text < end && (*text == '-' || *text == '+'))
            text++;
        const char *digit = text;
        while (text < end && *text >= '0' && *text <= '9')
            text++;
        if (text == digit || text == end || *text++ != 0)
            BASE_TRY(base_fail(context, BASE_DAMAGED, "a decimal number is malformed"));
    }
    record->digits_start[record->nnz] = tail_bytes;
    if (text != end)
        status = base_fail(context, BASE_DAMAGED, "there is more behind the last decimal number");
done:
    return status;
}

/* What stands behind a record's frame: plain blocks, memory, else blocks. What is no frame at all is found
 * when it is read. */
static mm_binary_frame see_content(base_context *context, mm_source *source, const mm_binary_header *header) {
    const char *window;
    size_t size, frame_bytes;
    mm_binary_frame type;
    if (mm_source_peek(context, source, MM_BINARY_PREFIX_BYTES, &window, &size) != BASE_OK ||
        size < MM_BINARY_PREFIX_BYTES || mm_binary_get_prefix(window, &type, &frame_bytes) != NULL)
        return MM_FRAME_BLOCK;
    return type == MM_FRAME_RESIDENT || (type == MM_FRAME_PLAIN && mm_binary_is_plain(header, 0))
               ? type
               : MM_FRAME_BLOCK;
}

static base_status read_content(base_context *context, mm_source *source, const mm_binary_header *header,
                                mm_record *record, char **tail) {
    switch (see_content(context, source, header)) {
    case MM_FRAME_RESIDENT: return mm_binary_read_resident(context, source, header, record, tail);
    case MM_FRAME_PLAIN: return mm_binary_read_plain(context, source, header, tail, &record->payload_mapped);
    default: return mm_binary_read_blocks(context, source, record, header, tail);
    }
}

static base_status read_record(base_context *context, mm_source *source, mm_record *record, const char *frame,
                               size_t frame_bytes, int64_t *number) {
    base_status status = BASE_OK;
    char *tail = NULL;
    mm_binary_header header;
    const char *fault = mm_binary_get_record(frame, frame_bytes, &header);
    if (fault != NULL)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "%s", fault));
    record->kind = header.kind;
    record->format = header.format;
    record->field = header.field;
    record->symmetry = header.symmetry;
    record->nrow = header.nrow;
    record->ncol = header.ncol;
    record->nnz = header.nnz;
    *number = header.record_number;
    if (header.comments_bytes > 0) {
        record->comments = base_copy_text(context, frame + 72, header.comments_bytes);
        status = record->comments != NULL ? BASE_OK : BASE_MACHINE;
    }
    mm_source_skip(source, frame_bytes);
    if (status == BASE_OK)
        status = read_content(context, source, &header, record, &tail);
    bool opaque = record->kind == MM_H2 || record->kind == MM_STATE;
    if (opaque) {
        record->payload = tail;
        record->payload_bytes = header.tail_bytes;
    } else {
        record->digits = tail;
    }
    if (status == BASE_OK && !opaque && record->field == MM_INTEGER && header.value_bytes == 0)
        status = index_digits(context, record, header.tail_bytes);
done:
    return status;
}

/* The next frame that is a record's or the stream's last. */
static base_status see_frame(base_context *context, mm_source *source, const char **window,
                             size_t *frame_bytes, mm_binary_frame *type) {
    base_status status;
    const char *fault;
    size_t size;
    for (;;) {
        BASE_TRY(mm_source_peek(context, source, MM_BINARY_PREFIX_BYTES, window, &size));
        if (size < MM_BINARY_PREFIX_BYTES)
            BASE_TRY(mm_binary_cut_off(context, "front of a frame"));
        fault = mm_binary_get_prefix(*window, type, frame_bytes);
        if (fault == NULL &&
            (*type == MM_FRAME_BLOCK || *type == MM_FRAME_PLAIN || *type == MM_FRAME_RESIDENT))
            fault = "a block without its record";
        if (fault != NULL)
            BASE_TRY(base_fail(context, BASE_DAMAGED, "%s", fault));
        BASE_TRY(mm_source_peek(context, source, *frame_bytes, window, &size));
        if (size < *frame_bytes)
            BASE_TRY(mm_binary_cut_off(context, "a frame"));
        if (*type != MM_FRAME_GIVER)
            break;
        BASE_TRY(mm_binary_meet_giver(context, source, *window));
        mm_source_skip(source, *frame_bytes);
    }
done:
    return status;
}

base_status mm_binary_read(base_context *context, mm_source *source, mm_record *record, bool *end,
                           int64_t *number) {
    base_status status;
    const char *window, *fault;
    size_t frame_bytes;
    mm_binary_frame type;
    mm_record_free(record);
    *end = false;
    *number = 0;
    BASE_TRY(see_frame(context, source, &window, &frame_bytes, &type));
    if (type == MM_FRAME_RECORD) {
        BASE_TRY(read_record(context, source, record, window, frame_bytes, number));
        goto done;
    }
    fault = mm_binary_get_end(window, number);
    if (fault != NULL)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "%s", fault));
    *end = true;
    mm_source_skip(source, frame_bytes);
done:
    if (status != BASE_OK)
        mm_record_free(record);
    return status;
}
