/* SPDX-License-Identifier: BSD-3-Clause */
/* The entries, window by window: a window of whole lines is cut into pieces, their lines are counted, so that
 * every piece knows its place in the arrays, and the pieces are parsed. Counting and parsing run on
 * context->threads; neither the entries nor the first error depend on how the window was cut. */
#include "base/core/memory.h"
#include "mm/decimal/scan.h"
#include "mm/text/internal.h"

#include <stdlib.h>

enum {
    WINDOW_BYTES = 1 << 20, /* for one thread: stays in its second-level cache between the two passes */
    SHARED_WINDOW_BYTES = 4 << 20, /* for each of several, which wait for each other twice a window */
    GROWTH = 4,                    /* of the arrays, over the lines that were seen */
    PIECES_PER_THREAD = 4,
    PIECE_BYTES = 1 << 16, /* at least, before a window is worth several threads */
    MOST_PIECES = 256,
    TAIL_BYTES = 64,   /* how close to the end of what is visible a window is parsed in place */
    FEW_ENTRIES = 1024 /* whose arrays are made before any of them is seen */
};

/* Behind the `count`-th newline of a text that has as many. */
static const char *skip_lines(const char *text, const char *end, int64_t count) {
    for (; count > 0; count--)
        text = (const char *)memchr(text, '\n', (size_t)(end - text)) + 1;
    return text;
}

/* Bytes that one entry of a value array takes. */
static int64_t value_bytes(const mm_text_shape *shape) {
    return shape->field == MM_COMPLEX ? 2 * (int64_t)sizeof(double) : (int64_t)sizeof(double);
}

/* Sets the size of the arrays to `capacity` entries. */
static base_status resize_arrays(mm_text_reader *reader, int64_t capacity) {
    base_status status = BASE_OK;
    mm_record *record = reader->record;
    base_context *context = reader->context;
    reader->capacity = capacity;
    if (record->format == MM_COORDINATE) {
        BASE_TRY(base_resize(context, &record->row, capacity, sizeof *record->row));
        BASE_TRY(base_resize(context, &record->col, capacity, sizeof *record->col));
    }
    if (record->field == MM_INTEGER)
        BASE_TRY(base_resize(context, &record->integer, capacity, sizeof *record->integer));
    else if (record->field != MM_PATTERN)
        BASE_TRY(base_resize(context, &record->real, capacity, value_bytes(&reader->shape)));
done:
    return status;
}

/* In big steps, as an honest header ends them at what is needed, and pages nobody touches cost nothing. */
static base_status reserve_entries(mm_text_reader *reader, int64_t needed) {
    if (needed <= reader->capacity)
        return BASE_OK;
    int64_t grown = needed < INT64_MAX / GROWTH ? GROWTH * needed : needed;
    return resize_arrays(reader, grown < reader->nnz ? grown : reader->nnz);
}

/* Cuts `size` bytes of whole lines into at most `limit` pieces of about the same size. */
static int cut_pieces(const char *text, size_t size, int limit, mm_text_piece *pieces) {
    const char *end = text + size;
    int count = 0;
    for (int left = limit; text < end; left--) {
        const char *cut = end;
        if (left > 1)
            cut = text + (size_t)(end - text) / (size_t)left;
        if (cut < end)
            cut = (const char *)memchr(cut, '\n', (size_t)(end - cut)) + 1;
        pieces[count].text = text;
        pieces[count++].end = text = cut;
    }
    return count;
}

/* Drops the pieces, and the lines of the last kept one, that lie behind `remaining` lines: as an entry takes
 * a line, no entry of this record is lost, and none of the next record's lines are looked at. */
static int limit_pieces(mm_text_piece *pieces, int count, int64_t remaining) {
    for (int i = 0; i < count; i++) {
        if (pieces[i].lines >= remaining) {
            pieces[i].end = skip_lines(pieces[i].text, pieces[i].end, remaining);
            pieces[i].lines = remaining;
            return i + 1;
        }
        remaining -= pieces[i].lines;
    }
    return count;
}

static void move_entries(mm_record *record, int64_t to, int64_t from, int64_t count) {
    size_t values = (size_t)count;
    if (record->row != NULL) {
        memmove(record->row + to, record->row + from, values * sizeof *record->row);
        memmove(record->col + to, record->col + from, values * sizeof *record->col);
    }
    if (record->integer != NULL)
        memmove(record->integer + to, record->integer + from, values * sizeof *record->integer);
    if (record->real != NULL) {
        int64_t width = record->field == MM_COMPLEX ? 2 : 1;
        memmove(record->real + width * to, record->real + width * from,
                values * (size_t)width * sizeof *record->real);
    }
}

