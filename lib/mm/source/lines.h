/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines of a text file, packed or not (source.h), one after another. */
#ifndef MM_SOURCE_LINES_H
#define MM_SOURCE_LINES_H

#include "mm/source/source.h"

typedef struct mm_lines {
    mm_source *source;
    char *text;     /* the line, without its newline, with a NUL */
    int64_t number; /* of the line, from 1 */
    int64_t capacity;
} mm_lines;

/* Sets the context's place. Fails with BASE_USAGE if the file cannot be opened. */
base_status mm_lines_open(base_context *context, const char *path, mm_lines *lines);
void mm_lines_close(mm_lines *lines); /* NULL is allowed */

/* The next line; *found false at the end. Sets the line of the context's place. Fails with BASE_DAMAGED on a
 * line of more than 16 MiB and on damage of the packed file. O(line). */
base_status mm_lines_next(base_context *context, mm_lines *lines, bool *found);

#endif
