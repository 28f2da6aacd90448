/* SPDX-License-Identifier: BSD-3-Clause */
/* One gzip decoder: ISA-L's (isal.c), two to four times as fast as zlib's, or, where that is missing, zlib's.
 * Private to gunzip.c and pieces.c. */
#ifndef MM_CODING_INFLATE_H
#define MM_CODING_INFLATE_H

#include <stddef.h>

typedef enum mm_inflate_result {
    MM_INFLATE_MORE,
    MM_INFLATE_END, /* the member has ended, and its checksum and length are right */
    MM_INFLATE_DAMAGED,
    MM_INFLATE_NO_MEMORY
} mm_inflate_result;

/* What the two have in common; the state of either is behind it. */
typedef struct mm_inflate mm_inflate;
struct mm_inflate {
    /* Begins another member. */
    void (*begin)(mm_inflate *inflate);
    /* Decodes what there is room for; the four are moved on. */
    mm_inflate_result (*run)(mm_inflate *inflate, const unsigned char **in, size_t *in_bytes,
                             unsigned char **out, size_t *out_bytes);
    void (*close)(mm_inflate *inflate);
};

/* Ready for a member; NULL when there is no memory. */
mm_inflate *mm_inflate_open(void);
void mm_inflate_close(mm_inflate *inflate); /* NULL is allowed */

/* ISA-L's, loaded when a .gz is met (MMPIPE_LIBISAL names another library). NULL where the library is
 * missing, or was when this was compiled, or there is no memory. */
mm_inflate *mm_inflate_open_isal(void);

#endif
