/* SPDX-License-Identifier: BSD-3-Clause */
/* Compressed blocks on their way in: each thread decompresses one, widens its numbers and checks them. */
#include "base/core/memory.h"
#include "mm/binary/compress.h"
#include "mm/binary/internal.h"
#include "mm/record/width.h"

#include <stdlib.h>

/* A block that a thread works on. The frames lie in the source's window; `fault` is what a thread found
 * wrong. */
typedef struct slot {
    mm_compressor *compressor;
    char *raw;
    int64_t raw_room;
    mm_binary_block block;
    size_t offset; /* of the block frame in the window */
    const char *fault;
} slot;

/* Entries are widened and checked piece by piece, while they are in the nearest cache. */
enum { PIECE_ENTRIES = 1024 };

/* ---- one block ---- */

static const char *unpack_piece(mm_record *record, const mm_binary_header *header, int64_t first,
                                int64_t count, const char *rows, const char *cols, const char *values) {
    if (header->row_bytes > 0) {
        mm_widen(record->row + first, rows, count, header->row_bytes);
        mm_widen(record->col + first, cols, count, header->col_bytes);
    }
    if (record->real != NULL) {
        int64_t parts = header->value_bytes / 8;
        mm_get_doubles(record->real + parts * first, values, parts * count);
    } else if (record->integer != NULL) {
        mm_widen(record->integer + first, values, count, header->value_bytes);
    }
    return mm_binary_check_entries(record, first, count);
}

static const char *unpack_entries(mm_record *record, const mm_binary_header *header, int64_t block,
                                  const char *raw) {
    int64_t first, count = mm_binary_block_entries(header, block, &first);
    const char *cols = raw + count * header->row_bytes, *values = cols + count * header->col_bytes;
    for (int64_t at = 0; at < count; at += PIECE_ENTRIES) {
        int64_t piece = count - at < PIECE_ENTRIES ? count - at : PIECE_ENTRIES;
        const char *fault = unpack_piece(record, header, first + at, piece, raw + at * header->row_bytes,
                                         cols + at * header->col_bytes, values + at * header->value_bytes);
        if (fault != NULL)
            return fault;
    }
    return NULL;
}

static const char *take_block(mm_record *record, const mm_binary_header *header, char *tail,
                              const char *window, slot *slot) {
    const char *head = window + slot->offset, *frame = head + MM_BINARY_HEAD_BYTES;
    const mm_binary_block *block = &slot->block;
    bool entries = block->number < header->entry_blocks;
    char *raw = entries ? slot->raw : tail + (block->number - header->entry_blocks) * MM_BINARY_BLOCK_BYTES;
    if (!mm_binary_check_block(head, frame, block->frame_bytes))
        return "a block does not have its checksum";
    if (!mm_decompress(slot->compressor, raw, block->raw_bytes, frame, block->frame_bytes))
        return "a block cannot be decompressed";
    return entries ? unpack_entries(record, header, block->number, raw) : NULL;
}

/* A lone block, as small records have it, does without the threads' start and end. */
static void take_blocks(int threads, mm_record *record, const mm_binary_header *header, char *tail,
                        const char *window, slot *slots, int count) {
    if (count == 1) {
        slots[0].fault = take_block(record, header, tail, window, &slots[0]);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int i = 0; i < count; i++)
        slots[i].fault = take_block(record, header, tail, window, &slots[i]);
}

/* ---- the blocks of a record ---- */

/* Makes the frames of a block visible behind `offset` bytes of others. */
static base_status see_block(base_context *context, mm_source *source, const mm_binary_header *header,
                             size_t offset, slot *slot) {
    base_status status;
    const char *window, *fault;
    size_t size, frame_bytes;
    mm_binary_frame type;
    BASE_TRY(mm_source_peek(context, source, offset + MM_BINARY_HEAD_BYTES, &window, &size));
    if (size < offset + MM_BINARY_HEAD_BYTES)
        BASE_TRY(mm_binary_cut_off(context, "a record"));
    fault = mm_binary_get_prefix(window + offset, &type, &frame_bytes);
    if (fault == NULL && type != MM_FRAME_BLOCK)
        fault = "a record ends too early";
    if (fault == NULL)
        fault = mm_binary_get_head(window + offset, header, &slot->block);
    if (fault == NULL && slot->block.frame_bytes > mm_compress_bound(slot->block.raw_bytes))
        fault = "a block's header is damaged";
    if (fault != NULL)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "block %lld: %s", (long long)slot->block.number, fault));
    size_t wanted = offset + MM_BINARY_HEAD_BYTES + slot->block.frame_bytes;
    BASE_TRY(mm_source_peek(context, source, wanted, &window, &size));
    if (size < wanted)
        BASE_TRY(mm_binary_cut_off(context, "a block"));
    slot->offset = offset;
    BASE_TRY(base_reserve(context, &slot->raw, &slot->raw_room, slot->block.raw_bytes, 1));
    if (slot->compressor == NULL)
        slot->compressor = mm_compressor_open();
    if (slot->compressor == NULL)
        status = base_fail(context, BASE_MACHINE, "no memory to decompress");
