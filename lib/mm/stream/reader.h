/* SPDX-License-Identifier: BSD-3-Clause */
/* Records from a list of inputs, whatever their form: text or binary streams, compressed or not, archives,
 * and the formats of other programs (formats/formats.h). Checks the stream's marks: numbers in order, the end
 * mark where numbering was seen. */
#ifndef MM_STREAM_READER_H
#define MM_STREAM_READER_H

#include "mm/formats/formats.h"
#include "mm/source/source.h"

#include <stddef.h>

typedef struct mm_reader mm_reader;

/* A form of records that only some programs read: whole parts of inputs in a published format of their field.
 */
typedef struct mm_reader_form {
    size_t largest_bytes; /* of a part */
    /* By the part's first 4 KiB, or all of a shorter one. */
    bool (*detect)(const char *data, size_t size);
    /* Record `index` (from 0) of a part; *found false when it has no more. */
    base_status (*read)(base_context *context, const char *data, size_t size, int64_t index,
                        mm_record *record, bool *found);
} mm_reader_form;

/* `paths`: `count` names, "-" is standard input; none at all means standard input. They must outlive the
 * reader. */
base_status mm_reader_open(base_context *context, const char *const *paths, int count, bool lenient,
                           mm_reader **reader);

/* Reads that form too; it is asked before Matrix Market. */
void mm_reader_add_form(mm_reader *reader, const mm_reader_form *form);

/* Reads every part that is not in the binary form as that format, whatever its first bytes are; NULL: as they
 * tell. */
void mm_reader_set_format(mm_reader *reader, const mm_file_format *format);

/* What is called before more of an input is asked for (source.h). */
void mm_reader_before_wait(mm_reader *reader, mm_source_wait *call, void *data);

/* Records keep the descriptors of memory that was handed over, so that it can be handed on. */
void mm_reader_keep_descriptors(mm_reader *reader);

/* What records of these kinds (1 << MM_H2 and so on) have on devices is left there; else it is fetched. */
void mm_reader_leave_on_device(mm_reader *reader, unsigned kinds);

/* Places that a file has compressed stay so (record/places.h); else they become row and col. */
void mm_reader_leave_compressed(mm_reader *reader);

/* By default a member DIR/NAME_b.mtx of an archive, in the Collection's archives a right-hand side,
 * coordinates and so on of DIR/NAME.mtx where DIR ends with NAME, is passed over; with this it is read. An
 * archive without a matrix fails with BASE_FAILED at its end. */
void mm_reader_read_all_members(mm_reader *reader);

/* The next record, *found false after the last. A member of an archive that has no `% name` is named after
 * its path: HB/bcspwr02 for HB/bcspwr02.tar.gz as well as for a member HB/bcspwr02.mtx. Members that are no
 * matrices are passed over. The place of the context is that of the record, without a line. */
base_status mm_reader_next(base_context *context, mm_reader *reader, mm_record *record, bool *found);

/* Leaves the current input; the next call goes on with the next one. */
void mm_reader_abandon_input(mm_reader *reader);

/* After damage: leaves the matrix of a file in which the others can still be found (formats/formats.h), or
 * the member of an archive that is damaged, or else the input. The next call goes on with what follows. */
void mm_reader_abandon_part(mm_reader *reader);

/* What the last record needed to be repaired (lenient reading), or NULL. */
const char *mm_reader_repair(const mm_reader *reader);

void mm_reader_close(mm_reader *reader);

#endif
