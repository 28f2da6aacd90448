/* SPDX-License-Identifier: BSD-3-Clause */
/* The binary form: the bytes as they are, and once more with every hash made right, as a forger would. */
#include "check.h"
#include "mm/binary/internal.h"

#include <endian.h>
#include <string.h>
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void read_binary(const void *data, size_t size) {
    base_context context;
    mm_source *source;
    const char *name;
    bool found, end = false;
    int64_t number;
    mm_record record;
    base_context_init(&context);
    context.threads = size % 16 == 0 ? 2 : 1;
    mm_record_init(&record);
    if (mm_source_open_memory(&context, data, size, &source) != BASE_OK)
        return;
    if (mm_source_next_part(&context, source, &name, &found) == BASE_OK && found)
        while (!end && mm_binary_read(&context, source, &record, &end, &number) == BASE_OK)
            if (!end)
                check_record(&record);
    mm_record_free(&record);
    mm_source_close(source);
}

static void put64(char *to, uint64_t value) {
    value = htole64(value);
    memcpy(to, &value, sizeof value);
}

/* Goes from frame to frame as their sizes say and hashes each anew. */
static void forge(char *data, size_t size) {
    char *at = data, *end = data + size;
    uint64_t record_hash = 0;
    while (end - at >= MM_BINARY_END_BYTES) {
        uint32_t frame_bytes, zstd_bytes;
        mm_binary_frame type = (mm_binary_frame)at[13];
        memcpy(at, "\x5d\x2a\x4d\x18", 4);
        memcpy(at + 8, "MMPB\x01", 5);
        memcpy(&frame_bytes, at + 4, 4);
        frame_bytes = le32toh(frame_bytes) + 8;
        if (type == MM_FRAME_RECORD && frame_bytes >= MM_BINARY_RECORD_BYTES && frame_bytes <= end - at) {
            record_hash = XXH3_64bits(at, frame_bytes - 8);
            put64(at + frame_bytes - 8, record_hash);
            at += frame_bytes;
        } else if (type == MM_FRAME_BLOCK && end - at > MM_BINARY_HEAD_BYTES) {
            memcpy(&zstd_bytes, at + 20, 4);
            zstd_bytes = le32toh(zstd_bytes);
            if (zstd_bytes > end - at - MM_BINARY_HEAD_BYTES)
                return;
            put64(at + 32, record_hash);
            put64(at + 40, XXH3_64bits_withSeed(at + MM_BINARY_HEAD_BYTES, zstd_bytes, XXH3_64bits(at, 40)));
            at += MM_BINARY_HEAD_BYTES + zstd_bytes;
        } else {
            put64(at + 24, XXH3_64bits(at, 24));
            at += MM_BINARY_END_BYTES;
        }
    }
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    read_binary(data, size);
    char *forged = malloc(size + 1);
    if (forged == NULL)
        return 0;
    memcpy(forged, data, size);
    forge(forged, size);
    read_binary(forged, size);
    free(forged);
    return 0;
}