/* The k-th entry line of a piece, k from 0. */
static int64_t find_entry_line(const mm_text_piece *piece, int64_t k) {
    int64_t line = 0;
    for (const char *p = piece->text;; line++) {
        const char *word, *end = memchr(p, '\n', (size_t)(piece->end - p));
        if (mm_text_next_word(&p, end, &word) > 0 && *word != '\r' && k-- == 0)
            return line;
        p = end + 1;
    }
}

/* The diagonal of a hermitian array, of which entries first … first+count-1 have just been read, is real. A
 * column begins with its diagonal entry. Gives the first offender, or -1. */
static int64_t check_array_diagonal(const mm_text_reader *reader, int64_t first, int64_t count) {
    const mm_record *record = reader->record;
    if (record->format != MM_ARRAY || record->symmetry != MM_HERMITIAN || reader->shape.lenient || count == 0)
        return -1;
    /* Columns j … of the triangle have m(m+1)/2 entries, m = n - j: start with the last column whose diagonal
     * is not behind `first`. */
    int64_t left = reader->nnz - first, low = 0, high = record->nrow;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if ((uint64_t)middle * (uint64_t)(middle + 1) / 2 >= (uint64_t)left)
            high = middle;
        else
            low = middle + 1;
    }
    int64_t order = low; /* the smallest triangle that holds all entries left; its first is on the diagonal */
    for (int64_t k = reader->nnz - order * (order + 1) / 2; order > 0 && k < first + count; k += order--)
        if (k >= first && record->real[2 * k + 1] != 0)
            return k - first;
    return -1;
}

/* Takes the parsed pieces over in order, up to the first bad line. */
static base_status take_pieces(mm_text_reader *reader, mm_text_piece *pieces, int count) {
    base_status status;
    int64_t line = reader->line;
    for (int i = 0; i < count; i++) {
        mm_text_piece *piece = &pieces[i];
        if (piece->first != reader->count)
            move_entries(reader->record, reader->count, piece->first, piece->entries);
        int64_t complex_diagonal = check_array_diagonal(reader, reader->count, piece->entries);
        if (complex_diagonal >= 0)
            BASE_TRY(mm_text_fail(reader, line + find_entry_line(piece, complex_diagonal),
                                  "complex entry on the diagonal of a hermitian matrix"));
        if (piece->failed != NULL)
            BASE_TRY(mm_text_fail(
                reader, line + mm_text_count_lines(piece->text, (size_t)(piece->failed - piece->text)), "%s",
                piece->note));
        if (piece->repairs > 0)
            mm_text_repair(reader, piece->repairs, "%s", piece->note);
        if (reader->shape.digits)
            BASE_TRY(mm_text_keep_digits(reader, piece));
        reader->count += piece->entries;
        line += piece->lines;
    }
    reader->line = line;
    status = BASE_OK;
done:
    return status;
}

typedef struct pieces {
    mm_text_reader *reader;
    mm_text_piece piece[MOST_PIECES];
} pieces;

static void count_lines(void *data, int i) {
    mm_text_piece *piece = &((pieces *)data)->piece[i];
    piece->lines = mm_text_count_lines(piece->text, (size_t)(piece->end - piece->text));
}

static void parse_piece(void *data, int i) {
    pieces *pieces = data;
    mm_text_parse_piece(&pieces->reader->shape, pieces->reader->record, &pieces->piece[i]);
}

static void do_pieces(mm_team_work *work, pieces *pieces, int count) {
    mm_team_loop loop = {work, pieces, count, 0, 0};
    mm_team *team = count > 1 ? mm_source_team(pieces->reader->context, pieces->reader->source) : NULL;
    mm_team_start(team, &loop);
    mm_team_wait(team, &loop);
}

/* Parses whole lines, on several threads when there are enough. *used: the bytes that were looked at. */
static base_status parse_lines(mm_text_reader *reader, const char *text, size_t size, size_t *used) {
    base_status status;
    pieces pieces;
    int threads = reader->context->threads, limit = 1;
    if (threads > 1 && size >= 2 * PIECE_BYTES) {
        limit = threads < MOST_PIECES / PIECES_PER_THREAD ? threads * PIECES_PER_THREAD : MOST_PIECES;
        if (size / PIECE_BYTES < (size_t)limit)
            limit = (int)(size / PIECE_BYTES);
    }
    int count = cut_pieces(text, size, limit, pieces.piece);
    pieces.reader = reader;
    do_pieces(count_lines, &pieces, count);
    count = limit_pieces(pieces.piece, count, reader->nnz - reader->count);
    int64_t first = reader->count;
    for (int i = 0; i < count; first += pieces.piece[i++].lines)
        pieces.piece[i].first = first;
    BASE_TRY(reserve_entries(reader, first));
    do_pieces(parse_piece, &pieces, count);
    BASE_TRY(take_pieces(reader, pieces.piece, count));
    *used = (size_t)(pieces.piece[count - 1].end - text);
done:
    return status;
}

