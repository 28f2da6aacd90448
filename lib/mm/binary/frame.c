/* SPDX-License-Identifier: BSD-3-Clause */
/* The frames of the binary form, put together and taken apart. */
#include "mm/binary/internal.h"
#include "mm/coding/detect.h"
#include "mm/record/width.h"

#include <endian.h>
#include <string.h>
#include <xxhash.h>

enum { VERSION = 1, TYPES_OFFSET = 14, HASH_BYTES = 8 };

/* ---- putting frames together ---- */

static void put32(char *to, uint32_t value) {
    value = htole32(value);
    memcpy(to, &value, sizeof value);
}

static void put64(char *to, uint64_t value) {
    value = htole64(value);
    memcpy(to, &value, sizeof value);
}

static void put_prefix(char *frame, mm_binary_frame type, size_t size) {
    memset(frame, 0, MM_BINARY_PREFIX_BYTES);
    memcpy(frame, MM_BINARY_SKIPPABLE, 4);
    put32(frame + 4, (uint32_t)(size - 8));
    memcpy(frame + 8, MM_BINARY_MARK, 4);
    frame[12] = VERSION;
    frame[13] = (char)type;
}

size_t mm_binary_put_record(char *frame, mm_binary_header *header, const char *comments) {
    size_t size = MM_BINARY_RECORD_BYTES + (size_t)header->comments_bytes, hashed = size - HASH_BYTES;
    const int bytes[] = {header->kind,      header->format,    header->field,      header->symmetry,
                         header->row_bytes, header->col_bytes, header->value_bytes};
    const int64_t words[] = {header->record_number, header->nrow,       header->ncol,
                             header->nnz,           header->tail_bytes, header->comments_bytes};
    put_prefix(frame, MM_FRAME_RECORD, size);
    memset(frame + MM_BINARY_PREFIX_BYTES, 0, 8);
    for (int i = 0; i < 7; i++)
        frame[TYPES_OFFSET + i] = (char)bytes[i];
    for (int i = 0; i < 6; i++)
        put64(frame + 24 + 8 * i, (uint64_t)words[i]);
    if (header->comments_bytes > 0)
        memcpy(frame + 72, comments, (size_t)header->comments_bytes);
    header->hash = XXH3_64bits(frame, hashed);
    put64(frame + hashed, header->hash);
    return size;
}

/* The hash of a block is that of its zstd frame, seeded with that of the block frame before it. */
static uint64_t block_hash(const char *frame, const void *zstd_frame, size_t size) {
    return XXH3_64bits_withSeed(zstd_frame, size, XXH3_64bits(frame, MM_BINARY_HEAD_BYTES - HASH_BYTES));
}

size_t mm_binary_put_head(char *frame, const mm_binary_header *header, const mm_binary_block *block,
                          const void *zstd_frame) {
    put_prefix(frame, MM_FRAME_BLOCK, MM_BINARY_HEAD_BYTES);
    put32(frame + 16, block->raw_bytes);
    put32(frame + 20, block->frame_bytes);
    put64(frame + 24, (uint64_t)block->number);
    put64(frame + 32, header->hash);
    put64(frame + 40, block_hash(frame, zstd_frame, block->frame_bytes));
    return MM_BINARY_HEAD_BYTES;
}

size_t mm_binary_plain_bytes(int64_t position) {
    const int64_t behind = (position + MM_BINARY_HEAD_BYTES) % MM_BINARY_PAGE_BYTES;
    return MM_BINARY_HEAD_BYTES + (size_t)(behind > 0 ? MM_BINARY_PAGE_BYTES - behind : 0);
}

size_t mm_binary_put_plain(char *frame, const mm_binary_header *header, int64_t number, int64_t position,
                           const void *bytes) {
    const int64_t raw_bytes = mm_binary_block_raw_bytes(header, number);
    const size_t size = mm_binary_plain_bytes(position);
    memset(frame, 0, size);
    put_prefix(frame, MM_FRAME_PLAIN, size + (size_t)raw_bytes);
    put32(frame + 16, (uint32_t)raw_bytes);
    put32(frame + 20, (uint32_t)(size - MM_BINARY_HEAD_BYTES));
    put64(frame + 24, (uint64_t)number);
    put64(frame + 32, header->hash);
    put64(frame + 40, block_hash(frame, bytes, (size_t)raw_bytes));
    return size;
}

size_t mm_binary_put_end(char *frame, int64_t count) {
    put_prefix(frame, MM_FRAME_END, MM_BINARY_END_BYTES);
    put64(frame + 16, (uint64_t)count);
    put64(frame + 24, XXH3_64bits(frame, 24));
    return MM_BINARY_END_BYTES;
}

size_t mm_binary_put_giver(char *frame, const base_resident_name *name) {
    put_prefix(frame, MM_FRAME_GIVER, MM_BINARY_GIVER_BYTES);
    memcpy(frame + 16, name->token, sizeof name->token);
    put64(frame + 32, name->device);
    put64(frame + 40, name->inode);
    put64(frame + 48, XXH3_64bits(frame, 48));
    return MM_BINARY_GIVER_BYTES;
}

