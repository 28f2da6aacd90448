/* SPDX-License-Identifier: BSD-3-Clause */
/* One compressed block: a thread decompresses it, widens its numbers and checks them. */
#include "base/core/memory.h"
#include "mm/binary/internal.h"
#include "mm/record/width.h"

#include <stdlib.h>

/* Entries are widened and checked piece by piece, while they are in the nearest cache. */
enum { PIECE_ENTRIES = 1024 };

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

const char *mm_binary_take_block(mm_record *record, const mm_binary_header *header, char *tail,
                                 const mm_binary_block *block, const char *head, const char *bytes,
                                 const mm_binary_tool *tool) {
    const bool entries = block->number < header->entry_blocks;
    char *raw = entries ? tool->raw : tail + (block->number - header->entry_blocks) * MM_BINARY_BLOCK_BYTES;
    if (!mm_binary_check_block(head, bytes, block->frame_bytes))
        return "a block does not have its checksum";
    if (!mm_decompress(tool->compressor, raw, block->raw_bytes, bytes, block->frame_bytes))
        return "a block cannot be decompressed";
    return entries ? unpack_entries(record, header, block->number, raw) : NULL;
}

base_status mm_binary_make_tool(base_context *context, int64_t raw_bytes, mm_binary_tool *tool) {
    base_status status;
    BASE_TRY(base_reserve(context, &tool->raw, &tool->raw_room, raw_bytes, 1));
    if (tool->compressor == NULL)
        tool->compressor = mm_compressor_open();
    if (tool->compressor == NULL)
        status = base_fail(context, BASE_MACHINE, "no memory to decompress");
done:
    return status;
}

void mm_binary_free_tool(mm_binary_tool *tool) {
    mm_compressor_close(tool->compressor);
    free(tool->raw);
}
