/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/coding/detect.h"

#include <string.h>
#include <strings.h>

bool mm_banner_detect(const char *data, size_t size) {
    return size >= MM_BANNER_BYTES && strncasecmp(data, "%%MatrixMarket", MM_BANNER_BYTES) == 0;
}

mm_coding mm_coding_detect(const char *data, size_t size) {
    static const struct {
        const char *magic;
        size_t size;
        mm_coding coding;
    } known[] = {{"\x1f\x8b", 2, MM_CODING_GZIP},
                 {"\x28\xb5\x2f\xfd", 4, MM_CODING_ZSTD},
                 {"BZh", 3, MM_CODING_BZIP2},
                 {"\3757zXZ", 6, MM_CODING_XZ}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (size >= known[i].size && memcmp(data, known[i].magic, known[i].size) == 0)
            return known[i].coding;
    if (size >= 4 && ((unsigned char)data[0] & 0xf0) == 0x50 && memcmp(data + 1, "\x2a\x4d\x18", 3) == 0)
        return MM_CODING_ZSTD; /* it begins with a skippable frame */
    return MM_CODING_PLAIN;
}

/* By the header's checksum, in which its own field counts as blanks (POSIX, ustar). Older archives have no
 * other mark. */
bool mm_tar_detect(const char *data, size_t size) {
    unsigned sum = 0, stored = 0;
    int i = 148;
    if (size < MM_TAR_BLOCK_BYTES || data[0] == 0)
        return false;
    for (int k = 0; k < MM_TAR_BLOCK_BYTES; k++)
        sum += k >= 148 && k < 156 ? ' ' : (unsigned char)data[k];
    while (i < 156 && data[i] == ' ')
        i++;
    while (i < 156 && data[i] >= '0' && data[i] <= '7')
        stored = stored * 8 + (unsigned)(data[i++] - '0');
    return sum == stored;
}

bool mm_binary_detect(const char *data, size_t size) {
    return size >= 12 && memcmp(data, MM_BINARY_SKIPPABLE, 4) == 0 &&
           memcmp(data + 8, MM_BINARY_MARK, 4) == 0;
}
