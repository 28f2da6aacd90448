/* SPDX-License-Identifier: BSD-3-Clause */
/* Files on tmpfs (/dev/shm, often /tmp), which are memory. write(2) fills them page by page, one thread at a
 * time. To a part that is mapped all threads write, and its pages are huge: 6 GB take 0.3 seconds with 16
 * threads instead of 2.4. In small pages they would take 1.7, because each page passes one lock of the file.
 * On ext4 a mapping is slower than write(2). */
#ifndef BASE_RESIDENT_TMPFS_H
#define BASE_RESIDENT_TMPFS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A part of a file that is written. */
typedef struct base_tmpfs_part {
    int descriptor;        /* the caller's */
    int64_t offset, bytes; /* of the part in the file */
    int64_t file_bytes;    /* of the file before */
    char *memory;          /* from the last multiple of 2 MiB of the file on, at one of the memory */
    atomic_int error;      /* errno of the first failure; 0: there was none */
} base_tmpfs_part;

/* Maps the next `bytes` bytes from the descriptor's offset on, if it writes to a regular file on tmpfs and
 * they are 8 MiB or more. False: they have to be written. So they have where the descriptor appends, where
 * the file may not be read, and where the system cannot say that memory is short (before Linux 5.14). `name`
 * is the file's, for base_map_name. base_tmpfs_unmap ends what has begun. */
bool base_tmpfs_map(base_tmpfs_part *part, int descriptor, const char *name, int64_t bytes);

/* Where byte 0 of the part is. */
char *base_tmpfs_memory(const base_tmpfs_part *part);

/* Lengthens the file for bytes first … first + bytes - 1 of the part, and gives them pages, without which a
 * store would raise SIGBUS. By one thread; several may. False: no memory is left, or a limit is reached. */
bool base_tmpfs_fill(base_tmpfs_part *part, int64_t first, int64_t bytes);

/* Unmaps the part. With is_whole the descriptor's offset is behind it then. Without, and where
 * base_tmpfs_fill has failed (-1 and errno), the file is as long as before and the offset as it was. */
int base_tmpfs_unmap(base_tmpfs_part *part, bool is_whole);

#endif
