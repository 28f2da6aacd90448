/* SPDX-License-Identifier: BSD-3-Clause */
/* What finished records gave, in the file of --checkpoint: for programs that take one record after the other
 * and keep nothing of it afterwards. A run that goes on writes that again, and computes the records behind.
 *
 * The file begins as every state does (state.h), without a payload. Behind that it is appended to: a stream
 * of the binary form for each finished record. It begins with a state that has no payload and the keys
 * `journal.record`, the record's number, and `journal.input`, a hash of the record and its name; what the
 * record gave follows, which is records, or lines of a report as the payload of a state. The end mark says
 * that it is whole: what a killed program leaves behind the last one is cut off. So a save costs what was
 * finished since the one before, and memory does not grow with the input. */
#ifndef MM_STREAM_JOURNAL_H
#define MM_STREAM_JOURNAL_H

#include "base/run/checkpoint.h"
#include "base/run/identity.h"
#include "base/run/options.h"
#include "base/run/stop.h"
#include "mm/record/record.h"

typedef struct mm_journal mm_journal;

/* Of a file whose names are claimed (claim.h), kept by pointer. `identity`: program, version and options.
 * Nothing is read or written yet. */
base_status mm_journal_make(base_context *context, const char *path, const base_identity *identity,
                            const base_part *part, mm_journal **journal);
void mm_journal_close(mm_journal *journal); /* NULL is allowed */

/* Reads what is there, whose damage is told in `note` (empty: none), or begins the file. Fails with
 * BASE_USAGE where it is the state of something else, with BASE_DAMAGED where not even that can be read. */
base_status mm_journal_load(base_context *context, mm_journal *journal, char note[512]);

/* Saves what is finished at any moment, for base_run_saves, which also closes the journal. */
base_saver mm_journal_saver(mm_journal *journal);

/* Begins with record `number` of the input, from 1 and growing. *known: it is finished in the file, and
 * mm_journal_next gives what it gave. Fails with BASE_USAGE when the file is that of another input. */
base_status mm_journal_begin(base_context *context, mm_journal *journal, const mm_record *record,
                             int64_t number, bool *known);

/* The next that the known record gave; *found false behind the last. */
base_status mm_journal_next(base_context *context, mm_journal *journal, mm_record *given, bool *found);

/* Adds what the record under way gives. */
base_status mm_journal_put(base_context *context, mm_journal *journal, const mm_record *given);

/* The record under way is finished; without this it is forgotten when the next one begins. */
base_status mm_journal_end(base_context *context, mm_journal *journal);

/* After the last record: the file must not know more of them. */
base_status mm_journal_finish(base_context *context, const mm_journal *journal);

/* Saves, and fails with BASE_STOPPED and what is saved. */
base_status mm_journal_stop(base_context *context, mm_journal *journal);

#endif
