/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of a part as a file, for libraries that want the name of one. */
#ifndef MM_ARRAYS_WHOLE_H
#define MM_ARRAYS_WHOLE_H

#include "base/run/output.h"
#include "mm/source/source.h"

typedef struct mm_whole {
    int descriptor;
    bool owned; /* the descriptor is one of memory, made here */
    int64_t bytes;
    char path[40]; /* a name that opens it */
} mm_whole;

/* The file of the source itself where there is one, else a file in memory with all that the source brings;
 * the source is at its end then. Fails with BASE_MACHINE beyond context->memory_bytes. */
base_status mm_whole_open(base_context *context, mm_source *source, mm_whole *whole);

/* An empty file in memory, to be written. */
base_status mm_whole_create(base_context *context, mm_whole *whole);

/* Bytes of it. Fails with BASE_DAMAGED when there are fewer, with BASE_MACHINE when they cannot be read. */
base_status mm_whole_read(base_context *context, const mm_whole *whole, int64_t offset, char *to,
                          size_t bytes);

/* All of it mapped into memory, whole->bytes (base_free_mapped); what is written there changes no file. NULL
 * where that is not possible or not wanted. */
char *mm_whole_map(const base_context *context, const mm_whole *whole);

/* Copies bytes of it to the output. */
base_status mm_whole_copy(base_context *context, const mm_whole *whole, int64_t offset, int64_t bytes,
                          base_output *output);

void mm_whole_close(mm_whole *whole); /* NULL, and one that is all zero, are allowed */

#endif
