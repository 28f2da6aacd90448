/* SPDX-License-Identifier: BSD-3-Clause */
/* A stream of records to an output. A lone matrix in text form gets neither number nor end mark, so the first
 * record is held back until a second one or the end comes. */
#ifndef MM_STREAM_WRITER_H
#define MM_STREAM_WRITER_H

#include "base/run/output.h"
#include "mm/formats/formats.h"
#include "mm/record/record.h"

typedef struct mm_writer mm_writer;

/* Writes to `output`, which stays the caller's. `level`: compression of the binary form, 0 for none. The
 * resident form hands the content of records over in memory, with `hashed` also their hashes; BASE_FAILED
 * where the output is no pipe, BASE_USAGE when what is no text would go to a terminal. */
base_status mm_writer_open(base_context *context, base_output *output, base_form form, int level, bool hashed,
                           mm_writer **writer);

/* Writes that format, which must be one that is written, instead of Matrix Market text or the binary form.
 * Before
 * the first record. Fails with BASE_USAGE as mm_writer_open. */
base_status mm_writer_set_format(base_context *context, mm_writer *writer, const mm_file_format *format);

/* Leaves out numbers and end mark of the text form: records for tools that take a file apart at its banners.
 */
void mm_writer_drop_marks(mm_writer *writer);

/* Writes the record and leaves it empty. A format that holds one matrix fails with BASE_FAILED on a second.
 */
base_status mm_writer_put(base_context *context, mm_writer *writer, mm_record *record);

/* Ends the stream with its mark, the file as its format demands. */
base_status mm_writer_finish(base_context *context, mm_writer *writer);
void mm_writer_close(mm_writer *writer);

#endif
