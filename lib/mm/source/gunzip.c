/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/source/gunzip.h"
#include "base/core/memory.h"
#include "mm/source/isal.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

enum { INPUT_BYTES = 128 * 1024, GZIP_WINDOW_BITS = 15 + 16 };

struct mm_gunzip {
    mm_bytes from;
    mm_isal *isal;   /* NULL: zlib */
    z_stream stream; /* of zlib */
    bool in_member, at_end;
    const unsigned char *next; /* input that is not decoded yet */
    size_t left;
    unsigned char buffer[INPUT_BYTES];
};

mm_gunzip *mm_gunzip_open(mm_bytes from) {
    mm_gunzip *gunzip = base_alloc_silent(1, sizeof *gunzip);
    if (gunzip == NULL)
        return NULL;
    gunzip->from = from;
    gunzip->stream = (z_stream){0};
    gunzip->in_member = true;
    gunzip->at_end = false;
    gunzip->left = 0;
    gunzip->isal = mm_isal_open();
    if (gunzip->isal == NULL && inflateInit2(&gunzip->stream, GZIP_WINDOW_BITS) != Z_OK) {
        free(gunzip);
        return NULL;
    }
    return gunzip;
}

void mm_gunzip_close(mm_gunzip *gunzip) {
    if (gunzip == NULL)
        return;
    if (gunzip->isal == NULL)
        inflateEnd(&gunzip->stream);
    mm_isal_close(gunzip->isal);
    free(gunzip);
}

/* Makes input visible; *found false at its end. */
static int fetch(mm_gunzip *gunzip, bool *found, const char **damage) {
    *found = true;
    if (gunzip->left > 0)
        return 0;
    ssize_t count = gunzip->from.read(gunzip->from.self, gunzip->buffer, sizeof gunzip->buffer, damage);
    if (count < 0)
        return -1;
    gunzip->next = gunzip->buffer;
    gunzip->left = (size_t)count;
    *found = count > 0;
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
        if (*gunzip->next != 0)
            break;
        padding = true;
        gunzip->next++;
        gunzip->left--;
    }
    if (padding || *gunzip->next != 0x1f) {
        *damage = "there is something else behind the gzip data";
        return -1;
    }
    if (gunzip->isal != NULL)
        mm_isal_begin(gunzip->isal);
    else
        inflateReset(&gunzip->stream);
    gunzip->in_member = true;
    return 0;
}

static mm_isal_result run_zlib(mm_gunzip *gunzip, unsigned char **out, size_t *out_bytes, bool *no_memory) {
    z_stream *stream = &gunzip->stream;
    stream->next_in = (unsigned char *)(uintptr_t)gunzip->next;
    stream->avail_in = (uInt)gunzip->left;
    stream->next_out = *out;
    stream->avail_out = (uInt)*out_bytes;
    const int result = inflate(stream, Z_NO_FLUSH);
    gunzip->next = stream->next_in;
    gunzip->left = stream->avail_in;
    *out = stream->next_out;
    *out_bytes = stream->avail_out;
    *no_memory = result == Z_MEM_ERROR;
    if (result == Z_STREAM_END)
        return MM_ISAL_END;
    return result == Z_OK || result == Z_BUF_ERROR ? MM_ISAL_MORE : MM_ISAL_DAMAGED;
}

static int decode(mm_gunzip *gunzip, unsigned char **out, size_t *out_bytes, const char **damage) {
    bool no_memory = false;
    const mm_isal_result result =
        gunzip->isal != NULL ? mm_isal_run(gunzip->isal, &gunzip->next, &gunzip->left, out, out_bytes)
                             : run_zlib(gunzip, out, out_bytes, &no_memory);
    if (result == MM_ISAL_END)
        gunzip->in_member = false;
    if (result != MM_ISAL_DAMAGED)
        return 0;
    errno = ENOMEM;
    if (!no_memory)
        *damage = "the gzip data are damaged";
    return -1;
}

static ssize_t read_bytes(void *self, void *buffer, size_t size, const char **damage) {
    mm_gunzip *gunzip = self;
    const size_t most = size < INT32_MAX ? size : INT32_MAX;
    unsigned char *out = buffer;
    size_t room = most;
    *damage = NULL;
    while (room > 0 && !gunzip->at_end) {
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
