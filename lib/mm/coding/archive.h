/* SPDX-License-Identifier: BSD-3-Clause */
/* What libarchive does for us: decompression, and the members of a tar archive. Private to unpack.c. */
#ifndef MM_CODING_ARCHIVE_H
#define MM_CODING_ARCHIVE_H

#include "mm/coding/bytes.h"
#include "mm/coding/detect.h"

typedef struct mm_archive mm_archive;

/* NULL, or why there is no libarchive; without it nothing below may be called. */
const char *mm_archive_missing(void);

/* Zstd, bzip2 or xz data, or a tar archive, in the bytes of `from`. NULL when there is no memory. */
mm_archive *mm_archive_open_coded(mm_bytes from, mm_coding coding);
mm_archive *mm_archive_open_tar(mm_bytes from);
void mm_archive_close(mm_archive *archive); /* NULL is allowed */

/* The decompressed data. */
mm_bytes mm_archive_bytes(mm_archive *archive);

/* Steps to the archive's next regular file, whose data mm_archive_bytes then gives: 1, or 0 at the end, or -1
 * as mm_bytes has it. Links, folders and devices are passed over; an absolute name or one with ".." is
 * damage. *name lives until the next call. */
int mm_archive_next(mm_archive *archive, const char **name, const char **damage);

#endif
