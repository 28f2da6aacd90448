/* SPDX-License-Identifier: BSD-3-Clause */
/* The readers and writers, one of each a format, and what they share. */
#ifndef FLIP_FORMATS_INTERNAL_H
#define FLIP_FORMATS_INTERNAL_H

#include "flip/formats/formats.h"
#include "flip/scheme/entries.h"

/* Text that is being read. */
typedef struct flip_cursor {
    base_context *context;
    const char *at, *end;
    flip_entries *entries;
} flip_cursor;

/* Passes over blanks and comments, # to the end of the line and (* … *). */
void flip_skip_comments(const char **data, size_t *size);
void flip_skip_blanks(flip_cursor *cursor);

/* Passes over blanks and the character, if it is next. */
bool flip_take(flip_cursor *cursor, char wanted);

/* Reads a number without sign, 3 or 3/4; false if there is none or it does not fit. */
bool flip_read_rational(flip_cursor *cursor, int64_t *numerator, int64_t *denominator);
base_status flip_fail_syntax(flip_cursor *cursor, const char *what);

/* Reads a matrix [[1, -1/2], [0, 3]], with the given brackets, as the factor at `position` of a term, and
 * says its shape. */
base_status flip_read_matrix(flip_cursor *cursor, const char brackets[2], int64_t term, int position,
                             int64_t *nrow, int64_t *ncol);

/* Checks that a, b, c of the shapes fit each other, and keeps them as the sizes of all. */
base_status flip_keep_shapes(flip_cursor *cursor, int64_t shape[3][2]);

base_status flip_read_exp(flip_cursor *cursor);
base_status flip_read_mathematica(flip_cursor *cursor);
base_status flip_read_maple(flip_cursor *cursor);
base_status flip_read_json(flip_cursor *cursor);
base_status flip_read_npz(flip_cursor *cursor, int64_t index, bool *found);

base_status flip_write_exp(base_context *context, const flip_scheme *scheme, base_output *output);
base_status flip_write_mathematica(base_context *context, const flip_scheme *scheme, base_output *output);
base_status flip_write_maple(base_context *context, const flip_scheme *scheme, base_output *output);
base_status flip_write_json(base_context *context, const flip_scheme *scheme, base_output *output);
base_status flip_write_npz(base_context *context, const flip_scheme *scheme, base_output *output);

/* The shape of a factor as it is published, and its entry at a place of that shape in lowest terms. */
void flip_published_shape(const int64_t size[3], int position, int64_t *nrow, int64_t *ncol);
void flip_published_entry(const flip_scheme *scheme, int64_t term, int position, int64_t row, int64_t col,
                          int64_t *numerator, int64_t *denominator);

/* Prints "-3/4" into `text`, which has room for 48 bytes, and returns it. */
const char *flip_print_rational(int64_t numerator, int64_t denominator, char *text);

#endif
