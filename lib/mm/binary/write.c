/* SPDX-License-Identifier: BSD-3-Clause */
/* One record in the binary form, and the frame that ends the stream. */
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "mm/binary/compress.h"
#include "mm/binary/internal.h"
#include "mm/record/places.h"
#include "mm/record/width.h"
#include "mm/source/team.h"

#include <stdlib.h>
#include <string.h>

/* One block on its way: what a thread needs and makes. */
typedef struct slot {
    mm_compressor *compressor;
    char *raw;    /* the entries of a block, packed; unused for the tail */
    char *frames; /* block frame and zstd frame */
    int64_t raw_room, frames_room;
    size_t size; /* of the frames made; 0: no memory */
} slot;

/* Rows and columns of entries that the record has compressed. */
static void pack_places(const mm_record *record, const mm_binary_header *header, int64_t first, int64_t count,
                        char *rows, char *cols) {
    enum { PIECE = 1024 };
    int64_t row[PIECE], col[PIECE];
    for (int64_t done = 0, some; done < count; done += some) {
        some = count - done < PIECE ? count - done : PIECE;
        mm_places_get(record, first + done, some, row, col);
        mm_narrow(rows + done * header->row_bytes, row, some, header->row_bytes);
        mm_narrow(cols + done * header->col_bytes, col, some, header->col_bytes);
    }
}

static void pack_entries(const mm_record *record, const mm_binary_header *header, int64_t first,
                         int64_t count, char *to) {
    if (record->places.start != NULL) {
        pack_places(record, header, first, count, to, to + count * header->row_bytes);
        to += count * (header->row_bytes + header->col_bytes);
    } else if (header->row_bytes > 0) {
        mm_narrow(to, record->row + first, count, header->row_bytes);
        to += count * header->row_bytes;
        mm_narrow(to, record->col + first, count, header->col_bytes);
        to += count * header->col_bytes;
    }
    if (record->field == MM_REAL)
        mm_put_doubles(to, record->real + first, count);
    else if (record->field == MM_COMPLEX)
        mm_put_doubles(to, record->real + 2 * first, 2 * count);
    else if (header->value_bytes > 0)
        mm_narrow(to, record->integer + first, count, header->value_bytes);
}

/* What is written, and the blocks of a batch. */
typedef struct writing {
    const mm_record *record;
    const mm_binary_header *header;
    int level;
    int64_t first;
    slot *slots;
    mm_team_loop loop;
} writing;

/* A thread's work: block i of a batch. */
static void make_block(void *data, int i) {
    const writing *writing = data;
    const mm_record *record = writing->record;
    const mm_binary_header *header = writing->header;
    const int64_t number = writing->first + i;
    slot *slot = &writing->slots[i];
    const char *tail = record->payload != NULL ? record->payload : record->digits;
    const char *raw = slot->raw;
    mm_binary_block block = {.number = number,
                             .raw_bytes = (uint32_t)mm_binary_block_raw_bytes(header, number)};
    if (number < header->entry_blocks) {
        int64_t first, count = mm_binary_block_entries(header, number, &first);
        pack_entries(record, header, first, count, slot->raw);
    } else {
        raw = tail + (number - header->entry_blocks) * MM_BINARY_BLOCK_BYTES;
    }
    char *frame = slot->frames + MM_BINARY_HEAD_BYTES;
    size_t made = mm_compress(slot->compressor, frame, (size_t)slot->frames_room - MM_BINARY_HEAD_BYTES, raw,
                              block.raw_bytes, writing->level);
    block.frame_bytes = (uint32_t)made;
    slot->size = made > 0 ? made + mm_binary_put_head(slot->frames, header, &block, frame) : 0;
}

static base_status prepare(base_context *context, slot *slot, int64_t raw_bytes) {
    base_status status;
    int64_t frames_bytes = MM_BINARY_HEAD_BYTES + (int64_t)mm_compress_bound((size_t)raw_bytes);
    BASE_TRY(base_reserve(context, &slot->raw, &slot->raw_room, raw_bytes, 1));
    BASE_TRY(base_reserve(context, &slot->frames, &slot->frames_room, frames_bytes, 1));
    if (slot->compressor == NULL)
        slot->compressor = mm_compressor_open();
    if (slot->compressor == NULL)
        status = base_fail(context, BASE_MACHINE, "no memory to compress");
done:
    return status;
}

