/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/coding/piece_reader.h"
#include "base/core/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool mm_piece_buffer_grow(mm_piece_buffer *buffer, size_t wanted) {
    if (wanted <= buffer->room)
        return true;
    unsigned char *larger = base_alloc_silent((int64_t)wanted, 1);
    if (larger == NULL)
        return false;
    if (buffer->room > 0)
        memcpy(larger, buffer->data, buffer->room);
    free(buffer->data);
    *buffer = (mm_piece_buffer){larger, wanted};
    return true;
}

void mm_piece_reader_init(mm_piece_reader *reader, mm_bytes from, bool cuts) {
    *reader = (mm_piece_reader){.from = from, .cuts = cuts, .at_member = true, .is_patient = true};
}

/* Where a member seems to begin (RFC 1952: two bytes that identify it, deflate, no reserved flag), at
 * `start` or behind it; `size` if none does. */
static size_t find_member(const unsigned char *in, size_t start, size_t size) {
    for (size_t k = start; k + MM_GZIP_HEAD_BYTES <= size; k++) {
        const unsigned char *found = memchr(in + k, 0x1f, size - MM_GZIP_HEAD_BYTES + 1 - k);
        if (found == NULL)
            return size;
        k = (size_t)(found - in);
        if (found[1] == 0x8b && found[2] == 8 && (found[3] & 0xe0) == 0)
            return k;
    }
    return size;
}

/* One more step of input; false at the end. */
static bool read_step(mm_piece_reader *reader, mm_piece_buffer *buffer, size_t *size) {
    if (!mm_piece_buffer_grow(buffer, *size + MM_PIECE_LEAST_BYTES)) {
        reader->error = ENOMEM;
        reader->at_end = true;
    }
    if (reader->at_end)
        return false;
    const ssize_t count =
        reader->from.read(reader->from.self, buffer->data + *size, MM_PIECE_LEAST_BYTES, &reader->damage);
    if (count < 0)
        reader->error = errno != 0 ? errno : EIO;
    reader->at_end = count <= 0;
    *size += count > 0 ? (size_t)count : 0;
    return count > 0;
}

/* The first member behind the least of a piece ends it. 0: there is none in it. */
static size_t read_to_member(mm_piece_reader *reader, mm_piece_buffer *buffer, size_t *size) {
    size_t searched = MM_PIECE_LEAST_BYTES;
    while (read_step(reader, buffer, size) && reader->cuts) {
        const size_t end = find_member(buffer->data, searched, *size);
        if (end < *size)
            return end;
        if (*size >= MM_PIECE_MOST_BYTES || !reader->is_patient)
            return 0;
        if (*size > MM_PIECE_LEAST_BYTES + MM_GZIP_HEAD_BYTES)
            searched = *size - MM_GZIP_HEAD_BYTES + 1;
    }
    return 0;
}

size_t mm_piece_reader_next(mm_piece_reader *reader, mm_piece_buffer *buffer, bool *is_whole) {
    size_t size = 0;
    if (reader->kept_bytes > 0 && mm_piece_buffer_grow(buffer, reader->kept_bytes)) {
        memcpy(buffer->data, reader->kept, reader->kept_bytes);
        size = reader->kept_bytes;
        reader->kept_bytes = 0;
    }
    const size_t end = read_to_member(reader, buffer, &size);
    if (end > 0) {
        reader->kept_bytes = size - end;
        memcpy(reader->kept, buffer->data + end, reader->kept_bytes);
    }
    *is_whole = reader->cuts && reader->at_member && (end > 0 || reader->at_end);
    reader->at_member = reader->is_patient = end > 0;
    return end > 0 ? end : size;
}
