/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams of records: Matrix Market text, the binary form, compressed, in archives, Rutherford-Boeing, .smtx;
 * mm-stream(5). */
#ifndef MMPIPE_STREAM_H
#define MMPIPE_STREAM_H

#include <mmpipe/record.h>

MMPIPE_BEGIN

typedef struct mmpipe_reader mmpipe_reader;
typedef struct mmpipe_writer mmpipe_writer;

enum {
    MMPIPE_LENIENT = 1, /* repair what can be repaired; mmpipe_reader_repair says what was */
    MMPIPE_SCHEMES = 2  /* read the published formats of schemes too (flip-check(1)) */
};

/* Reads `count` files one after the other; "-", and no file at all, is standard input. What a file holds is
 * found from its first bytes. Files are opened as they are reached. */
MMPIPE_API mmpipe_status mmpipe_reader_open(mmpipe_context *context, const char *const *path, int count,
                                            unsigned flags, mmpipe_reader **reader);
/* The next record, to be freed; *record is NULL after the last. MMPIPE_DAMAGED for what breaks the rules of
 * mm-stream(5); mmpipe_error names file, record and line. */
MMPIPE_API mmpipe_status mmpipe_reader_next(mmpipe_context *context, mmpipe_reader *reader,
                                            mmpipe_record **record);
/* After damaged input: go on with the next file. */
MMPIPE_API void mmpipe_reader_skip_file(mmpipe_reader *reader);
/* What the last record needed to be repaired; NULL: nothing. */
MMPIPE_API const char *mmpipe_reader_repair(const mmpipe_reader *reader);
MMPIPE_API void mmpipe_reader_close(mmpipe_reader *reader);

typedef enum mmpipe_form { MMPIPE_TEXT, MMPIPE_BINARY } mmpipe_form;

/* Writes a file that appears under its name when it is complete; `path` NULL or "-" is standard output. A
 * FIFO or device is written in place. `level`: compression of the binary form, 0 for none. */
MMPIPE_API mmpipe_status mmpipe_writer_open(mmpipe_context *context, const char *path, mmpipe_form form,
                                            int level, mmpipe_writer **writer);
/* Takes the content of the record, which is empty after it and still the caller's to free. */
MMPIPE_API mmpipe_status mmpipe_writer_put(mmpipe_context *context, mmpipe_writer *writer,
                                           mmpipe_record *record);
/* Ends the stream and puts the file into its place. */
MMPIPE_API mmpipe_status mmpipe_writer_finish(mmpipe_context *context, mmpipe_writer *writer);
/* Without mmpipe_writer_finish before it nothing is left behind. */
MMPIPE_API void mmpipe_writer_close(mmpipe_writer *writer);

MMPIPE_END

#endif
