#include "mm/source/gunzip.h"
#include "base/core/memory.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

enum { INPUT_BYTES = 128 * 1024, GZIP_WINDOW_BITS = 15 + 16 };

struct mm_gunzip {
    mm_bytes from;
    z_stream stream;
    bool in_member, at_end;
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
    if (inflateInit2(&gunzip->stream, GZIP_WINDOW_BITS) != Z_OK) {
        free(gunzip);
        return NULL;
    }
    return gunzip;
}

void mm_gunzip_close(mm_gunzip *gunzip) {
    if (gunzip != NULL)
        inflateEnd(&gunzip->stream);
    free(gunzip);
}

/* Makes input visible to zlib; *found false at its end. */
static int fetch(mm_gunzip *gunzip, bool *found, const char **damage) {
    *found = true;
    if (gunzip->stream.avail_in > 0)
        return 0;
    ssize_t count = gunzip->from.read(gunzip->from.self, gunzip->buffer, sizeof gunzip->buffer, damage);
    if (count < 0)
        return -1;
    gunzip->stream.next_in = gunzip->buffer;
    gunzip->stream.avail_in = (uInt)count;
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
        if (*gunzip->stream.next_in != 0)
            break;
        padding = true;
        gunzip->stream.next_in++;
        gunzip->stream.avail_in--;
    }
    if (padding || *gunzip->stream.next_in != 0x1f) {
        *damage = "there is something else behind the gzip data";
        return -1;
    }
    inflateReset(&gunzip->stream);
    gunzip->in_member = true;
    return 0;
}

static ssize_t read_bytes(void *self, void *buffer, size_t size, const char **damage) {
    mm_gunzip *gunzip = self;
    z_stream *stream = &gunzip->stream;
    size_t most = size < INT32_MAX ? size : INT32_MAX;
    stream->next_out = buffer;
    stream->avail_out = (uInt)most;
    *damage = NULL;
    while (stream->avail_out > 0 && !gunzip->at_end) {
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
        int result = inflate(stream, Z_NO_FLUSH);
        if (result == Z_STREAM_END) {
            gunzip->in_member = false;
        } else if (result == Z_MEM_ERROR) {
            errno = ENOMEM;
            return -1;
        } else if (result != Z_OK && result != Z_BUF_ERROR) {
            *damage = "the gzip data are damaged";
            return -1;
        }
    }
    return (ssize_t)(most - stream->avail_out);
}

mm_bytes mm_gunzip_bytes(mm_gunzip *gunzip) {
    return (mm_bytes){read_bytes, gunzip};
}
