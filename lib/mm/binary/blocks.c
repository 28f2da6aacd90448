/* SPDX-License-Identifier: BSD-3-Clause */
/* Compressed blocks on their way in, batch by batch: each thread takes one apart (block.c) while the next are
 * read. */
#include "base/core/file.h"
#include "base/core/memory.h"
#include "mm/binary/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A block on its way. What a thread found wrong is `fault`, or `error` of errno. */
typedef struct slot {
    char head[MM_BINARY_HEAD_BYTES];
    mm_binary_block block;
    const char *bytes; /* of its zstd frame: in the source's window, or in `frame` */
    char *frame;
    int64_t frame_room;
    int64_t offset; /* where the thread is to read them from the file; -1: they are there */
    const char *fault;
    int error;
} slot;

/* The record's blocks, of which a batch is worked on at a time. */
typedef struct blocks {
    base_context *context;
    mm_source *source;
    mm_record *record;
    const mm_binary_header *header;
    char *tail;
    int64_t capacity[2]; /* of the entries, of the tail */
    mm_team *team;
    int most;              /* blocks of a batch */
    mm_binary_tool *tools; /* one for each block of the batch that is taken apart … */
    slot *slots;           /* … while the next one is read into the other half of these */
    int descriptor;        /* of the file that threads read themselves; -1: none */
    int64_t place, passed; /* in it: the next block, and what was told of */
    int64_t size;          /* of it */
    slot *under_way;       /* those of the batch */
    mm_team_loop loop;
} blocks;

/* A thread's work: block i of the batch under way. */
static void work(void *data, int i) {
    const blocks *blocks = data;
    slot *slot = &blocks->under_way[i];
    slot->fault = NULL;
    slot->error = 0;
    if (slot->offset >= 0) {
        const ssize_t count =
            base_read_at(blocks->descriptor, slot->frame, slot->block.frame_bytes, (off_t)slot->offset);
        slot->error = count < 0 ? errno : 0;
        if (count >= 0 && count < (ssize_t)slot->block.frame_bytes)
            slot->fault = "the file was cut off";
    }
    if (blocks->record->descriptor > 0 && slot->error == 0 && slot->fault == NULL) {
        int64_t first;
        const int64_t count = mm_binary_block_entries(blocks->header, slot->block.number, &first);
        slot->error = mm_binary_fill_given(blocks->record, blocks->header, first, count) ? 0 : ENOMEM;
    }
    if (slot->error == 0 && slot->fault == NULL)
        slot->fault = mm_binary_take_block(blocks->record, blocks->header, blocks->tail, &slot->block,
                                           slot->head, slot->bytes, &blocks->tools[i]);
}

/* What a block's head says. */
static base_status take_head(const blocks *blocks, int64_t number, slot *slot) {
    size_t frame_bytes;
    mm_binary_frame type;
    slot->block.number = number;
    const char *fault = mm_binary_get_prefix(slot->head, &type, &frame_bytes);
    if (fault == NULL && type != MM_FRAME_BLOCK)
        fault = "a record ends too early";
    if (fault == NULL)
        fault = mm_binary_get_head(slot->head, blocks->header, &slot->block);
    if (fault == NULL && slot->block.frame_bytes > mm_compress_bound(slot->block.raw_bytes))
        fault = "a block's header is damaged";
    return fault == NULL
               ? BASE_OK
               : base_fail(blocks->context, BASE_DAMAGED, "block %lld: %s", (long long)number, fault);
}

/* A lone block, as small records have it, is taken where the window shows it. */
static base_status see_lone(blocks *blocks, size_t *bytes) {
    base_status status;
    slot *slot = &blocks->slots[0];
    const char *window;
    size_t size;
    BASE_TRY(mm_source_peek(blocks->context, blocks->source, MM_BINARY_HEAD_BYTES, &window, &size));
    if (size < MM_BINARY_HEAD_BYTES)
        BASE_TRY(mm_binary_cut_off(blocks->context, "a record"));
    memcpy(slot->head, window, MM_BINARY_HEAD_BYTES);
    BASE_TRY(take_head(blocks, 0, slot));
    *bytes = MM_BINARY_HEAD_BYTES + slot->block.frame_bytes;
    BASE_TRY(mm_source_peek(blocks->context, blocks->source, *bytes, &window, &size));
    if (size < *bytes)
        BASE_TRY(mm_binary_cut_off(blocks->context, "a block"));
    slot->bytes = window + MM_BINARY_HEAD_BYTES;
    slot->offset = -1;
done:
    return status;
}

