/* SPDX-License-Identifier: BSD-3-Clause */
/* Edge lists: a line for each entry, "row column" or "row column value", with blanks or commas between. Lines
 * that begin with # or % are comments. Nothing in such a file says whether it counts from 0 or from 1; the
 * user does. The matrix is square, of the least order that holds all vertices. */
#include "base/core/memory.h"
#include "mm/arrays/words.h"
#include "mm/decimal/decimal.h"
#include "mm/formats/formats.h"

#include <string.h>

typedef struct list {
    mm_words words;
    mm_record *record;
    mm_word_values values;
    int64_t row_capacity, col_capacity, first; /* number of the first vertex */
    int width;                                 /* words of a line, as in the first one */
} list;

static base_status add_vertex(base_context *context, list *list, const char *word, int length,
                              int64_t *index) {
    base_status status;
    mm_record *record = list->record;
    BASE_TRY(mm_words_whole(context, "a vertex", word, length, 0, (INT64_C(1) << 62) - 1, index));
    if (*index < list->first)
        BASE_TRY(base_fail(context, BASE_DAMAGED,
                           "vertex 0, but edges count from 1; --from edges0 counts from 0"));
    *index -= list->first;
    if (*index >= record->nrow)
        record->nrow = record->ncol = *index + 1;
done:
    return status;
}

static base_status add_edge(base_context *context, list *list) {
    base_status status;
    mm_record *record = list->record;
    const char *word[4];
    int length[4], count = 0;
    const int64_t k = record->nnz;
    while (count < 4 && mm_words_next(&list->words, &word[count], &length[count]))
        count++;
    if (k == 0)
        list->width = count;
    if (count < 2 || count > 3 || count != list->width)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "%d words where an edge has %s", count,
                           k == 0             ? "two, or three with a weight"
                           : list->width == 2 ? "two"
                                              : "three"));
    BASE_TRY(base_reserve(context, &record->row, &list->row_capacity, k + 1, 8));
    BASE_TRY(base_reserve(context, &record->col, &list->col_capacity, k + 1, 8));
    BASE_TRY(add_vertex(context, list, word[0], length[0], &record->row[k]));
    BASE_TRY(add_vertex(context, list, word[1], length[1], &record->col[k]));
    if (count == 3)
        BASE_TRY(mm_word_values_add(context, &list->values, word[2], length[2]));
    record->nnz++;
done:
    return status;
}

static base_status read_edges(base_context *context, mm_source *source, int64_t first, mm_record *record) {
    base_status status = BASE_OK;
    bool found;
    list list = {.record = record, .values = {.record = record}, .first = first};
    mm_words_init(&list.words, source, "#%");
    list.words.separator = ',';
    record->field = MM_PATTERN;
    for (;;) {
        BASE_TRY(mm_words_next_line(context, &list.words, &found));
        if (!found)
            break;
        BASE_TRY(add_edge(context, &list));
    }
    if (record->row == NULL)
        BASE_TRY(mm_record_alloc(context, record));
done:
    mm_words_free(&list.words);
    return status;
}

base_status mm_edges_read(base_context *context, mm_source *source, mm_record *record) {
    return read_edges(context, source, 1, record);
}

base_status mm_edges_read_from_0(base_context *context, mm_source *source, mm_record *record) {
    return read_edges(context, source, 0, record);
}

static base_status write_edges(base_context *context, base_output *output, int64_t first,
                               const mm_record *record) {
    enum { LONGEST = 3 * MM_DECIMAL_LONGEST + 3 };
    base_status status = BASE_OK;
    if (record->field == MM_COMPLEX || record->digits != NULL)
        BASE_TRY(base_fail(context, BASE_FAILED, "an edge list holds no complex and no big numbers"));
    for (int64_t k = 0; k < record->nnz; k++) {
        char *room = base_output_room(context, output, LONGEST), *at = room;
        if (room == NULL)
            BASE_TRY(BASE_MACHINE);
        at += mm_decimal_write_int64(at, record->row[k] + first);
        *at++ = ' ';
        at += mm_decimal_write_int64(at, record->col[k] + first);
        if (record->field != MM_PATTERN)
            *at++ = ' ';
        if (record->field == MM_INTEGER)
            at += mm_decimal_write_int64(at, record->integer[k]);
        else if (record->field == MM_REAL)
            at += mm_decimal_write_double(at, record->real[k]);
        *at++ = '\n';
        base_output_advance(output, (size_t)(at - room));
    }
done:
    return status;
}

base_status mm_edges_write(base_context *context, base_output *output, mm_record *record) {
    return write_edges(context, output, 1, record);
}

base_status mm_edges_write_from_0(base_context *context, base_output *output, mm_record *record) {
    return write_edges(context, output, 0, record);
}
