/* SPDX-License-Identifier: BSD-3-Clause */
/* The marks that tell a whole stream from one that was cut: numbers of records, and their count at the end.
 */
#ifndef MM_STREAM_MARKS_H
#define MM_STREAM_MARKS_H

#include "mm/source/source.h"

typedef struct mm_marks {
    int64_t records; /* so far */
    bool numbered;   /* then there must be an end mark */
} mm_marks;

/* Takes the number that a record has, 0 for none. Fails with BASE_DAMAGED where another is due. */
base_status mm_marks_check_number(base_context *context, mm_marks *marks, int64_t number);

/* Takes the count of an end mark; another stream may follow. Fails with BASE_DAMAGED on another count. */
base_status mm_marks_check_count(base_context *context, mm_marks *marks, int64_t count);

/* Reads `%%End N` if it stands at the front of the source, and the blank lines behind it. *line: counted on.
 */
base_status mm_marks_read_end(base_context *context, mm_marks *marks, mm_source *source, int64_t *line,
                              bool *found);

#endif
