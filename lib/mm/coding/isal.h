/* SPDX-License-Identifier: BSD-3-Clause */
/* ISA-L's gzip decoder, two to four times as fast as zlib's, loaded when a .gz is met. MMPIPE_LIBISAL names
 * another library. Private to inflate.c. */
#ifndef MM_CODING_ISAL_H
#define MM_CODING_ISAL_H

#include <stddef.h>

typedef struct mm_isal mm_isal;

/* NULL where the library is missing, or was when this was compiled, or there is no memory. */
mm_isal *mm_isal_open(void);
void mm_isal_close(mm_isal *isal); /* NULL is allowed */

/* Begins a member. */
void mm_isal_begin(mm_isal *isal);

typedef enum mm_isal_result { MM_ISAL_MORE, MM_ISAL_END, MM_ISAL_DAMAGED, MM_ISAL_NO_MEMORY } mm_isal_result;

/* Decodes what there is room for; the four are moved on. MM_ISAL_END: the member has ended, and its checksum
 * and length are right. */
mm_isal_result mm_isal_run(mm_isal *isal, const unsigned char **in, size_t *in_bytes, unsigned char **out,
                           size_t *out_bytes);

#endif
