/* SPDX-License-Identifier: BSD-3-Clause */
/* What a reader is: for reader.c, which reads records, and reader_parts.c, which goes from input to input. */
#ifndef MM_STREAM_INTERNAL_H
#define MM_STREAM_INTERNAL_H

#include "mm/source/source.h"
#include "mm/stream/marks.h"
#include "mm/stream/reader.h"
#include "mm/text/text.h"

struct mm_reader {
    const char *const *paths;
    int count, next_path;
    bool lenient, keeps_descriptors;
    bool leaves_compressed;       /* places */
    unsigned left_on_device;      /* kinds whose content stays there */
    const mm_reader_form *form;   /* NULL: none but our own */
    bool in_form;                 /* the part is of that form */
    const mm_file_format *asked;  /* for every part; NULL: their first bytes tell */
    const mm_file_format *format; /* of the part; NULL: Matrix Market text or the binary form */
    void *file;                   /* what the format's reader keeps */
    mm_source *source;            /* of the current input; NULL between two of them */
    mm_source_wait *before_wait;  /* NULL: nothing is called */
    void *wait_data;              /* of it */
    bool in_part;
    bool in_archive;
    bool all_members;
    int64_t input_records, secondary; /* of the input: records, and members passed over */
    char member[BASE_PLACE_MEMBER];
    int64_t records_in_part;
    bool part_has_content;
    int64_t line;   /* of the text form, kept here while a record is being worked on */
    bool had_mark;  /* a byte-order mark stood before the record */
    mm_marks marks; /* of the current stream */

    mm_read_options options;
};

/* Steps to the next part of the inputs; *found is false when there is none. An input without a matrix is a
 * failure. */
base_status mm_reader_next_part(base_context *context, mm_reader *reader, bool *found);

/* Ends the part: BASE_DAMAGED where it was empty, or a stream without its end mark. */
base_status mm_reader_end_part(base_context *context, mm_reader *reader);

#endif