size_t mm_binary_put_resident(char *frame, const mm_binary_header *header, const mm_binary_memory *memory) {
    memset(frame, 0, MM_BINARY_RESIDENT_BYTES);
    put_prefix(frame, MM_FRAME_RESIDENT, MM_BINARY_RESIDENT_BYTES);
    put64(frame + 16, (uint64_t)memory->bytes);
    frame[24] = (char)(memory->is_hashed | (memory->device_bytes > 0) << 1);
    put64(frame + 32, header->hash);
    put64(frame + 40, memory->hash);
    memcpy(frame + 48, memory->uuid, sizeof memory->uuid);
    put64(frame + 64, (uint64_t)memory->device_first);
    put64(frame + 72, (uint64_t)memory->device_bytes);
    put64(frame + 80, XXH3_64bits(frame, 80));
    return MM_BINARY_RESIDENT_BYTES;
}

/* ---- taking frames apart ---- */

static uint32_t get32(const char *from) {
    uint32_t value;
    memcpy(&value, from, sizeof value);
    return le32toh(value);
}

static uint64_t get64(const char *from) {
    uint64_t value;
    memcpy(&value, from, sizeof value);
    return le64toh(value);
}

const char *mm_binary_get_prefix(const char *prefix, mm_binary_frame *type, size_t *size) {
    if (!mm_binary_detect(prefix, MM_BINARY_PREFIX_BYTES))
        return "no frame of the binary form where one is due";
    if (prefix[12] != VERSION)
        return "a version of the binary form that this program does not know";
    *type = (mm_binary_frame)prefix[13];
    *size = (size_t)get32(prefix + 4) + 8;
    bool known = *type == MM_FRAME_RECORD ? *size >= MM_BINARY_RECORD_BYTES &&
                                                *size <= MM_BINARY_RECORD_BYTES + MM_BINARY_COMMENTS_BYTES
                 : *type == MM_FRAME_BLOCK ? *size == MM_BINARY_HEAD_BYTES
                 : *type == MM_FRAME_PLAIN ? *size > MM_BINARY_HEAD_BYTES &&
                                                 *size <= MM_BINARY_PLAIN_HEAD_BYTES + MM_BINARY_BLOCK_BYTES
                 : *type == MM_FRAME_GIVER    ? *size == MM_BINARY_GIVER_BYTES
                 : *type == MM_FRAME_RESIDENT ? *size == MM_BINARY_RESIDENT_BYTES
                                              : *type == MM_FRAME_END && *size == MM_BINARY_END_BYTES;
    return known ? NULL : "a damaged frame";
}

/* What a writer cannot have meant, whatever the hash says. */
static bool is_possible(const mm_binary_header *header) {
    bool opaque = header->kind == MM_H2 || header->kind == MM_STATE;
    bool coordinate = header->format == MM_COORDINATE;
    if (header->kind > MM_STATE || header->format > MM_ARRAY || header->field > MM_COMPLEX ||
        header->symmetry > MM_HERMITIAN || header->record_number < 1 || header->nrow < 0 ||
        header->ncol < 0 || header->nnz < 0 || header->tail_bytes < 0)
        return false;
    if (opaque)
        return header->row_bytes == 0 && header->col_bytes == 0 && header->value_bytes == 0;
    if (header->symmetry != MM_GENERAL && header->nrow != header->ncol)
        return false;
    if (header->field == MM_PATTERN && (!coordinate || header->symmetry > MM_SYMMETRIC))
        return false;
    if (header->symmetry == MM_HERMITIAN && header->field != MM_COMPLEX)
        return false;
    if (!coordinate && header->nnz != mm_array_length(header->nrow, header->ncol, header->symmetry))
        return false;
    if (header->row_bytes != (coordinate ? mm_width_of(0, header->nrow - 1) : 0) ||
        header->col_bytes != (coordinate ? mm_width_of(0, header->ncol - 1) : 0))
        return false;
    int width = header->value_bytes;
    switch (header->field) {
    case MM_PATTERN: return width == 0 && header->tail_bytes == 0;
    case MM_REAL: return width == 8 && header->tail_bytes == 0;
    case MM_COMPLEX: return width == 16 && header->tail_bytes == 0;
    case MM_INTEGER:
        if (width == 0) /* a decimal number has a digit and its NUL */
            return header->nnz > 0 && header->nnz <= header->tail_bytes / 2;
        return (width == 1 || width == 2 || width == 4 || width == 8) && header->tail_bytes == 0;
    }
    return false;
}

/* Lines of comment, each with its newline. */
static bool are_comments(const char *text, int64_t size) {
    if (memchr(text, 0, (size_t)size) != NULL)
        return false;
    for (const char *line = text, *end = text + size; line < end; line++) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        if (*line != '%' || newline == NULL)
            return false;
        line = newline;
    }
    return true;
}

