/* SPDX-License-Identifier: BSD-3-Clause */
/* What the file of a journal (journal.h) has, read from its front. Private to journal.c. */
#ifndef MM_STREAM_JOURNAL_SOURCE_H
#define MM_STREAM_JOURNAL_SOURCE_H

#include "base/run/identity.h"
#include "mm/record/record.h"
#include "mm/source/source.h"

typedef struct mm_journal_source {
    const char *path;
    mm_source *source;   /* NULL: closed */
    base_context silent; /* of the source: its bytes are no progress of the input */
    int64_t pieces;      /* read of the stream that is under way */
} mm_journal_source;

/* Reads the state in front of `path`, which stays the caller's. Fails as mm_journal_load. */
base_status mm_journal_source_open(base_context *context, const char *path, const base_identity *identity,
                                   mm_journal_source *source);
void mm_journal_source_close(mm_journal_source *source); /* of one that was not opened, too */

/* The start of the next stream: the record of the input that it is about. */
base_status mm_journal_source_begin(base_context *context, mm_journal_source *source, int64_t *number,
                                    char hash[BASE_HASH_TEXT]);

/* The next that this record gave; *found false behind the last. */
base_status mm_journal_source_next(base_context *context, mm_journal_source *source, mm_record *given,
                                   bool *found);

/* Goes over the whole file: its bytes up to the last end mark, and the finished records in them. Damage ends
 * it as the end of the file does. */
base_status mm_journal_source_measure(base_context *context, const char *path, const base_identity *identity,
                                      int64_t *bytes, int64_t *records);

#endif
