/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/binary/compress.h"
#include "base/core/memory.h"
#define ZSTD_STATIC_LINKING_ONLY /* ZSTD_d_forceIgnoreChecksum */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

/* The frame that level 0 makes: magic, descriptor, size of the content; raw blocks; checksum (RFC 8878,
 * section 3.1). */
enum {
    RAW_BLOCK_BYTES = 128 * 1024, /* the most that the format allows */
    RAW_DESCRIPTOR = 0xa4,        /* content size in 4 bytes, single segment, checksum */
    RAW_HEADER_BYTES = 9,
    BLOCK_HEADER_BYTES = 3,
    CHECKSUM_BYTES = 4,
    /* Below this, setting up zstd takes longer than to write the numbers as text. */
    LEAST_BYTES_AT_LEVEL_1 = 16 * 1024
};

struct mm_compressor {
    ZSTD_CCtx *packing;
    ZSTD_DCtx *unpacking;
};

mm_compressor *mm_compressor_open(void) {
    mm_compressor *compressor = base_alloc_silent(1, sizeof *compressor);
    if (compressor != NULL)
        *compressor = (mm_compressor){NULL, NULL};
    return compressor;
}

void mm_compressor_close(mm_compressor *compressor) {
    if (compressor == NULL)
        return;
    ZSTD_freeCCtx(compressor->packing);
    ZSTD_freeDCtx(compressor->unpacking);
    free(compressor);
}

static size_t raw_frame_bytes(size_t size) {
    size_t blocks = size == 0 ? 1 : (size + RAW_BLOCK_BYTES - 1) / RAW_BLOCK_BYTES;
    return RAW_HEADER_BYTES + blocks * BLOCK_HEADER_BYTES + size + CHECKSUM_BYTES;
}

size_t mm_compress_bound(size_t size) {
    size_t raw = raw_frame_bytes(size), packed = ZSTD_compressBound(size) + CHECKSUM_BYTES;
    return raw > packed ? raw : packed;
}

static char *put_bytes(char *to, uint64_t value, int count) {
    for (int i = 0; i < count; i++)
        *to++ = (char)(value >> 8 * i);
    return to;
}

static size_t store(char *frame, const char *data, size_t size) {
    uint64_t checksum = XXH64(data, size, 0);
    char *to = put_bytes(frame, ZSTD_MAGICNUMBER, 4);
    to = put_bytes(to, RAW_DESCRIPTOR, 1);
    to = put_bytes(to, size, 4);
    size_t left = size;
    do {
        size_t count = left < RAW_BLOCK_BYTES ? left : RAW_BLOCK_BYTES;
        bool last = count == left;
        to = put_bytes(to, count << 3 | last, BLOCK_HEADER_BYTES);
        memcpy(to, data, count);
        to += count;
        data += count;
        left -= count;
    } while (left > 0);
    to = put_bytes(to, checksum, CHECKSUM_BYTES);
    return (size_t)(to - frame);
}

static uint64_t get_bytes(const unsigned char *from, int count) {
    uint64_t value = 0;
    for (int i = 0; i < count; i++)
        value |= (uint64_t)from[i] << 8 * i;
    return value;
}

/* Reads a frame of that layout; false if it is of another. */
static bool take_stored(char *data, size_t size, const unsigned char *frame, size_t frame_size) {
    if (frame_size != raw_frame_bytes(size) || get_bytes(frame, 4) != ZSTD_MAGICNUMBER ||
        frame[4] != RAW_DESCRIPTOR || get_bytes(frame + 5, 4) != size)
        return false;
    const unsigned char *from = frame + RAW_HEADER_BYTES;
    size_t left = size;
    do {
        size_t count = left < RAW_BLOCK_BYTES ? left : RAW_BLOCK_BYTES;
        if (get_bytes(from, BLOCK_HEADER_BYTES) != (count << 3 | (count == left)))
            return false;
        from += BLOCK_HEADER_BYTES;
        memcpy(data, from, count);
        data += count;
        from += count;
        left -= count;
    } while (left > 0);
    return true;
}

size_t mm_compress(mm_compressor *compressor, void *frame, size_t room, const void *data, size_t size,
                   int level) {
    if (level <= 0 || (level == 1 && size < LEAST_BYTES_AT_LEVEL_1))
        return raw_frame_bytes(size) <= room ? store(frame, data, size) : 0;
    if (compressor->packing == NULL) {
        compressor->packing = ZSTD_createCCtx();
        if (compressor->packing == NULL)
            return 0;
        ZSTD_CCtx_setParameter(compressor->packing, ZSTD_c_checksumFlag, 1);
    }
    int highest = ZSTD_maxCLevel();
    ZSTD_CCtx_setParameter(compressor->packing, ZSTD_c_compressionLevel, level < highest ? level : highest);
    size_t made = ZSTD_compress2(compressor->packing, frame, room, data, size);
    return ZSTD_isError(made) ? 0 : made;
}

bool mm_decompress(mm_compressor *compressor, void *data, size_t size, const void *frame, size_t frame_size) {
    /* zstd would do, but making its context asks the processor for its features, which takes longer in a
     * virtual machine than reading a small record. */
    if (take_stored(data, size, frame, frame_size))
        return true;
    if (compressor->unpacking == NULL) {
        compressor->unpacking = ZSTD_createDCtx();
        if (compressor->unpacking == NULL)
            return false;
        ZSTD_DCtx_setParameter(compressor->unpacking, ZSTD_d_forceIgnoreChecksum, ZSTD_d_ignoreChecksum);
    }
    return ZSTD_decompressDCtx(compressor->unpacking, data, size, frame, frame_size) == size;
}
