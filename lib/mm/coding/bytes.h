/* SPDX-License-Identifier: BSD-3-Clause */
/* A way to get bytes, one stage of unpacking on top of the other.
 *
 * The room: detect.h tells by the first bytes how an input is packed. gunzip.h decodes gzip, several members
 * at once (pieces.h), by ISA-L or zlib (inflate.h). archive.h decodes zstd, bzip2 and xz and takes tar
 * archives apart, by libarchive (libarchive.h), which is loaded when such an input is met. zip.h is apart:
 * whole archives in memory, for .npz.
 */
#ifndef MM_CODING_BYTES_H
#define MM_CODING_BYTES_H

#include <sys/types.h>

/* `read` gives 1 … `size` bytes, 0 at the end, or -1: with *damage saying what is wrong with the data, or
 * with *damage NULL and errno. *damage lives as long as `self`. */
typedef struct mm_bytes {
    ssize_t (*read)(void *self, void *buffer, size_t size, const char **damage);
    void *self;
} mm_bytes;

#endif
