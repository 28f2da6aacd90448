/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads blocks whose bytes stand in the stream as they are, each at a multiple of the page size: those of a
 * file are mapped side by side. plain_write.c writes them. */
#include "base/core/map.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "mm/binary/internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One block on its way: its head with the zeros behind, and its bytes. */
typedef struct slot {
    char head[MM_BINARY_PLAIN_HEAD_BYTES];
    size_t head_bytes, frame_bytes;
    mm_binary_block block;
    const char *bytes, *fault;
} slot;

enum { MOST_SLOTS = 64 };

/* The first bytes of a head; NULL, or what is wrong with them. */
static const char *take_head(const mm_binary_header *header, int64_t number, const char *head, slot *slot) {
    mm_binary_frame type;
    const char *fault = mm_binary_get_prefix(head, &type, &slot->frame_bytes);
    slot->block.number = number;
    if (fault == NULL && type != MM_FRAME_PLAIN)
        fault = "a record ends too early";
    if (fault == NULL)
        fault = mm_binary_get_head(head, header, &slot->block);
    if (fault == NULL && slot->block.frame_bytes >= MM_BINARY_PAGE_BYTES)
        fault = "a block's header is damaged";
    if (fault == NULL)
        memcpy(slot->head, head, MM_BINARY_HEAD_BYTES);
    return fault;
}

/* Checks the whole header of a block, with the zeros behind it. */
static const char *take_zeros(const char *head, slot *slot) {
    slot->head_bytes = mm_binary_plain_head(head, slot->frame_bytes, &slot->block);
    return slot->head_bytes > 0 ? NULL : "a block's header is damaged";
}

static base_status refuse(base_context *context, int64_t number, const char *fault) {
    return base_fail(context, BASE_DAMAGED, "block %lld: %s", (long long)number, fault);
}

/* A thread's work: whether block i of a batch is what its head says. */
static void check_bytes(void *data, int i) {
    slot *slot = (struct slot *)data + i;
    slot->fault = mm_binary_check_block(slot->head, slot->bytes, slot->block.raw_bytes)
                      ? NULL
                      : "a block does not have its checksum";
}

/* Lets threads check slots whose bytes are there. */
static void start(mm_team *team, mm_team_loop *loop, slot *slots, int64_t count) {
    *loop = (mm_team_loop){.work = check_bytes, .data = slots, .count = (int)count};
    mm_team_start(team, loop);
}

/* Waits for the checks under way, if there are any. */
static base_status finish(base_context *context, mm_team *team, mm_team_loop *loop) {
    base_status status = BASE_OK;
    const slot *slots = loop->data;
    mm_team_wait(team, loop);
    for (int i = 0; i < loop->count; i++)
        if (slots[i].fault != NULL)
            BASE_TRY(refuse(context, slots[i].block.number, slots[i].fault));
done:
    loop->count = 0;
    return status;
}

/* Blocks on their way from a pipe. */
typedef struct reading {
    base_context *context;
    mm_source *source;
    const mm_binary_header *header;
    char **tail;
    int64_t capacity;
    mm_team *team;
    mm_team_loop loop; /* checks of the batch before */
} reading;

static base_status read_all(reading *reading, char *to, size_t wanted, const char *what) {
    size_t size;
    const base_status status = mm_source_read(reading->context, reading->source, to, wanted, &size);
    return status == BASE_OK && size < wanted ? mm_binary_cut_off(reading->context, what) : status;
}

/* Block `number`, to its place in the tail. Where the tail has to move for it, nobody is at work there. */
static base_status read_block(reading *reading, int64_t number, slot *slot) {
    base_status status;
    base_context *context = reading->context;
    char head[MM_BINARY_PLAIN_HEAD_BYTES];
    const int64_t begin = number * MM_BINARY_BLOCK_BYTES;
    BASE_TRY(read_all(reading, head, MM_BINARY_HEAD_BYTES, "a record"));
    const char *fault = take_head(reading->header, number, head, slot);
    if (fault != NULL)
        BASE_TRY(refuse(context, number, fault));
    BASE_TRY(read_all(reading, head + MM_BINARY_HEAD_BYTES, slot->block.frame_bytes, "a block"));
    fault = take_zeros(head, slot);
    if (fault != NULL)
        BASE_TRY(refuse(context, number, fault));
    const int64_t end = begin + slot->block.raw_bytes;
    if (end > reading->capacity)
        BASE_TRY(finish(context, reading->team, &reading->loop));
    BASE_TRY(mm_binary_reserve_tail(context, reading->header, reading->tail, &reading->capacity, end));
    BASE_TRY(read_all(reading, *reading->tail + begin, slot->block.raw_bytes, "a block"));
done:
    return status;
}

