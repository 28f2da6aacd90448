/* SPDX-License-Identifier: BSD-3-Clause */
/* Gzip input in pieces that end where another member seems to begin. Threads decode them ahead: several
 * members at once, as bgzip, `pigz -i` and `cat *.gz` make them. What seems to be a member's beginning may
 * be data of another one; then the piece is no whole number of members, and whoever takes it decodes it in
 * its place. So nothing depends on the guess but the time.
 *
 * Members of up to 4 MiB are found; a larger one is decoded by one thread, in pieces. Memory: 16 MiB of
 * input and at most 8 times as much of output. Private to gunzip.c. */
#ifndef MM_CODING_PIECES_H
#define MM_CODING_PIECES_H

#include "mm/coding/bytes.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct mm_piece {
    const unsigned char *in, *out;
    size_t in_bytes, out_bytes;
    bool is_decoded; /* `out` holds what it is, read from a member's beginning; it ends with a member */
} mm_piece;

typedef struct mm_pieces mm_pieces;

/* NULL when there is no memory. With one thread nothing is read before it is asked for. */
mm_pieces *mm_pieces_open(mm_bytes from, int threads);
void mm_pieces_close(mm_pieces *pieces); /* NULL is allowed */

/* The next piece, in order; NULL at the end. Valid until the next call. -1 as in bytes.h. */
int mm_pieces_next(mm_pieces *pieces, const mm_piece **piece, const char **damage);

#endif
