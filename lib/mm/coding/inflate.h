/* SPDX-License-Identifier: BSD-3-Clause */
/* One gzip decoder: ISA-L's (isal.h) or, where that is missing, zlib's. Private to gunzip.c and pieces.c. */
#ifndef MM_CODING_INFLATE_H
#define MM_CODING_INFLATE_H

#include "mm/coding/isal.h"

typedef struct mm_inflate mm_inflate;

/* Ready for a member; NULL when there is no memory. */
mm_inflate *mm_inflate_open(void);
void mm_inflate_close(mm_inflate *inflate); /* NULL is allowed */

/* Begins another member. */
void mm_inflate_begin(mm_inflate *inflate);

/* As mm_isal_run. */
mm_isal_result mm_inflate_run(mm_inflate *inflate, const unsigned char **in, size_t *in_bytes,
                              unsigned char **out, size_t *out_bytes);

#endif