/* Reads the next `size` bytes of a file's blocks, or of a pipe's; fails where fewer are there. */
static base_status read_bytes(blocks *blocks, char *to, size_t size, const char *what) {
    size_t count = 0;
    base_status status = BASE_OK;
    if (blocks->descriptor < 0) {
        status = mm_source_read(blocks->context, blocks->source, to, size, &count);
    } else {
        const ssize_t read = base_read_at(blocks->descriptor, to, size, (off_t)blocks->place);
        if (read < 0)
            status = base_fail_errno(blocks->context, BASE_MACHINE, "cannot read");
        else
            count = (size_t)read;
        blocks->place += (int64_t)count;
    }
    return status == BASE_OK && count < size ? mm_binary_cut_off(blocks->context, what) : status;
}

/* Block `number`: its head, and its bytes where no thread can read them. */
static base_status see_block(blocks *blocks, int64_t number, slot *slot) {
    base_status status;
    BASE_TRY(read_bytes(blocks, slot->head, MM_BINARY_HEAD_BYTES, "a record"));
    BASE_TRY(take_head(blocks, number, slot));
    BASE_TRY(base_reserve(blocks->context, &slot->frame, &slot->frame_room, slot->block.frame_bytes, 1));
    slot->bytes = slot->frame;
    slot->offset = -1;
    if (blocks->descriptor < 0)
        BASE_TRY(read_bytes(blocks, slot->frame, slot->block.frame_bytes, "a block"));
    else if (slot->block.frame_bytes > blocks->size - blocks->place)
        BASE_TRY(mm_binary_cut_off(blocks->context, "a block"));
    else
        slot->offset = blocks->place;
    if (blocks->descriptor >= 0)
        blocks->place += slot->block.frame_bytes;
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
static base_status reserve(blocks *blocks, int64_t end) {
    base_status status = BASE_OK;
    const mm_binary_header *header = blocks->header;
    int64_t entry_blocks = end < header->entry_blocks ? end : header->entry_blocks, first;
    int64_t tail_blocks = end - entry_blocks;
    if (entry_blocks > 0) {
        int64_t count = mm_binary_block_entries(header, entry_blocks - 1, &first);
        BASE_TRY(
            reserve_entries(blocks->context, blocks->record, header, &blocks->capacity[0], first + count));
    }
    if (tail_blocks > 0) {
        int64_t bytes =
            (tail_blocks - 1) * MM_BINARY_BLOCK_BYTES + mm_binary_block_raw_bytes(header, end - 1);
        BASE_TRY(mm_binary_reserve_tail(blocks->context, header, &blocks->tail, &blocks->capacity[1], bytes));
    }
done:
    return status;
}

/* Hands blocks that were seen to the threads, with room for what is in them. */
static base_status start(blocks *blocks, slot *slots, int count) {
    base_status status = BASE_OK;
    for (int i = 0; i < count; i++)
        BASE_TRY(mm_binary_make_tool(blocks->context, slots[i].block.raw_bytes, &blocks->tools[i]));
    BASE_TRY(reserve(blocks, slots[count - 1].block.number + 1));
    blocks->under_way = slots;
    blocks->loop = (mm_team_loop){.work = work, .data = blocks, .count = count};
    mm_team_start(blocks->team, &blocks->loop);
done:
    return status;
}

/* Waits for the blocks under way, if there are any, and says what was wrong with them. */
static base_status finish(blocks *blocks) {
    base_status status = BASE_OK;
    mm_team_wait(blocks->team, &blocks->loop);
    for (int i = 0; i < blocks->loop.count; i++) {
        const slot *slot = &blocks->under_way[i];
        errno = slot->error;
        if (slot->error != 0)
            BASE_TRY(base_fail_errno(blocks->context, BASE_MACHINE, "cannot read"));
        if (slot->fault != NULL)
            BASE_TRY(base_fail(blocks->context, BASE_DAMAGED, "block %lld: %s", (long long)slot->block.number,
                               slot->fault));
    }
done:
    blocks->loop.count = 0;
    return status;
}

/* Passes over what a file has before `end`, which the progress tells. */
static base_status pass_over(blocks *blocks, int64_t end) {
    const int64_t count = end - blocks->passed;
    if (blocks->descriptor < 0)
        return BASE_OK;
    blocks->passed = end;
    return mm_source_jump(blocks->context, blocks->source, count);
}

/* Batch by batch: the next one is read while threads take one apart. */
static base_status read_batches(blocks *blocks) {
    base_status status = BASE_OK, seen = BASE_OK;
    const int64_t all = blocks->header->blocks;
    slot *slots = blocks->slots;
    for (int64_t first = 0; first < all; first += blocks->most) {
        const int count = all - first < blocks->most ? (int)(all - first) : blocks->most;
        const int64_t under_way = blocks->place;
        for (int i = 0; i < count && seen == BASE_OK; i++)
            seen = see_block(blocks, first + i, &slots[i]);
        BASE_TRY(finish(blocks));
        BASE_TRY(pass_over(blocks, under_way));
        BASE_TRY(seen);
        BASE_TRY(start(blocks, slots, count));
        if (blocks->team == NULL)
            BASE_TRY(finish(blocks));
        slots = slots == blocks->slots ? blocks->slots + blocks->most : blocks->slots;
    }
    BASE_TRY(finish(blocks));
    BASE_TRY(pass_over(blocks, blocks->place));
done:
    return status;
}

static base_status read_lone(blocks *blocks) {
    base_status status;
    size_t bytes;
    BASE_TRY(see_lone(blocks, &bytes));
    BASE_TRY(start(blocks, blocks->slots, 1));
    BASE_TRY(finish(blocks));
    mm_source_skip(blocks->source, bytes);
done:
    return status;
}

static base_status open_blocks(blocks *blocks, int threads) {
    base_status status = BASE_OK;
    struct stat about;
    const int64_t all = blocks->header->blocks;
    blocks->most = all < threads ? (int)all : threads;
    blocks->tools = base_alloc_zero(blocks->context, blocks->most, sizeof *blocks->tools);
    blocks->slots = base_alloc_zero(blocks->context, 2 * blocks->most, sizeof *blocks->slots);
    if (blocks->tools == NULL || blocks->slots == NULL)
        BASE_TRY(BASE_MACHINE);
    if (all < 2)
        goto done;
    blocks->team = mm_source_team(blocks->context, blocks->source);
    if (mm_source_get_file(blocks->source, &blocks->descriptor, &blocks->place) &&
        fstat(blocks->descriptor, &about) == 0)
        blocks->size = about.st_size;
    else
        blocks->descriptor = -1;
    blocks->passed = blocks->place;
done:
    return status;
}

static void close_blocks(blocks *blocks) {
    for (int i = 0; blocks->tools != NULL && i < blocks->most; i++)
        mm_binary_free_tool(&blocks->tools[i]);
    for (int i = 0; blocks->slots != NULL && i < 2 * blocks->most; i++)
        free(blocks->slots[i].frame);
    free(blocks->tools);
    free(blocks->slots);
}

base_status mm_binary_read_blocks(base_context *context, mm_source *source, mm_record *record,
                                  const mm_binary_header *header, char **tail) {
    base_status status;
    blocks blocks = {.context = context,
                     .source = source,
                     .record = record,
                     .header = header,
                     .tail = *tail,
                     .descriptor = -1};
    BASE_TRY(open_blocks(&blocks, context->threads));
    if (mm_binary_is_given(context, header)) {
        BASE_TRY(mm_binary_alloc_given(context, header, record));
        blocks.capacity[0] = header->nnz;
    }
    if (header->entry_blocks == 0)
        BASE_TRY(reserve_entries(context, record, header, &blocks.capacity[0], 0));
    if (header->blocks == 1)
        BASE_TRY(read_lone(&blocks));
    else
        BASE_TRY(read_batches(&blocks));
    if (record->descriptor > 0)
        BASE_TRY(mm_binary_seal_given(context, header, record));
done:
    close_blocks(&blocks);
    *tail = blocks.tail;
    return status;
}