done:
    return status;
}

/* Room for `needed` of the record's entries. */
static base_status reserve_entries(base_context *context, mm_record *record, const mm_binary_header *header,
                                   int64_t *capacity, int64_t needed) {
    base_status status = BASE_OK;
    if (needed <= *capacity && *capacity > 0)
        goto done;
    int64_t room = mm_binary_grown(*capacity, needed, record->nnz);
    if (header->row_bytes > 0) {
        BASE_TRY(base_resize(context, &record->row, room, sizeof *record->row));
        BASE_TRY(base_resize(context, &record->col, room, sizeof *record->col));
    }
    if (header->value_bytes > 0 && record->field == MM_INTEGER)
        BASE_TRY(base_resize(context, &record->integer, room, sizeof *record->integer));
    else if (header->value_bytes > 0)
        BASE_TRY(base_resize(context, &record->real, room, header->value_bytes));
    *capacity = room;
done:
    return status;
}

/* Room for what the blocks before block `end` hold. */
static base_status reserve(base_context *context, mm_record *record, const mm_binary_header *header,
                           int64_t end, int64_t capacity[2], char **tail) {
    base_status status = BASE_OK;
    int64_t entry_blocks = end < header->entry_blocks ? end : header->entry_blocks, first;
    int64_t tail_blocks = end - entry_blocks;
    if (entry_blocks > 0) {
        int64_t count = mm_binary_block_entries(header, entry_blocks - 1, &first);
        BASE_TRY(reserve_entries(context, record, header, &capacity[0], first + count));
    }
    if (tail_blocks > 0) {
        int64_t bytes =
            (tail_blocks - 1) * MM_BINARY_BLOCK_BYTES + mm_binary_block_raw_bytes(header, end - 1);
        BASE_TRY(mm_binary_reserve_tail(context, header, tail, &capacity[1], bytes));
    }
done:
    return status;
}

/* Blocks first … first + count - 1, one to a thread. */
static base_status read_batch(base_context *context, mm_source *source, mm_record *record,
                              const mm_binary_header *header, int64_t first, int count, slot *slots,
                              int64_t capacity[2], char **tail) {
    base_status status;
    const char *window;
    size_t size, total = 0;
    for (int i = 0; i < count; i++) {
        slots[i].block.number = first + i;
        BASE_TRY(see_block(context, source, header, total, &slots[i]));
        total += MM_BINARY_HEAD_BYTES + slots[i].block.frame_bytes;
    }
    BASE_TRY(reserve(context, record, header, first + count, capacity, tail));
    BASE_TRY(mm_source_peek(context, source, total, &window, &size));
    take_blocks(context->threads, record, header, *tail, window, slots, count);
    for (int i = 0; i < count; i++)
        if (slots[i].fault != NULL)
            BASE_TRY(
                base_fail(context, BASE_DAMAGED, "block %lld: %s", (long long)(first + i), slots[i].fault));
    mm_source_skip(source, total);
done:
    return status;
}

base_status mm_binary_read_blocks(base_context *context, mm_source *source, mm_record *record,
                                  const mm_binary_header *header, char **tail) {
    base_status status = BASE_OK;
    int64_t capacity[2] = {0, 0}; /* of the entries, of the tail */
    int most = header->blocks < context->threads ? (int)header->blocks : context->threads;
    slot *slots = base_alloc_zero(context, most, sizeof *slots);
    if (slots == NULL)
        return BASE_MACHINE;
    if (header->entry_blocks == 0)
        BASE_TRY(reserve_entries(context, record, header, &capacity[0], 0));
    for (int64_t first = 0; first < header->blocks; first += most) {
        int count = header->blocks - first < most ? (int)(header->blocks - first) : most;
        BASE_TRY(read_batch(context, source, record, header, first, count, slots, capacity, tail));
    }
done:
    for (int i = 0; i < most; i++) {
        mm_compressor_close(slots[i].compressor);
        free(slots[i].raw);
    }
    free(slots);
    return status;
}
