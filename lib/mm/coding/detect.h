/* SPDX-License-Identifier: BSD-3-Clause */
/* What an input is, by its first bytes. */
#ifndef MM_CODING_DETECT_H
#define MM_CODING_DETECT_H

#include <stdbool.h>
#include <stddef.h>

typedef enum mm_coding {
    MM_CODING_PLAIN,
    MM_CODING_GZIP,
    MM_CODING_ZSTD,
    MM_CODING_BZIP2,
    MM_CODING_XZ
} mm_coding;

/* Whether text in Matrix Market format begins here. */
enum { MM_BANNER_BYTES = 14 };
bool mm_banner_detect(const char *data, size_t size);

/* Six bytes are enough. */
mm_coding mm_coding_detect(const char *data, size_t size);

/* A tar archive begins with a header of 512 bytes. */
enum { MM_TAR_BLOCK_BYTES = 512 };
bool mm_tar_detect(const char *data, size_t size);

/* Each frame of the binary form (mm/binary) begins with zstd's number of a skippable frame, the frame's size,
 * and a mark of its own. Twelve bytes are enough. */
#define MM_BINARY_SKIPPABLE "\x5d\x2a\x4d\x18"
#define MM_BINARY_MARK "MMPB"
bool mm_binary_detect(const char *data, size_t size);

#endif
