/* SPDX-License-Identifier: BSD-3-Clause */
/* Gzip input, read in pieces that end where another member seems to begin. Private to pieces.c. */
#ifndef MM_CODING_PIECE_READER_H
#define MM_CODING_PIECE_READER_H

#include "mm/coding/bytes.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    MM_PIECE_LEAST_BYTES = 128 * 1024,     /* read at once, and the least of a piece that is cut */
    MM_PIECE_MOST_BYTES = 4 * 1024 * 1024, /* where no member begins */
    MM_GZIP_HEAD_BYTES = 4                 /* of a member, by which it is found */
};

typedef struct mm_piece_buffer {
    unsigned char *data; /* released with free */
    size_t room;
} mm_piece_buffer;

/* Room for `wanted` bytes behind what there is; false when there is no memory. */
bool mm_piece_buffer_grow(mm_piece_buffer *buffer, size_t wanted);

typedef struct mm_piece_reader {
    mm_bytes from;
    bool cuts; /* else a piece is what one read gives */

    unsigned char kept[MM_PIECE_LEAST_BYTES + MM_GZIP_HEAD_BYTES]; /* read behind the last piece */
    size_t kept_bytes;
    bool at_member;  /* a member seems to begin with what comes next */
    bool is_patient; /* a piece grows until another member begins */
    bool at_end;
    int error; /* errno of the end, with the damage; 0: none */
    const char *damage;
} mm_piece_reader;

void mm_piece_reader_init(mm_piece_reader *reader, mm_bytes from, bool cuts);

/* Reads a piece; 0 bytes: there is none. *is_whole: it begins where a member seems to, and ends where one
 * seems to end. */
size_t mm_piece_reader_next(mm_piece_reader *reader, mm_piece_buffer *buffer, bool *is_whole);

#endif
