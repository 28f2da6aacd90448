/* SPDX-License-Identifier: BSD-3-Clause */
/* One record as text; threads format pieces of a large one, which are written in order. */
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "mm/decimal/decimal.h"
#include "mm/text/text.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE_ENTRIES = 2048, LONG_ENTRIES = 1 << 20 }; /* long: a task of its own for the progress */

/* Doubles and 64-bit integers of a line, each with the byte behind it. */
static int64_t longest_line(const mm_record *record) {
    int64_t numbers = record->format == MM_COORDINATE ? 2 : 0;
    numbers += record->field == MM_COMPLEX ? 2 : record->field != MM_PATTERN;
    return numbers * (MM_DECIMAL_LONGEST + 1);
}

/* Room that entries first … last-1 take at most. */
static int64_t piece_bytes(const mm_record *record, int64_t first, int64_t last) {
    int64_t bytes = (last - first) * longest_line(record) + MM_DECIMAL_LONGEST;
    if (record->digits != NULL)
        bytes += record->digits_start[last] - record->digits_start[first];
    return bytes;
}

/* Formats entries first … last-1 and returns the end of the text. Inlined with a constant field. */
static inline __attribute__((always_inline)) char *format_entries(const mm_record *record, mm_field field,
                                                                  bool coordinate, int64_t first,
                                                                  int64_t last, char *text) {
    for (int64_t k = first; k < last; k++) {
        if (coordinate) {
            text += mm_decimal_write_int64(text, record->row[k] + 1);
            *text++ = ' ';
            text += mm_decimal_write_int64(text, record->col[k] + 1);
            *text++ = field == MM_PATTERN ? '\n' : ' ';
        }
        if (field == MM_INTEGER && record->digits != NULL) {
            size_t length = (size_t)(record->digits_start[k + 1] - record->digits_start[k] - 1);
            memcpy(text, record->digits + record->digits_start[k], length);
            text += length;
            *text++ = '\n';
        } else if (field == MM_INTEGER) {
            text += mm_decimal_write_int64(text, record->integer[k]);
            *text++ = '\n';
        } else if (field == MM_REAL) {
            text += mm_decimal_write_double(text, record->real[k]);
            *text++ = '\n';
        } else if (field == MM_COMPLEX) {
            text += mm_decimal_write_double(text, record->real[2 * k]);
            *text++ = ' ';
            text += mm_decimal_write_double(text, record->real[2 * k + 1]);
            *text++ = '\n';
        }
    }
    return text;
}

static size_t format_piece(const mm_record *record, int64_t first, int64_t last, char *text) {
    bool coordinate = record->format == MM_COORDINATE;
    char *end = text;
    switch (record->field) {
    case MM_PATTERN: end = format_entries(record, MM_PATTERN, coordinate, first, last, text); break;
    case MM_INTEGER: end = format_entries(record, MM_INTEGER, coordinate, first, last, text); break;
    case MM_REAL: end = format_entries(record, MM_REAL, coordinate, first, last, text); break;
    case MM_COMPLEX: end = format_entries(record, MM_COMPLEX, coordinate, first, last, text); break;
    }
    return (size_t)(end - text);
}

static base_status write_piece(base_context *context, base_output *output, const mm_record *record,
                               int64_t first, int64_t last) {
    char *room = base_output_room(context, output, (size_t)piece_bytes(record, first, last));
    if (room == NULL)
        return context->error.status;
    base_output_advance(output, format_piece(record, first, last, room));
    return BASE_OK;
}

/* Pieces of a large record: every thread formats one into a buffer of its own, and they are written in order,
 * while other threads format the next ones. */
static base_status write_in_parallel(base_context *context, base_output *output, const mm_record *record) {
    const int64_t piece = 8 * PIECE_ENTRIES, bytes = piece_bytes(record, 0, piece);
    int64_t pieces = (record->nnz + piece - 1) / piece;
    base_status status = BASE_OK;
    char *buffers = base_alloc(context, context->threads, bytes);
    if (buffers == NULL)
        return BASE_MACHINE;
#pragma omp parallel for num_threads(context->threads) ordered schedule(static, 1)
    for (int64_t i = 0; i < pieces; i++) {
        /* Free again: the piece that had it is written, as this thread's last piece came after it. */
        char *buffer = buffers + bytes * (i % context->threads);
        int64_t first = i * piece, last = first + piece < record->nnz ? first + piece : record->nnz;
        size_t size = format_piece(record, first, last, buffer);
#pragma omp ordered
        if (status == BASE_OK)
            status = base_output_write(context, output, buffer, size);
        base_progress_add(context, last - first);
    }
    free(buffers);
    return status;
}

static char *put_text(char *to, const char *text) {
    return stpcpy(to, text);
}

static char *put_number(char *to, int64_t number) {
    return to + mm_decimal_write_int64(to, number);
}

/* The words and numbers of a header have less. */
enum { HEADER_BYTES = 256 };

/* Without printf, which small records would spend a good part of their time in. */
static base_status write_header(base_context *context, base_output *output, const mm_record *record,
                                int64_t record_number) {
    base_status status = BASE_OK;
    char *room = base_output_room(context, output, HEADER_BYTES), *to = room;
    if (room == NULL)
        return context->error.status;
    to = put_text(to, "%%MatrixMarket matrix ");
    to = put_text(to, mm_format_name(record->format));
    to = put_text(put_text(to, " "), mm_field_name(record->field));
    to = put_text(put_text(to, " "), mm_symmetry_name(record->symmetry));
    to = put_text(to, "\n");
    if (record_number > 0)
        to = put_text(put_number(put_text(to, "% record: "), record_number), "\n");
    if (record->digits != NULL)
        to = put_text(to, "% integers: big\n");
    base_output_advance(output, (size_t)(to - room));
    if (record->comments != NULL)
        BASE_TRY(base_output_write(context, output, record->comments, strlen(record->comments)));
    to = room = base_output_room(context, output, HEADER_BYTES);
    if (room == NULL)
        BASE_TRY(context->error.status);
    to = put_number(to, record->nrow);
    to = put_number(put_text(to, " "), record->ncol);
    if (record->format == MM_COORDINATE)
        to = put_number(put_text(to, " "), record->nnz);
    to = put_text(to, "\n");
    base_output_advance(output, (size_t)(to - room));
done:
    return status;
}

base_status mm_text_write(base_context *context, base_output *output, const mm_record *record,
                          int64_t record_number) {
    base_status status;
    if (record->kind != MM_MATRIX && record->kind != MM_SCHEME)
        return base_fail(context, BASE_USAGE, "h2 and state records have no text form: use --form bin");
    const bool is_long = record->nnz > LONG_ENTRIES;
    if (is_long)
        base_progress_start(context, "write", (double)record->nnz, "entries");
    BASE_TRY(write_header(context, output, record, record_number));
    if (context->threads > 1 && record->nnz > 16 * PIECE_ENTRIES && record->digits == NULL) {
        BASE_TRY(write_in_parallel(context, output, record));
    } else {
        for (int64_t first = 0; first < record->nnz; first += PIECE_ENTRIES) {
            int64_t last = first + PIECE_ENTRIES < record->nnz ? first + PIECE_ENTRIES : record->nnz;
            BASE_TRY(write_piece(context, output, record, first, last));
            base_progress_add(context, last - first);
        }
    }
done:
    if (is_long)
        base_progress_finish(context);
    return status;
}
