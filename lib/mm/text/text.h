/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix Market text, the form that people and other programs write and read: banner, comments, size line,
 * one line an entry (Boisvert, Pozo, Remington: The Matrix Market Exchange Formats, NISTIR 5935;
 * mm-stream(5)).
 *
 * Reading is where most programs spend most of their time, and where wrong files are found. header.c takes
 * banner, comments and size line. entries.c takes the entries window by window: a window of whole lines is
 * cut into pieces, and each thread parses one (piece.c, a loop per format and field without branches on
 * them). A line that is not plain goes to line.c, which knows every rule and says what is wrong with it.
 * digits.c keeps integers of any length as text. lines.c peeks at single lines.
 *
 * Reading is strict. Lenient reading repairs what has one sensible meaning and counts it: line.c what a line
 * shows by itself, repair.c and merge.c what can only be judged when all entries are there. write.c is the
 * writer; its doubles have the shortest digits that read back to the same bits.
 *
 * Stream marks (`% record: K`, `%%End N`) are the business of stream/. */
#ifndef MM_TEXT_TEXT_H
#define MM_TEXT_TEXT_H

#include "base/run/output.h"
#include "mm/record/record.h"
#include "mm/source/source.h"

/* What some editors put before a text; no part of it. */
#define MM_BYTE_ORDER_MARK "\xef\xbb\xbf"

typedef struct mm_read_options {
    bool lenient;          /* repair what can be repaired, and say so */
    int64_t record_number; /* out: K of the line `% record: K`, which is not kept; 0 without one */
    int64_t repairs;       /* out: how many repairs there were */
    char repair[256];      /* out: the first of each kind, in words */
} mm_read_options;

/* Counts so many repairs, and adds the note of them unless one of its kind is there. */
void mm_text_note_repair(mm_read_options *options, int64_t count, const char *note);

/* Text. The source stands at a banner line (`context->place.line` is its number and is kept up to date).
 * Fails with BASE_DAMAGED on anything that mm-stream(5) does not allow. Memory: the arrays and at most half
 * as much again. */
base_status mm_text_read(base_context *context, mm_source *source, mm_read_options *options,
                         mm_record *record);

/* `record_number` 0: a lone matrix without number. Doubles get the shortest digits that read back exactly. */
base_status mm_text_write(base_context *context, base_output *output, const mm_record *record,
                          int64_t record_number);

#endif
