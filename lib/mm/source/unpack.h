/* SPDX-License-Identifier: BSD-3-Clause */
/* Compressed data and tar archives, unpacked on a thread of its own so that unpacking and parsing overlap.
 * Private to source.c. */
#ifndef MM_SOURCE_UNPACK_H
#define MM_SOURCE_UNPACK_H

#include "base/core/context.h"
#include "mm/coding/archive.h"
#include "mm/source/input.h"

typedef struct mm_unpack mm_unpack;

/* Starts unpacking `input`, which is copied; its descriptor and bytes stay the caller's and must live until
 * mm_unpack_close. Compressed data may hold a tar archive or anything else; plain data are an archive. */
base_status mm_unpack_open(base_context *context, const mm_input *input, mm_coding coding,
                           mm_unpack **unpack);

/* Stops, even if the input has nothing to say, and frees. NULL is allowed. */
void mm_unpack_close(mm_unpack *unpack);

/* As mm_source_next_part; passes over what was not read of the last part. */
base_status mm_unpack_next_part(base_context *context, mm_unpack *unpack, const char **name, bool *found);

/* At most `size` bytes of the part, *count 0 at its end. */
base_status mm_unpack_read(base_context *context, mm_unpack *unpack, char *buffer, size_t size,
                           size_t *count);

#endif
