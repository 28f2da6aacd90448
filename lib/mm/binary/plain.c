/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks whose bytes stand in the stream as they are, each at a multiple of the page size: those of a file
 * are mapped side by side. */
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

/* ---- writing ---- */

base_status mm_binary_write_plain(base_context *context, base_output *output, const mm_record *record,
                                  const mm_binary_header *header) {
    base_status status = BASE_OK;
    const int most = header->blocks < context->threads ? (int)header->blocks : context->threads;
    slot *slots = base_alloc(context, most, sizeof *slots);
    if (slots == NULL)
        return BASE_MACHINE;
    base_progress_start(context, "write", (double)header->blocks, "blocks");
    for (int64_t first = 0; first < header->blocks; first += most) {
        const int64_t count = header->blocks - first < most ? header->blocks - first : most;
        /* All but the first come behind a whole block. */
        const int64_t position = base_output_position(output);
#pragma omp parallel for num_threads(context->threads) schedule(static, 1)
        for (int64_t i = 0; i < count; i++) {
            slots[i].bytes = record->payload + (first + i) * MM_BINARY_BLOCK_BYTES;
            slots[i].head_bytes =
                mm_binary_put_plain(slots[i].head, header, first + i, i == 0 ? position : 0, slots[i].bytes);
        }
        for (int64_t i = 0; i < count; i++) {
            const size_t bytes = (size_t)mm_binary_block_raw_bytes(header, first + i);
            BASE_TRY(base_output_write(context, output, slots[i].head, slots[i].head_bytes));
            BASE_TRY(base_output_write(context, output, slots[i].bytes, bytes));
        }
        base_progress_add(context, count);
    }
done:
    base_progress_finish(context);
    free(slots);
    return status;
}

/* ---- reading ---- */

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

/* Bytes that are there, or were copied there from the slot's. */
static void check_bytes(slot *slot, char *to) {
    if (slot->bytes != to)
        memcpy(to, slot->bytes, slot->block.raw_bytes);
    slot->fault = mm_binary_check_block(slot->head, to, slot->block.raw_bytes)
                      ? NULL
                      : "a block does not have its checksum";
}

static base_status check_all(base_context *context, slot *slots, int64_t first, int64_t count, char *tail) {
#pragma omp parallel for num_threads(context->threads) schedule(static, 1)
    for (int64_t i = 0; i < count; i++)
        check_bytes(&slots[i], tail + (first + i) * MM_BINARY_BLOCK_BYTES);
    for (int64_t i = 0; i < count; i++)
        if (slots[i].fault != NULL)
            return refuse(context, first + i, slots[i].fault);
    return BASE_OK;
}

/* Blocks first … first + count - 1 by way of the window. */
static base_status copy_batch(base_context *context, mm_source *source, const mm_binary_header *header,
                              int64_t first, int64_t count, slot *slots, char **tail, int64_t *capacity) {
    base_status status;
    const char *window;
    size_t size, total = 0, place[MOST_SLOTS];
    for (int64_t i = 0; i < count; i++) {
        BASE_TRY(mm_source_peek(context, source, total + MM_BINARY_HEAD_BYTES, &window, &size));
        if (size < total + MM_BINARY_HEAD_BYTES)
            BASE_TRY(mm_binary_cut_off(context, "a record"));
        const char *fault = take_head(header, first + i, window + total, &slots[i]);
        if (fault != NULL)
            BASE_TRY(refuse(context, first + i, fault));
        place[i] = total + MM_BINARY_HEAD_BYTES + slots[i].block.frame_bytes;
        const size_t end = place[i] + slots[i].block.raw_bytes;
        BASE_TRY(mm_source_peek(context, source, end, &window, &size));
        if (size < end)
            BASE_TRY(mm_binary_cut_off(context, "a block"));
        fault = take_zeros(window + total, &slots[i]);
        if (fault != NULL)
            BASE_TRY(refuse(context, first + i, fault));
        total = end;
    }
    const int64_t end =
        (first + count - 1) * MM_BINARY_BLOCK_BYTES + mm_binary_block_raw_bytes(header, first + count - 1);
    BASE_TRY(mm_binary_reserve_tail(context, header, tail, capacity, end));
    BASE_TRY(mm_source_peek(context, source, total, &window, &size));
    for (int64_t i = 0; i < count; i++)
        slots[i].bytes = window + place[i];
    BASE_TRY(check_all(context, slots, first, count, *tail));
    mm_source_skip(source, total);
done:
    return status;
}

static base_status copy_blocks(base_context *context, mm_source *source, const mm_binary_header *header,
                               char **tail) {
    base_status status = BASE_OK;
    int64_t capacity = 0, most = context->threads < MOST_SLOTS ? context->threads : MOST_SLOTS;
    slot *slots = base_alloc(context, most, sizeof *slots);
    if (slots == NULL)
        return BASE_MACHINE;
    for (int64_t first = 0; first < header->blocks; first += most)
        BASE_TRY(copy_batch(context, source, header, first,
                            header->blocks - first < most ? header->blocks - first : most, slots, tail,
                            &capacity));
done:
    free(slots);
    return status;
}

/* Maps and checks blocks first … first + count - 1, of which the first begins at *offset of a file of `size`
 * bytes; *placed: it was possible. */
static base_status map_batch(base_context *context, int descriptor, int64_t size,
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
    BASE_TRY(check_all(context, slots, first, count, tail));
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
    char *memory = base_map_reserve(context->place.file, header->tail_bytes);
    base_progress_start(context, "read", (double)header->blocks, "blocks");
    for (int64_t first = 0; memory != NULL && placed && status == BASE_OK && first < header->blocks;
         first += most)
        status = map_batch(context, descriptor, about.st_size, header, first,
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
