/* SPDX-License-Identifier: BSD-3-Clause */
/* Members of a zip archive that is in memory, and small archives: what NumPy's .npz files need. */
#ifndef MM_CODING_ZIP_H
#define MM_CODING_ZIP_H

#include "base/run/output.h"

typedef struct mm_zip_content {
    const char *at; /* in the archive where it is stored there as it is, else what was made */
    size_t bytes;
    char *made; /* to be freed */
} mm_zip_content;

/* Member `index` (from 0): its name, to be freed, and content; *found false when there are fewer. Contents
 * beyond `most` bytes are refused. Fails with BASE_DAMAGED. */
base_status mm_zip_find(base_context *context, const void *data, size_t size, int64_t index, size_t most,
                        char **name, mm_zip_content *content, bool *found);

/* The same with a content of the caller's own, to be freed. */
base_status mm_zip_read(base_context *context, const void *data, size_t size, int64_t index, size_t most,
                        char **name, char **content, size_t *content_bytes, bool *found);

typedef struct mm_zip_member {
    const char *name;
    const void *head; /* what stands before the content; NULL where head_bytes is 0 */
    size_t head_bytes;
    const void *content;
    size_t bytes; /* of the content */
} mm_zip_member;

/* Writes an archive with these members, without compression or time. */
base_status mm_zip_write(base_context *context, base_output *output, const mm_zip_member *members, int count);

#endif
