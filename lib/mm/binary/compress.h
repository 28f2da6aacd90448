/* SPDX-License-Identifier: BSD-3-Clause */
/* One zstd frame from one block of bytes and back. zstd is included in compress.c and nowhere else. */
#ifndef MM_BINARY_COMPRESS_H
#define MM_BINARY_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>

/* The workspace of one thread; NULL when there is no memory. It may serve any number of blocks. */
typedef struct mm_compressor mm_compressor;
mm_compressor *mm_compressor_open(void);
void mm_compressor_close(mm_compressor *compressor); /* NULL is allowed */

/* Room that a frame of `size` bytes may take at any level. */
size_t mm_compress_bound(size_t size);

/* Makes a frame with a content checksum; its size, or 0 when there is no memory. Level 0 stores: a frame of
 * raw blocks (RFC 8878), about as fast as memory is copied; level 1, made for pipes, stores what is small.
 * Levels above zstd's highest count as that. */
size_t mm_compress(mm_compressor *compressor, void *frame, size_t room, const void *data, size_t size,
                   int level);

/* Reads the frame, which must give exactly `size` bytes. Its content checksum is not looked at: the caller
 * has verified a hash of the frame. */
bool mm_decompress(mm_compressor *compressor, void *data, size_t size, const void *frame, size_t frame_size);

#endif
