/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of the text reader: header, windows of entries, single lines, repairs. */
#ifndef MM_TEXT_INTERNAL_H
#define MM_TEXT_INTERNAL_H

#include "mm/text/text.h"

#include <stddef.h>

/* What an entry's line must look like; does not change while the entries are read. */
typedef struct mm_text_shape {
    mm_format format;
    mm_field field;
    mm_symmetry symmetry;
    int64_t nrow, ncol;
    bool digits;   /* integers of any length, kept as text */
    bool vector;   /* lenient: lines of a coordinate vector, without a column */
    bool lenient;  /* words behind an entry, comments, indices and triangles that are repaired later */
    bool inferred; /* lenient: no banner says what a line holds, so further words are no surplus */
} mm_text_shape;

typedef struct mm_text_entry {
    int64_t row, col; /* from 0; -1 for a written 0 in lenient reading */
    double real, imaginary;
    int64_t integer;
    const char *digits; /* shape.digits: the number in the line, with its sign */
    int64_t digits_length;
} mm_text_entry;

enum { MM_TEXT_NOTE = 160, MM_TEXT_LINE_LIMIT = 1 << 24, MM_TEXT_COMMENTS_LIMIT = 64 << 20 };

typedef enum mm_text_line { MM_LINE_ENTRY, MM_LINE_EMPTY, MM_LINE_REPAIRED, MM_LINE_BAD } mm_text_line;

typedef struct mm_text_reader {
    base_context *context;
    mm_source *source;
    mm_read_options *options;
    mm_record *record;
    mm_text_shape shape;
    int64_t line;      /* number of the line at the source's front */
    int64_t nnz;       /* declared */
    bool big_integers; /* declared */
    int64_t count, capacity;

    int64_t digits_bytes, digits_capacity; /* of record->digits */
    char *tail;                            /* copy of a window's last lines, padded */
    int64_t tail_capacity;
} mm_text_reader;

/* Fails with BASE_DAMAGED at the given line. */
base_status mm_text_fail(mm_text_reader *reader, int64_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Notes `count` repairs, printf-style what the last was. */
void mm_text_repair(mm_text_reader *reader, int64_t count, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The line at the front, without its end, not skipped; *found false at the end of the part. A carriage return
 * inside it and a line beyond MM_TEXT_LINE_LIMIT fail. */
base_status mm_text_peek_line(mm_text_reader *reader, const char **line, size_t *length, bool *found);
void mm_text_skip_line(mm_text_reader *reader, size_t length);

/* Skips the blank lines at the front, as many as are there; *count: how many. In O(bytes), as fast as memchr
 * where they are empty. */
base_status mm_text_skip_blank(mm_text_reader *reader, int64_t *count);

/* Behind the newlines at the front of a text. */
const char *mm_text_skip_newlines(const char *text, const char *end);

/* Counts newlines 16 at a time; each lane counts to 255 before the lanes are added up. */
int64_t mm_text_count_lines(const char *text, size_t size);

/* Splits off the next word of a line; its length, 0 at the end. */
size_t mm_text_next_word(const char **text, const char *end, const char **word);

/* Banner, comments, size line: fills the record's head and reader->shape and nnz. */
base_status mm_text_read_header(mm_text_reader *reader);

/* All entries. Memory grows with the lines that were seen, never with the header's count. */
base_status mm_text_read_entries(mm_text_reader *reader);

/* Adds a note to those that are there, unless one of its kind is: what stands behind its last quote. What has
 * no room is left out. */
void mm_text_add_note(char *notes, size_t size, const char *note);

/* Reads one line of any content, `end` behind its last byte before LF. In MM_LINE_ENTRY and MM_LINE_REPAIRED
 * the entry is set; a repaired comment is MM_LINE_EMPTY with a note. Note: what was repaired (else empty) or
 * what is wrong. Thread-safe; slow. */
mm_text_line mm_text_parse_line(const mm_text_shape *shape, const char *line, const char *end,
                                mm_text_entry *entry, char note[MM_TEXT_NOTE]);

/* A run of whole lines that is parsed by one thread. */
typedef struct mm_text_piece {
    const char *text, *end; /* MM_SCAN_PADDING readable bytes follow */
    int64_t lines;
    int64_t first; /* place of its first entry in the arrays */

    /* out */
    int64_t entries;
    const char *failed; /* the line that is bad, or NULL */
    int64_t repairs;
    char note[MM_TEXT_NOTE];
} mm_text_piece;

/* Parses the lines of a piece into the record's arrays. With shape.digits, record->integer is filled with the
 * offsets of the numbers in the piece's text. */
void mm_text_parse_piece(const mm_text_shape *shape, mm_record *record, mm_text_piece *piece);

/* Copies the numbers of a parsed piece, of which record->integer has the offsets, behind record->digits:
 * without plus sign and leading zeros, each ended by a NUL. */
base_status mm_text_keep_digits(mm_text_reader *reader, const mm_text_piece *piece);

/* After the last piece: the offsets become digits_start, or the digits 64-bit integers where all of them fit.
 */
base_status mm_text_finish_digits(mm_text_reader *reader);

/* Lenient reading: what can only be judged when all entries are there (indices from 0, triangles, diagonals,
 * duplicates). */
base_status mm_text_repair_record(mm_text_reader *reader);

/* Of that: adds up duplicates and moves entries below the diagonal. O(nnz) per digit of the sizes in base
 * 65536; nothing but a pass when the entries are in order. */
base_status mm_text_repair_positions(mm_text_reader *reader);

/* Makes the value of entry k that of the mirrored position; false if it cannot be had. */
bool mm_text_mirror_value(mm_record *record, int64_t k);

/* Copies an entry between records of one field; of big integers only the place. */
void mm_text_copy_entry(mm_record *to_record, int64_t to, const mm_record *record, int64_t from);

#endif