/* Batch by batch: the next one is read while threads check one. */
static base_status copy_blocks(base_context *context, mm_source *source, const mm_binary_header *header,
                               char **tail) {
    base_status status = BASE_OK, seen = BASE_OK;
    const int64_t all = header->blocks;
    int64_t most = context->threads < MOST_SLOTS ? context->threads : MOST_SLOTS;
    most = all < most ? all : most;
    reading reading = {.context = context, .source = source, .header = header, .tail = tail};
    slot *slots = base_alloc(context, 2 * most, sizeof *slots), *half = slots;
    if (slots == NULL)
        return BASE_MACHINE;
    reading.team = mm_source_team(context, source);
    for (int64_t first = 0; first < all; first += most) {
        const int64_t count = all - first < most ? all - first : most;
        for (int64_t i = 0; i < count && seen == BASE_OK; i++)
            seen = read_block(&reading, first + i, &half[i]);
        BASE_TRY(finish(context, reading.team, &reading.loop));
        BASE_TRY(seen);
        for (int64_t i = 0; i < count; i++)
            half[i].bytes = *tail + (first + i) * MM_BINARY_BLOCK_BYTES;
        start(reading.team, &reading.loop, half, count);
        half = half == slots ? slots + most : slots;
    }
    BASE_TRY(finish(context, reading.team, &reading.loop));
done:
    free(slots);
    return status;
}

/* Maps and checks blocks first … first + count - 1, of which the first begins at *offset of a file of `size`
 * bytes; *placed: it was possible. */
static base_status map_batch(base_context *context, mm_team *team, int descriptor, int64_t size,
                             const mm_binary_header *header, int64_t first, int64_t count, slot *slots,
                             char *tail, int64_t *offset, bool *placed) {
    base_status status = BASE_OK;
    *placed = false;
    for (int64_t i = 0; i < count; i++) {
        char head[MM_BINARY_PLAIN_HEAD_BYTES];
        const ssize_t there = pread(descriptor, head, sizeof head, (off_t)*offset);
        if (there < MM_BINARY_HEAD_BYTES)
            BASE_TRY(mm_binary_cut_off(context, "a record"));
        const char *fault = take_head(header, first + i, head, &slots[i]);
        if (fault != NULL)
            BASE_TRY(refuse(context, first + i, fault));
        const int64_t begin = *offset + MM_BINARY_HEAD_BYTES + slots[i].block.frame_bytes;
        *offset = begin + slots[i].block.raw_bytes;
        if (*offset > size)
            BASE_TRY(mm_binary_cut_off(context, "a block"));
        fault = take_zeros(head, &slots[i]);
        if (fault != NULL)
            BASE_TRY(refuse(context, first + i, fault));
        slots[i].bytes = tail + (first + i) * MM_BINARY_BLOCK_BYTES;
        if (begin % MM_BINARY_PAGE_BYTES != 0 || !base_map_part(tail + (first + i) * MM_BINARY_BLOCK_BYTES,
                                                                descriptor, begin, slots[i].block.raw_bytes))
            goto done;
    }
    *placed = true;
    mm_team_loop loop;
    start(team, &loop, slots, count);
    BASE_TRY(finish(context, team, &loop));
    base_progress_add(context, count);
done:
    return status;
}

/* *tail stays NULL where the blocks cannot be mapped. */
static base_status map_blocks(base_context *context, mm_source *source, const mm_binary_header *header,
                              char **tail, int64_t *mapped) {
    base_status status = BASE_OK;
    int descriptor;
    int64_t start, most = 4 * (int64_t)context->threads;
    struct stat about;
    slot *slots = NULL;
    mm_team *team = NULL;
    if (context->copies_files || sysconf(_SC_PAGESIZE) > MM_BINARY_PAGE_BYTES ||
        !mm_source_get_file(source, &descriptor, &start) || fstat(descriptor, &about) != 0)
        goto done;
    if (about.st_size - start < header->tail_bytes)
        BASE_TRY(mm_binary_cut_off(context, "a record"));
    slots = base_alloc(context, most, sizeof *slots);
    if (slots == NULL)
        BASE_TRY(BASE_MACHINE);
    int64_t offset = start;
    bool placed = true;
    team = header->blocks > 1 ? mm_source_team(context, source) : NULL;
    char *memory = base_map_reserve(context->place.file, header->tail_bytes);
    base_progress_start(context, "read", (double)header->blocks, "blocks");
    for (int64_t first = 0; memory != NULL && placed && status == BASE_OK && first < header->blocks;
         first += most)
        status = map_batch(context, team, descriptor, about.st_size, header, first,
                           header->blocks - first < most ? header->blocks - first : most, slots, memory,
                           &offset, &placed);
    base_progress_finish(context);
    if (memory != NULL && placed && status == BASE_OK)
        status = mm_source_jump(context, source, offset - start);
    if (memory == NULL || !placed || status != BASE_OK) {
        if (memory != NULL)
            base_free_mapped(memory, header->tail_bytes);
        goto done;
    }
    *tail = memory;
    *mapped = header->tail_bytes;
done:
    free(slots);
    return status;
}

base_status mm_binary_read_plain(base_context *context, mm_source *source, const mm_binary_header *header,
                                 char **tail, int64_t *mapped) {
    base_status status;
    BASE_TRY(map_blocks(context, source, header, tail, mapped));
    if (*tail == NULL)
        BASE_TRY(copy_blocks(context, source, header, tail));
done:
    return status;
}