const char *mm_binary_get_record(const char *frame, size_t size, mm_binary_header *header) {
    static const char damaged[] = "a record's header is damaged";
    const unsigned char *types = (const unsigned char *)frame + TYPES_OFFSET;
    size_t hashed = size - HASH_BYTES;
    *header = (mm_binary_header){.kind = types[0],
                                 .format = types[1],
                                 .field = types[2],
                                 .symmetry = types[3],
                                 .row_bytes = types[4],
                                 .col_bytes = types[5],
                                 .value_bytes = types[6],
                                 .record_number = (int64_t)get64(frame + 24),
                                 .nrow = (int64_t)get64(frame + 32),
                                 .ncol = (int64_t)get64(frame + 40),
                                 .nnz = (int64_t)get64(frame + 48),
                                 .tail_bytes = (int64_t)get64(frame + 56),
                                 .comments_bytes = (int64_t)get64(frame + 64),
                                 .hash = get64(frame + hashed)};
    if (header->hash != XXH3_64bits(frame, hashed))
        return damaged;
    if (frame[21] != 0 || frame[22] != 0 || frame[23] != 0 ||
        header->comments_bytes != (int64_t)size - MM_BINARY_RECORD_BYTES || !is_possible(header) ||
        !are_comments(frame + 72, header->comments_bytes))
        return "a record's header says what cannot be";
    mm_binary_divide(header);
    return NULL;
}

const char *mm_binary_get_head(const char *frame, const mm_binary_header *header, mm_binary_block *block) {
    int64_t due = block->number;
    block->raw_bytes = get32(frame + 16);
    block->frame_bytes = get32(frame + 20);
    block->number = (int64_t)get64(frame + 24);
    if (get64(frame + 32) != header->hash)
        return "a block of another record";
    if (block->number != due)
        return "a block is missing or out of order";
    if (frame[14] != 0 || frame[15] != 0 ||
        (int64_t)block->raw_bytes != mm_binary_block_raw_bytes(header, due))
        return "a block's header is damaged";
    return NULL;
}

size_t mm_binary_plain_head(const char *frame, size_t size, const mm_binary_block *block) {
    const size_t head = MM_BINARY_HEAD_BYTES + (size_t)block->frame_bytes;
    if (block->frame_bytes >= MM_BINARY_PAGE_BYTES || size != head + block->raw_bytes)
        return 0;
    for (size_t i = MM_BINARY_HEAD_BYTES; i < head; i++)
        if (frame[i] != 0)
            return 0;
    return head;
}

bool mm_binary_check_block(const char *frame, const void *zstd_frame, size_t size) {
    return get64(frame + 40) == block_hash(frame, zstd_frame, size);
}

const char *mm_binary_get_end(const char *frame, int64_t *count) {
    *count = (int64_t)get64(frame + 16);
    bool good =
        frame[14] == 0 && frame[15] == 0 && *count >= 0 && get64(frame + 24) == XXH3_64bits(frame, 24);
    return good ? NULL : "the end mark is damaged";
}

const char *mm_binary_get_giver(const char *frame, base_resident_name *name) {
    memcpy(name->token, frame + 16, sizeof name->token);
    name->device = get64(frame + 32);
    name->inode = get64(frame + 40);
    const bool good = frame[14] == 0 && frame[15] == 0 && get64(frame + 48) == XXH3_64bits(frame, 48);
    return good ? NULL : "a damaged frame";
}

const char *mm_binary_get_resident(const char *frame, const mm_binary_header *header,
                                   mm_binary_memory *memory) {
    static const char zeros[32];
    *memory = (mm_binary_memory){.bytes = (int64_t)get64(frame + 16),
                                 .is_hashed = (frame[24] & 1) != 0,
                                 .hash = get64(frame + 40),
                                 .device_first = (int64_t)get64(frame + 64),
                                 .device_bytes = (int64_t)get64(frame + 72)};
    memcpy(memory->uuid, frame + 48, sizeof memory->uuid);
    if (get64(frame + 80) != XXH3_64bits(frame, 80))
        return "a damaged frame";
    if (get64(frame + 32) != header->hash)
        return "the memory of another record";
    const bool on_device = (frame[24] & 2) != 0;
    bool good = frame[14] == 0 && frame[15] == 0 && (frame[24] & ~3) == 0 &&
                memcmp(frame + 25, zeros, 7) == 0 && on_device == (memory->device_bytes > 0);
    if (on_device)
        good = good && (header->kind == MM_H2 || header->kind == MM_MATRIX) && memory->device_first >= 0 &&
               memory->device_first <= memory->bytes &&
               memory->device_bytes <= memory->bytes - memory->device_first;
    else
        good = good && memcmp(frame + 48, zeros, 32) == 0;
    return good ? NULL : "a resident frame says what cannot be";
}

base_status mm_binary_cut_off(base_context *context, const char *what) {
    return base_fail(context, BASE_DAMAGED, "the binary stream is cut off in %s", what);
}
