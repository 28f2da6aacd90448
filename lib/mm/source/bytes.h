/* SPDX-License-Identifier: BSD-3-Clause */
/* A way to get bytes, one stage of unpacking on top of the other. Private to the source's files. */
#ifndef MM_SOURCE_BYTES_H
#define MM_SOURCE_BYTES_H

#include <sys/types.h>

/* `read` gives 1 … `size` bytes, 0 at the end, or -1: with *damage saying what is wrong with the data, or
 * with *damage NULL and errno. *damage lives as long as `self`. */
typedef struct mm_bytes {
    ssize_t (*read)(void *self, void *buffer, size_t size, const char **damage);
    void *self;
} mm_bytes;

#endif