static base_status put_blocks(base_context *context, base_output *output, const slot *slots, int count) {
    base_status status = BASE_OK;
    for (int i = 0; i < count; i++) {
        if (slots[i].size == 0)
            BASE_TRY(base_fail(context, BASE_MACHINE, "no memory to compress"));
        BASE_TRY(base_output_write(context, output, slots[i].frames, slots[i].size));
        base_progress_add(context, 1);
    }
done:
    return status;
}

/* The next `most` blocks, if there are so many, are to be made in these slots. */
static base_status start(base_context *context, mm_team *team, writing *writing, slot *slots, int most) {
    base_status status = BASE_OK;
    const int64_t left = writing->header->blocks - writing->first;
    writing->slots = slots;
    writing->loop = (mm_team_loop){make_block, writing, left < most ? (int)left : most, 0, 0};
    for (int i = 0; i < writing->loop.count; i++)
        BASE_TRY(prepare(context, &slots[i], mm_binary_block_raw_bytes(writing->header, writing->first + i)));
    mm_team_start(team, &writing->loop);
done:
    return status;
}

/* A batch is made while the one before is written. */
static base_status write_blocks(base_context *context, base_output *output, const mm_record *record,
                                const mm_binary_header *header, int level) {
    base_status status = BASE_OK, put = BASE_OK;
    const int most = header->blocks < context->threads ? (int)header->blocks : context->threads;
    slot *slots = base_alloc_zero(context, 2 * most, sizeof *slots), *made = NULL;
    if (slots == NULL)
        return BASE_MACHINE;
    mm_team *team = mm_team_open(most);
    writing writing = {record, header, level, 0, slots, {.count = 0}};
    base_progress_start(context, "write", (double)header->blocks, "blocks");
    for (int ready = 0; ready > 0 || writing.first < header->blocks;) {
        BASE_TRY(start(context, team, &writing, made == slots ? slots + most : slots, most));
        put = put_blocks(context, output, made, ready);
        mm_team_wait(team, &writing.loop);
        BASE_TRY(put);
        made = writing.slots;
        ready = writing.loop.count;
        writing.first += ready;
    }
done:
    base_progress_finish(context);
    mm_team_close(team);
    for (int i = 0; i < 2 * most; i++) {
        mm_compressor_close(slots[i].compressor);
        free(slots[i].raw);
        free(slots[i].frames);
    }
    free(slots);
    return status;
}

base_status mm_binary_make_record_frame(base_context *context, const mm_record *record,
                                        mm_binary_header *header, char **frame) {
    *frame = NULL;
    if (header->comments_bytes > MM_BINARY_COMMENTS_BYTES)
        return base_fail(context, BASE_FAILED, "more than 64 MiB of comments do not fit the binary form");
    *frame = base_alloc(context, MM_BINARY_RECORD_BYTES + header->comments_bytes, 1);
    if (*frame == NULL)
        return BASE_MACHINE;
    mm_binary_put_record(*frame, header, record->comments);
    return BASE_OK;
}

base_status mm_binary_write(base_context *context, base_output *output, const mm_record *record,
                            int64_t record_number, int level) {
    base_status status;
    mm_binary_header header;
    char *frame = NULL;
    mm_binary_plan(record, record_number, &header);
    BASE_TRY(mm_binary_make_record_frame(context, record, &header, &frame));
    BASE_TRY(
        base_output_write(context, output, frame, (size_t)(MM_BINARY_RECORD_BYTES + header.comments_bytes)));
    if (mm_binary_is_plain(&header, level))
        BASE_TRY(mm_binary_write_plain(context, output, record, &header));
    else
        BASE_TRY(write_blocks(context, output, record, &header, level));
done:
    free(frame);
    return status;
}

bool mm_binary_takes_device(const mm_record *record, int level) {
    return record->kind == MM_H2 && level == 0 && record->payload_bytes >= MM_BINARY_PLAIN_BYTES;
}

base_status mm_binary_write_end(base_context *context, base_output *output, int64_t count) {
    char frame[MM_BINARY_END_BYTES];
    return base_output_write(context, output, frame, mm_binary_put_end(frame, count));
}
