/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers in rows: a line for each row of a dense matrix, with commas, semicolons or tabs between the
 * numbers, whichever stands in the first line. A first line without any number names the columns. */
#include "base/core/memory.h"
#include "mm/arrays/words.h"
#include "mm/decimal/decimal.h"
#include "mm/formats/formats.h"
#include "mm/metadata/metadata.h"

#include <stdlib.h>
#include <string.h>

static bool is_number(const char *word, int length) {
    double value;
    const char *at = word;
    return mm_decimal_read_double(&at, &value) != MM_DECIMAL_MALFORMED && at == word + length;
}

/* Whether no word of the line is a number; the line is back at its front then and otherwise. */
static bool is_heading(mm_words *words) {
    const char *start = words->at, *word;
    int length;
    bool heading = true;
    while (heading && mm_words_next(words, &word, &length))
        heading = !is_number(word, length);
    words->at = start;
    return heading;
}

static base_status add_row(base_context *context, mm_words *words, mm_record *record,
                           mm_word_values *values) {
    base_status status = BASE_OK;
    const char *word;
    int length;
    int64_t count = 0;
    for (; mm_words_next(words, &word, &length); count++)
        BASE_TRY(mm_word_values_add(context, values, word, length));
    if (record->nrow > 0 && count != record->ncol)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "%lld numbers where the first row has %lld",
                           (long long)count, (long long)record->ncol));
    record->ncol = count;
    record->nrow++;
done:
    return status;
}

/* The numbers came row by row. */
static base_status arrange(base_context *context, mm_record *record) {
    const int64_t nrow = record->nrow, ncol = record->ncol;
    int64_t *from = record->real != NULL ? (int64_t *)record->real : record->integer, *to;
    to = base_alloc(context, nrow * ncol, sizeof *to);
    if (to == NULL)
        return BASE_MACHINE;
    for (int64_t i = 0; i < nrow; i++)
        for (int64_t j = 0; j < ncol; j++)
            to[j * nrow + i] = from[i * ncol + j];
    free(from);
    if (record->field == MM_REAL)
        record->real = (double *)to;
    else
        record->integer = to;
    record->nnz = nrow * ncol;
    return BASE_OK;
}

base_status mm_csv_read(base_context *context, mm_source *source, mm_record *record) {
    base_status status = BASE_OK;
    mm_words words;
    mm_word_values values = {.record = record};
    char *heading = NULL;
    bool found;
    mm_words_init(&words, source, "#");
    record->format = MM_ARRAY;
    record->field = MM_INTEGER;
    for (bool first = true;; first = false) {
        BASE_TRY(mm_words_next_line(context, &words, &found));
        if (!found)
            break;
        if (first)
            words.separator = strchr(words.at, ',') != NULL   ? ','
                              : strchr(words.at, ';') != NULL ? ';'
                                                              : '\0';
        if (first && is_heading(&words)) {
            heading = base_copy_text(context, words.at, (int64_t)strlen(words.at));
            if (heading == NULL)
                BASE_TRY(BASE_MACHINE);
        } else {
            BASE_TRY(add_row(context, &words, record, &values));
        }
    }
    if (heading != NULL)
        BASE_TRY(mm_metadata_add(context, record, "csv.columns", "%s", heading));
    BASE_TRY(arrange(context, record));
done:
    free(heading);
    mm_words_free(&words);
    return status;
}

base_status mm_csv_write(base_context *context, base_output *output, mm_record *record) {
    base_status status = BASE_OK;
    if (record->field == MM_COMPLEX || record->digits != NULL)
        BASE_TRY(base_fail(context, BASE_FAILED, "CSV holds no complex and no big numbers"));
    for (int64_t i = 0; i < record->nrow; i++)
        for (int64_t j = 0; j < record->ncol; j++) {
            const int64_t k = j * record->nrow + i;
            char *room = base_output_room(context, output, MM_DECIMAL_LONGEST + 1);
            if (room == NULL)
                BASE_TRY(BASE_MACHINE);
            int length = record->field == MM_REAL ? mm_decimal_write_double(room, record->real[k])
                                                  : mm_decimal_write_int64(room, record->integer[k]);
            room[length++] = j + 1 < record->ncol ? ',' : '\n';
            base_output_advance(output, (size_t)length);
        }
done:
    return status;
}
