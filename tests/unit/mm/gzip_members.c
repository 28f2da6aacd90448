/* SPDX-License-Identifier: BSD-3-Clause */
/* Gzip files of several members, which threads decode ahead: the same bytes as they were packed from, however
 * the members lie, and with members inside the data of others. zlib packs them. */
#include "base/core/random.h"
#include "mm/source/source.h"
#include "tests/support/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { MOST_BYTES = 24 << 20, FILES = 60 };

typedef struct bytes {
    unsigned char *data;
    size_t size;
} bytes;

static base_random random_numbers;

static size_t below(size_t bound) {
    return (size_t)base_random_below(&random_numbers, bound);
}

static void append(bytes *to, const void *data, size_t size) {
    memcpy(to->data + to->size, data, size);
    to->size += size;
}

static void append_member(bytes *to, const void *data, size_t size, int level) {
    z_stream stream = {.next_in = (unsigned char *)(uintptr_t)data, .avail_in = (uInt)size};
    if (deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        exit(2);
    stream.next_out = to->data + to->size;
    stream.avail_out = (uInt)(MOST_BYTES - to->size);
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
        exit(2);
    to->size = (size_t)(stream.next_out - to->data);
    deflateEnd(&stream);
}

/* Letters, few or many, so that members shrink by factors of 1.7 to 1000. */
static void append_text(bytes *to, size_t size) {
    const size_t letters = below(3) == 0 ? 1 : 2 + below(24);
    for (size_t k = 0; k < size; k++)
        to->data[to->size++] = (unsigned char)('a' + below(letters));
}

/* Data of a member: text, or whole members with text around them. */
static void append_data(bytes *to, bytes *text) {
    text->size = 0;
    append_text(text, below(8) == 0 ? 0 : below(below(2) ? 600000 : 3000));
    if (below(3) != 0) {
        append(to, text->data, text->size);
        return;
    }
    for (size_t k = 1 + below(4); k > 0; k--)
        append_member(to, text->data, text->size, 0);
    if (below(2))
        append(to, text->data, text->size);
}

static bool is_read(base_context *context, const char *path, const bytes *want) {
    mm_source *source = NULL;
    const char *name, *data;
    bool found = false, equal = true;
    size_t offset = 0, size;
    base_status status = mm_source_open(context, path, &source);
    if (status == BASE_OK)
        status = mm_source_next_part(context, source, &name, &found);
    while (status == BASE_OK && equal && !mm_source_at_end(source)) {
        status = mm_source_peek(context, source, 1 + below(100000), &data, &size);
        if (status != BASE_OK)
            break;
        equal = size <= want->size - offset && memcmp(data, want->data + offset, size) == 0;
        offset += size;
        mm_source_skip(source, size);
    }
    mm_source_close(source);
    return status == BASE_OK && found && equal && offset == want->size;
}

static void append_number(bytes *to, uint32_t number, int size) {
    for (int k = 0; k < size; k++)
        append(to, &(unsigned char){(unsigned char)(number >> 8 * k)}, 1);
}

/* A stored block's head (RFC 1951). */
static void append_block(bytes *to, bool is_last, uint32_t size) {
    append_number(to, is_last, 1);
    append_number(to, size, 2);
    append_number(to, ~size, 2);
}

static void append_checks(bytes *to, const unsigned char *data, size_t size) {
    append_number(to, (uint32_t)crc32(crc32(0, NULL, 0), data, (uInt)size), 4);
    append_number(to, (uint32_t)size, 4);
}

/* A member of stored blocks, every one of whose heads but the first lies in the extra field of a member that
 * is data of the block before: from the first of these on, the file looks like whole members. */
static void append_nested(bytes *to, bytes *want, bytes *text) {
    enum { NESTED = 12, BLOCK = 65535, BEFORE = 14, EXTRA = 7, SIZE = BLOCK + 5 - 10 - 2 - EXTRA - 5 - 8 };
    static const unsigned char head[10] = {0x1f, 0x8b, 8}, with_extra[10] = {0x1f, 0x8b, 8, 4};
    const size_t outer = to->size + 10;
    text->size = 0;
    append_text(text, BLOCK);
    append(to, head, 10);
    append_block(to, false, BLOCK);
    append(to, text->data, BLOCK - BEFORE);
    for (int k = 0; k < NESTED; k++) {
        append(to, with_extra, 10);
        append_number(to, EXTRA, 2);
        append(to, "ex", 2);
        append_block(to, k == NESTED - 1, BLOCK);
        append_block(to, true, SIZE);
        append(to, text->data, SIZE);
        append_checks(to, text->data, SIZE);
    }
    append(to, text->data, BEFORE);
    const size_t begin = want->size;
    for (size_t at = outer; at < to->size; at += BLOCK + 5)
        append(want, to->data + at + 5, BLOCK);
    append_checks(to, want->data + begin, want->size - begin);
}

static void write_file(const char *path, const bytes *packed) {
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(packed->data, 1, packed->size, file) != packed->size || fclose(file) != 0)
        exit(2);
}

static int count_wrong(base_context *context, const char *path, int threads, const bytes *want) {
    context->threads = threads;
    return !is_read(context, path, want);
}

int main(void) {
    base_context context;
    char path[] = "/tmp/mmpipe-members.XXXXXX";
    const int descriptor = mkstemp(path);
    bytes packed = {malloc(MOST_BYTES), 0}, text = {malloc(MOST_BYTES), 0}, data = {malloc(MOST_BYTES), 0},
          want = {malloc(MOST_BYTES), 0};
    base_context_init(&context);
    base_random_init(&random_numbers, 20261123, 1);
    if (descriptor < 0 || !packed.data || !text.data || !data.data || !want.data)
        return 2;
    int wrong[3] = {0, 0, 0};
    static const int threads[] = {1, 2, 5};
    for (int file = 0; file < FILES; file++) {
        packed.size = want.size = 0;
        append_member(&packed, "", 0, 6); /* a file of none is no gzip */
        for (size_t member = below(12); member > 0; member--) {
            data.size = 0;
            append_data(&data, &text);
            append(&want, data.data, data.size);
            append_member(&packed, data.data, data.size, (int)below(3) * 3);
        }
        for (size_t zeros = below(5) == 0 ? below(300000) : 0; zeros > 0; zeros--)
            append(&packed, "", 1);
        write_file(path, &packed);
        for (int k = 0; k < 3; k++)
            wrong[k] += count_wrong(&context, path, threads[k], &want);
    }
    for (int k = 0; k < 3; k++)
        tap_ok(wrong[k] == 0, "%d files of members, %d threads: the bytes (%d wrong)", FILES, threads[k],
               wrong[k]);
    packed.size = want.size = 0;
    append_nested(&packed, &want, &text);
    append_member(&packed, text.data, text.size, 6);
    append(&want, text.data, text.size);
    write_file(path, &packed);
    for (int k = 0; k < 3; k++)
        tap_ok(count_wrong(&context, path, threads[k], &want) == 0,
               "a member that looks like whole members from its middle on, %d threads", threads[k]);
    close(descriptor);
    unlink(path);
    free(packed.data);
    free(text.data);
    free(data.data);
    free(want.data);
    return tap_done();
}
