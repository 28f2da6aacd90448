/* SPDX-License-Identifier: BSD-3-Clause */
/* Gzip (RFC 1952): one or more members, each with its checksum and length verified, which libarchive's own
 * filter leaves out. inflate.h decodes a member; pieces.h has several decoded at once. Private to unpack.c.
 */
#ifndef MM_CODING_GUNZIP_H
#define MM_CODING_GUNZIP_H

#include "mm/coding/bytes.h"

typedef struct mm_gunzip mm_gunzip;

/* Reads ahead if `threads` is above 1. NULL when there is no memory. */
mm_gunzip *mm_gunzip_open(mm_bytes from, int threads);
void mm_gunzip_close(mm_gunzip *gunzip); /* NULL is allowed */
mm_bytes mm_gunzip_bytes(mm_gunzip *gunzip);

#endif
