/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/coding/gunzip.h"
#include "base/core/memory.h"
#include "mm/coding/inflate.h"
#include "mm/coding/pieces.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct mm_gunzip {
    mm_pieces *pieces;
    mm_inflate *inflate;
    bool in_member, at_end;
    const unsigned char *next; /* input that is not decoded yet */
    size_t left;
    const unsigned char *decoded; /* what threads have decoded, at a member's end */
    size_t decoded_left;
};

mm_gunzip *mm_gunzip_open(mm_bytes from, int threads) {
    mm_gunzip *gunzip = base_alloc_silent(1, sizeof *gunzip);
    if (gunzip == NULL)
        return NULL;
    *gunzip = (mm_gunzip){.pieces = mm_pieces_open(from, threads), .inflate = mm_inflate_open()};
    if (gunzip->pieces == NULL || gunzip->inflate == NULL) {
        mm_gunzip_close(gunzip);
        return NULL;
    }
    return gunzip;
}

void mm_gunzip_close(mm_gunzip *gunzip) {
    if (gunzip == NULL)
        return;
    mm_pieces_close(gunzip->pieces);
    mm_inflate_close(gunzip->inflate);
    free(gunzip);
}

/* Makes input visible; *found false at its end. Between members there may be decoded bytes instead. */
static int fetch(mm_gunzip *gunzip, bool *found, const char **damage) {
    const mm_piece *piece;
    *found = true;
    if (gunzip->left > 0)
        return 0;
    if (mm_pieces_next(gunzip->pieces, &piece, damage) != 0)
        return -1;
    *found = piece != NULL;
    if (piece == NULL)
        return 0;
    gunzip->next = piece->in;
    gunzip->left = piece->in_bytes;
    if (piece->is_decoded && !gunzip->in_member) {
        gunzip->left = 0;
        gunzip->decoded = piece->out;
        gunzip->decoded_left = piece->out_bytes;
    }
    return 0;
}

/* Between members: the next member, or zeros (padding of tapes) up to the end. */
static int next_member(mm_gunzip *gunzip, const char **damage) {
    bool found, padding = false;
    for (;;) {
        if (fetch(gunzip, &found, damage) != 0)
            return -1;
        if (!found) {
            gunzip->at_end = true;
            return 0;
        }
        if (gunzip->left == 0 && !padding)
            return 0; /* decoded already */
        if (gunzip->left == 0 || *gunzip->next != 0)
            break;
        padding = true;
        gunzip->next++;
        gunzip->left--;
    }
    if (padding || *gunzip->next != 0x1f) {
        *damage = "there is something else behind the gzip data";
        return -1;
    }
    gunzip->inflate->begin(gunzip->inflate);
    gunzip->in_member = true;
    return 0;
}

static int decode(mm_gunzip *gunzip, unsigned char **out, size_t *out_bytes, const char **damage) {
    const mm_inflate_result result =
        gunzip->inflate->run(gunzip->inflate, &gunzip->next, &gunzip->left, out, out_bytes);
    if (result == MM_INFLATE_END)
        gunzip->in_member = false;
    if (result == MM_INFLATE_MORE || result == MM_INFLATE_END)
        return 0;
    errno = ENOMEM;
    if (result == MM_INFLATE_DAMAGED)
        *damage = "the gzip data are damaged";
    return -1;
}

static void take_decoded(mm_gunzip *gunzip, unsigned char **out, size_t *out_bytes) {
    const size_t count = gunzip->decoded_left < *out_bytes ? gunzip->decoded_left : *out_bytes;
    memcpy(*out, gunzip->decoded, count);
    *out += count;
    *out_bytes -= count;
    gunzip->decoded += count;
    gunzip->decoded_left -= count;
}

static ssize_t read_bytes(void *self, void *buffer, size_t size, const char **damage) {
    mm_gunzip *gunzip = self;
    const size_t most = size < INT32_MAX ? size : INT32_MAX;
    unsigned char *out = buffer;
    size_t room = most;
    *damage = NULL;
    while (room > 0 && !gunzip->at_end) {
        if (gunzip->decoded_left > 0) {
            take_decoded(gunzip, &out, &room);
            continue;
        }
        if (!gunzip->in_member) {
            if (next_member(gunzip, damage) != 0)
                return -1;
            continue;
        }
        bool found;
        if (fetch(gunzip, &found, damage) != 0)
            return -1;
        if (!found) {
            *damage = "the gzip data are cut off";
            return -1;
        }
        if (decode(gunzip, &out, &room, damage) != 0)
            return -1;
    }
    return (ssize_t)(most - room);
}

mm_bytes mm_gunzip_bytes(mm_gunzip *gunzip) {
    return (mm_bytes){read_bytes, gunzip};
}
