/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/coding/inflate.h"
#include "base/core/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

enum { GZIP_WINDOW_BITS = 15 + 16 };

typedef struct zlib {
    mm_inflate inflate;
    z_stream stream;
} zlib;

static void begin(mm_inflate *decoder) {
    inflateReset(&((zlib *)decoder)->stream);
}

static mm_inflate_result run(mm_inflate *decoder, const unsigned char **in, size_t *in_bytes,
                             unsigned char **out, size_t *out_bytes) {
    const size_t most = INT32_MAX;
    z_stream *stream = &((zlib *)decoder)->stream;
    stream->next_in = (unsigned char *)(uintptr_t)*in;
    stream->avail_in = (uInt)(*in_bytes < most ? *in_bytes : most);
    stream->next_out = *out;
    stream->avail_out = (uInt)(*out_bytes < most ? *out_bytes : most);
    const int result = inflate(stream, Z_NO_FLUSH);
    *in_bytes -= (size_t)(stream->next_in - *in);
    *in = stream->next_in;
    *out_bytes -= (size_t)(stream->next_out - *out);
    *out = stream->next_out;
    if (result == Z_STREAM_END)
        return MM_INFLATE_END;
    if (result == Z_MEM_ERROR)
        return MM_INFLATE_NO_MEMORY;
    return result == Z_OK || result == Z_BUF_ERROR ? MM_INFLATE_MORE : MM_INFLATE_DAMAGED;
}

static void close_zlib(mm_inflate *decoder) {
    inflateEnd(&((zlib *)decoder)->stream);
    free(decoder);
}

static mm_inflate *open_zlib(void) {
    zlib *own = base_alloc_silent(1, sizeof *own);
    if (own == NULL)
        return NULL;
    *own = (zlib){.inflate = {begin, run, close_zlib}};
    if (inflateInit2(&own->stream, GZIP_WINDOW_BITS) == Z_OK)
        return &own->inflate;
    free(own);
    return NULL;
}

mm_inflate *mm_inflate_open(void) {
    mm_inflate *isal = mm_inflate_open_isal();
    return isal != NULL ? isal : open_zlib();
}

void mm_inflate_close(mm_inflate *inflate) {
    if (inflate != NULL)
        inflate->close(inflate);
}
