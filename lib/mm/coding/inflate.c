/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/coding/inflate.h"
#include "base/core/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

enum { GZIP_WINDOW_BITS = 15 + 16 };

struct mm_inflate {
    mm_isal *isal;   /* NULL: zlib */
    z_stream stream; /* of zlib */
};

mm_inflate *mm_inflate_open(void) {
    mm_inflate *inflate = base_alloc_silent(1, sizeof *inflate);
    if (inflate == NULL)
        return NULL;
    inflate->stream = (z_stream){0};
    inflate->isal = mm_isal_open();
    if (inflate->isal == NULL && inflateInit2(&inflate->stream, GZIP_WINDOW_BITS) != Z_OK) {
        free(inflate);
        return NULL;
    }
    return inflate;
}

void mm_inflate_close(mm_inflate *inflate) {
    if (inflate == NULL)
        return;
    if (inflate->isal == NULL)
        inflateEnd(&inflate->stream);
    mm_isal_close(inflate->isal);
    free(inflate);
}

void mm_inflate_begin(mm_inflate *inflate) {
    if (inflate->isal != NULL)
        mm_isal_begin(inflate->isal);
    else
        inflateReset(&inflate->stream);
}

static mm_isal_result run_zlib(z_stream *stream, const unsigned char **in, size_t *in_bytes,
                               unsigned char **out, size_t *out_bytes) {
    const size_t most = INT32_MAX;
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
        return MM_ISAL_END;
    if (result == Z_MEM_ERROR)
        return MM_ISAL_NO_MEMORY;
    return result == Z_OK || result == Z_BUF_ERROR ? MM_ISAL_MORE : MM_ISAL_DAMAGED;
}

mm_isal_result mm_inflate_run(mm_inflate *inflate, const unsigned char **in, size_t *in_bytes,
                              unsigned char **out, size_t *out_bytes) {
    return inflate->isal != NULL ? mm_isal_run(inflate->isal, in, in_bytes, out, out_bytes)
                                 : run_zlib(&inflate->stream, in, in_bytes, out, out_bytes);
}