/* Parses lines near the end of what is visible from a padded copy; the last may lack its newline. */
static base_status parse_tail(mm_text_reader *reader, const char *text, size_t size, size_t *used) {
    base_status status;
    int64_t needed = (int64_t)size + 1 + MM_SCAN_PADDING;
    BASE_TRY(base_reserve(reader->context, &reader->tail, &reader->tail_capacity, needed, 1));
    memcpy(reader->tail, text, size);
    bool open = reader->tail[size - 1] != '\n';
    reader->tail[size] = '\n';
    memset(reader->tail + size + 1, 0, MM_SCAN_PADDING);
    BASE_TRY(parse_lines(reader, reader->tail, size + open, used));
    if (*used > size)
        *used = size;
done:
    return status;
}

/* Bytes that the entries still missing must have, without the last line's end: to wait for more would wait
 * for the next record, which a pipe may bring much later. */
static size_t least_bytes(const mm_text_reader *reader, size_t limit) {
    const mm_text_shape *shape = &reader->shape;
    size_t words = shape->format == MM_COORDINATE ? 2 - shape->vector : 0;
    words += shape->field == MM_PATTERN ? 0 : shape->field == MM_COMPLEX ? 2 : 1;
    size_t remaining = (size_t)(reader->nnz - reader->count);
    return remaining < limit / (2 * words) ? 2 * words * remaining - 1 : limit;
}

/* Bytes worth looking at: small records get small windows, so that they do not count lines that are not
 * theirs again and again. */
static size_t most_bytes(const mm_text_reader *reader, size_t limit) {
    const mm_text_shape *shape = &reader->shape;
    const size_t index_bytes = 8, value_bytes = 24, more = 64;
    const size_t line_bytes = (shape->format == MM_COORDINATE ? 2 * index_bytes : 0) +
                              (shape->field == MM_COMPLEX ? 2 : 1) * value_bytes;
    size_t remaining = (size_t)(reader->nnz - reader->count);
    return remaining < limit / line_bytes ? remaining * line_bytes + more : limit;
}

/* Parses the next lines. *line_bytes: how much is known to be needed for a line. */
static base_status read_window(mm_text_reader *reader, size_t limit, size_t *line_bytes) {
    base_status status;
    const char *data;
    size_t visible, used = 0, wanted = least_bytes(reader, limit), size = most_bytes(reader, limit);
    int64_t blank;
    BASE_TRY(mm_text_skip_blank(reader, &blank));
    if (wanted < *line_bytes)
        wanted = *line_bytes;
    BASE_TRY(mm_source_peek(reader->context, reader->source, wanted, &data, &visible));
    bool last = visible < wanted;
    if (visible == 0)
        BASE_TRY(mm_text_fail(reader, reader->line, "truncated: %lld of %lld entries",
                              (long long)reader->count, (long long)reader->nnz));
    if (size < wanted)
        size = wanted;
    if (size > visible)
        size = visible;
    /* In place up to the last newline that has enough bytes behind it; then the rest. */
    size_t in_place = visible - size >= TAIL_BYTES ? size : visible > TAIL_BYTES ? visible - TAIL_BYTES : 0;
    const char *newline = in_place > 0 ? memrchr(data, '\n', in_place) : NULL;
    if (newline != NULL) {
        BASE_TRY(parse_lines(reader, data, (size_t)(newline - data) + 1, &used));
    } else if (last) {
        BASE_TRY(parse_tail(reader, data, size, &used));
    } else if ((newline = memrchr(data, '\n', size)) != NULL) {
        BASE_TRY(parse_tail(reader, data, (size_t)(newline - data) + 1, &used));
    } else if (size >= MM_TEXT_LINE_LIMIT) {
        BASE_TRY(mm_text_fail(reader, reader->line, "line of more than %d MiB", MM_TEXT_LINE_LIMIT >> 20));
    } else {
        *line_bytes = size < visible ? 2 * size : size + 1;
    }
    mm_source_skip(reader->source, used);
done:
    return status;
}

base_status mm_text_read_entries(mm_text_reader *reader) {
    base_status status;
    size_t threads = (size_t)reader->context->threads, line_bytes = 0;
    size_t limit = threads > 1 ? SHARED_WINDOW_BYTES * threads : WINDOW_BYTES;
    BASE_TRY(resize_arrays(reader, reader->nnz <= FEW_ENTRIES ? reader->nnz : 0));
    while (reader->count < reader->nnz)
        BASE_TRY(read_window(reader, limit, &line_bytes));
    if (reader->capacity > reader->nnz)
        BASE_TRY(resize_arrays(reader, reader->nnz));
    reader->record->nnz = reader->nnz;
    if (reader->shape.digits)
        BASE_TRY(mm_text_finish_digits(reader));
done:
    return status;
}
