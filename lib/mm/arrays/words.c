/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/arrays/words.h"
#include "base/core/memory.h"
#include "mm/decimal/decimal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void mm_words_init(mm_words *words, mm_source *source, const char *comments) {
    *words = (mm_words){.lines = {.source = source}, .comments = comments};
}

void mm_words_free(mm_words *words) {
    if (words != NULL)
        free(words->lines.text);
}

base_status mm_words_next_line(base_context *context, mm_words *words, bool *found) {
    base_status status;
    do {
        BASE_TRY(mm_lines_next(context, &words->lines, found));
        words->at = words->lines.text;
        size_t length = strlen(words->at);
        while (length > 0 && isspace((unsigned char)words->lines.text[length - 1]))
            words->lines.text[--length] = '\0';
        words->at += strspn(words->at, " \t");
    } while (*found && ((*words->at == '\0' && !words->empty) ||
                        (*words->at != '\0' && strchr(words->comments, *words->at) != NULL)));
done:
    return status;
}

bool mm_words_next(mm_words *words, const char **word, int *length) {
    if (words->at == NULL || *words->at == '\0')
        return false;
    const char *at = words->at;
    while (*at != '\0' && *at != ' ' && *at != '\t' && *at != words->separator)
        at++;
    *word = words->at;
    *length = (int)(at - words->at < INT32_MAX ? at - words->at : INT32_MAX);
    at += strspn(at, " \t");
    if (words->separator != '\0' && *at == words->separator) {
        at++;
        at += strspn(at, " \t");
    }
    words->at = at;
    return true;
}

base_status mm_words_whole(base_context *context, const char *what, const char *word, int length,
                           int64_t least, int64_t most, int64_t *value) {
    const char *at = word;
    if (!isdigit((unsigned char)*at) || mm_decimal_read_int64(&at, value) != MM_DECIMAL_OK ||
        at != word + length)
        return base_fail(context, BASE_DAMAGED, "'%.*s' is not %s", length < 32 ? length : 32, word, what);
    if (*value < least || *value > most)
        return base_fail(context, BASE_DAMAGED, "%s %lld is not in %lld to %lld", what, (long long)*value,
                         (long long)least, (long long)most);
    return BASE_OK;
}

/* What was whole so far becomes real, if every number fits a double exactly. */
static base_status become_real(base_context *context, mm_word_values *values) {
    mm_record *record = values->record;
    record->real = base_alloc(context, values->capacity, sizeof *record->real);
    if (record->real == NULL)
        return BASE_MACHINE;
    for (int64_t k = 0; k < values->count; k++)
        record->real[k] = (double)record->integer[k];
    free(record->integer);
    record->integer = NULL;
    record->field = MM_REAL;
    return BASE_OK;
}

base_status mm_word_values_add(base_context *context, mm_word_values *values, const char *word, int length) {
    mm_record *record = values->record;
    const char *at = word;
    int64_t whole = 0;
    base_status status = BASE_OK;
    if (values->count == 0)
        record->field = MM_INTEGER;
    if (record->field == MM_INTEGER) {
        BASE_TRY(base_reserve(context, &record->integer, &values->capacity, values->count + 1, 8));
        if (mm_decimal_read_int64(&at, &whole) == MM_DECIMAL_OK && at == word + length) {
            record->integer[values->count++] = whole;
            goto done;
        }
        BASE_TRY(become_real(context, values));
        at = word;
    }
    BASE_TRY(base_reserve(context, &record->real, &values->capacity, values->count + 1, 8));
    const mm_decimal_status read = mm_decimal_read_double(&at, &record->real[values->count]);
    if (read == MM_DECIMAL_OUT_OF_RANGE)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "value '%.*s' is beyond the range of double",
                           length < 32 ? length : 32, word));
    if (read != MM_DECIMAL_OK || at != word + length)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "value '%.*s' is not a decimal number",
                           length < 32 ? length : 32, word));
    values->count++;
done:
    return status;
}
