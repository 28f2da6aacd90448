/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/metadata/list.h"
#include "base/core/memory.h"
#include "mm/decimal/decimal.h"
#include "mm/metadata/metadata.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 960 }; /* bytes of a line that gets no further item */

/* ---- reading ---- */

typedef struct list {
    int64_t *item;
    int64_t length, expected;
    int64_t least;  /* what the number 0 is written as */
    bool is_option; /* of the command line: key is its name, commas are blanks */
    bool grows;     /* any length; the items are at most `most` */
    int64_t capacity, most;
} list;

static base_status malformed(base_context *context, const char *key, const list *list) {
    if (list->is_option)
        return base_fail(context, BASE_USAGE, "%s: not a list of indices from 1 on, as 1,3,5:8", key);
    return base_fail(context, BASE_DAMAGED, "%% %s: not a list of numbers", key);
}

static base_status wrong_length(base_context *context, const char *key, const list *list) {
    return base_fail(context, BASE_FAILED, "%s%s does not list %lld numbers, as it should",
                     list->is_option ? "" : "% ", key, (long long)list->expected);
}

/* Appends a range. */
static base_status append_range(base_context *context, const char *key, int64_t first, int64_t last,
                                list *list) {
    if (first < list->least || last < first)
        return malformed(context, key, list);
    if (list->grows && last > list->most)
        return base_fail(context, BASE_FAILED, "%s: index %lld exceeds %lld, the last one", key,
                         (long long)last, (long long)list->most);
    if (list->grows && base_reserve(context, &list->item, &list->capacity, list->length + last - first + 1,
                                    sizeof *list->item) != BASE_OK)
        return BASE_MACHINE;
    if (!list->grows && last - first >= list->expected - list->length)
        return wrong_length(context, key, list);
    for (int64_t k = first; k <= last; k++)
        list->item[list->length++] = k - list->least;
    return BASE_OK;
}

static bool is_blank(char c, const list *list) {
    return c == ' ' || c == '\t' || c == '\r' || (c == ',' && list->is_option);
}

static base_status read_line(base_context *context, const char *key, const char *text, const char *end,
                             list *list) {
    base_status status = BASE_OK;
    for (;;) {
        while (text < end && is_blank(*text, list))
            text++;
        if (text == end)
            break;
        int64_t first, last;
        if (mm_decimal_read_int64(&text, &first) != MM_DECIMAL_OK)
            BASE_TRY(malformed(context, key, list));
        last = first;
        if (*text == ':') {
            text++;
            if (mm_decimal_read_int64(&text, &last) != MM_DECIMAL_OK)
                BASE_TRY(malformed(context, key, list));
        }
        if (text < end && !is_blank(*text, list))
            BASE_TRY(malformed(context, key, list));
        BASE_TRY(append_range(context, key, first, last, list));
    }
done:
    return status;
}

static base_status reserve_items(base_context *context, list *list) {
    if (list->item == NULL)
        list->item = base_alloc(context, list->expected, sizeof *list->item);
    return list->item != NULL ? BASE_OK : BASE_MACHINE;
}

static base_status get(base_context *context, const mm_record *record, const char *key, list list,
                       int64_t **item) {
    base_status status = BASE_OK;
    mm_record rest = {.comments = record->comments};
    size_t size;
    const char *text;
    while (rest.comments != NULL && (text = mm_metadata_find(&rest, key, &size)) != NULL) {
        BASE_TRY(reserve_items(context, &list));
        BASE_TRY(read_line(context, key, text, text + size, &list));
        rest.comments = strchr(text, '\n');
    }
    if (list.item != NULL && list.length != list.expected)
        BASE_TRY(wrong_length(context, key, &list));
done:
    if (status != BASE_OK) {
        free(list.item);
        list.item = NULL;
    }
    *item = list.item;
    return status;
}

base_status mm_list_get(base_context *context, const mm_record *record, const char *key, int64_t expected,
                        int64_t **item) {
    return get(context, record, key, (list){.expected = expected, .least = 1}, item);
}

base_status mm_list_get_counts(base_context *context, const mm_record *record, const char *key,
                               int64_t expected, int64_t **count) {
    return get(context, record, key, (list){.expected = expected}, count);
}

base_status mm_list_parse_counts(base_context *context, const char *option, const char *text,
                                 int64_t expected, int64_t **count) {
    base_status status;
    list list = {.expected = expected, .is_option = true};
    BASE_TRY(reserve_items(context, &list));
    BASE_TRY(read_line(context, option, text, text + strlen(text), &list));
    if (list.length != expected)
        BASE_TRY(wrong_length(context, option, &list));
done:
    if (status != BASE_OK) {
        free(list.item);
        list.item = NULL;
    }
    *count = list.item;
    return status;
}

base_status mm_list_parse_indices(base_context *context, const char *what, const char *text, const char *end,
                                  int64_t most, mm_indices *indices) {
    list list = {.item = indices->item,
                 .least = 1,
                 .is_option = true,
                 .grows = true,
                 .capacity = indices->capacity,
                 .most = most};
    const base_status status = read_line(context, what, text, end, &list);
    *indices = (mm_indices){list.item, list.length, list.capacity};
    return status;
}

void mm_indices_free(mm_indices *indices) {
    if (indices == NULL)
        return;
    free(indices->item);
    *indices = (mm_indices){0};
}

base_status mm_list_refuse_counts(base_context *context, const mm_record *record, const char *doing) {
    static const char *const keys[] = {MM_ROW_COUNTS, MM_COLUMN_COUNTS};
    size_t size;
    for (int k = 0; k < 2; k++)
        if (mm_metadata_find(record, keys[k], &size) != NULL)
            return base_fail(context, BASE_FAILED, "a matrix with %% %s cannot be %s", keys[k], doing);
    return BASE_OK;
}

/* ---- writing ---- */

typedef struct text {
    char *byte;
    int64_t length, capacity;
} text;

/* Room for the longest item with the beginning of a line before it and a NUL behind. */
static base_status reserve_item(base_context *context, text *text) {
    return base_reserve(context, &text->byte, &text->capacity, text->length + 4 * MM_DECIMAL_LONGEST, 1);
}

static void append_word(text *text, const char *word) {
    size_t length = strlen(word);
    memcpy(text->byte + text->length, word, length);
    text->length += (int64_t)length;
}

static void append_item(text *text, int64_t first, int64_t last) {
    text->byte[text->length++] = ' ';
    text->length += mm_decimal_write_int64(text->byte + text->length, first);
    if (last > first) {
        text->byte[text->length++] = ':';
        text->length += mm_decimal_write_int64(text->byte + text->length, last);
    }
}

/* The last place of the ascending run that begins at k: a run of two is not worth a colon. */
static int64_t run_end(const int64_t *item, int64_t length, int64_t k) {
    int64_t end = k;
    while (end + 1 < length && item[end + 1] == item[end] + 1)
        end++;
    return end - k >= 2 ? end : k;
}

static void begin_line(text *text, const char *key) {
    append_word(text, "% ");
    append_word(text, key);
    append_word(text, ":");
}

static base_status append_list(base_context *context, const char *key, const int64_t *item, int64_t length,
                               int64_t least, text *text) {
    base_status status = BASE_OK;
    int64_t line = text->length;
    BASE_TRY(reserve_item(context, text));
    begin_line(text, key);
    for (int64_t k = 0; k < length; k++) {
        BASE_TRY(reserve_item(context, text));
        if (text->length - line >= LINE) {
            append_word(text, "\n");
            line = text->length;
            begin_line(text, key);
        }
        int64_t end = run_end(item, length, k);
        append_item(text, item[k] + least, item[end] + least);
        k = end;
    }
    BASE_TRY(reserve_item(context, text));
    append_word(text, "\n");
done:
    return status;
}

static base_status set(base_context *context, mm_record *record, const char *key, const int64_t *item,
                       int64_t length, int64_t least) {
    base_status status = BASE_OK;
    text text = {NULL, 0, 0};
    mm_metadata_remove(record, key);
    size_t old = record->comments != NULL ? strlen(record->comments) : 0;
    /* With room for small numbers. */
    BASE_TRY(base_reserve(context, &text.byte, &text.capacity,
                          (int64_t)old + 4 * length + 8 * MM_DECIMAL_LONGEST, 1));
    if (old > 0)
        memcpy(text.byte, record->comments, old);
    text.length = (int64_t)old;
    BASE_TRY(append_list(context, key, item, length, least, &text));
    text.byte[text.length] = '\0';
    free(record->comments);
    record->comments = text.byte;
    text.byte = NULL;
done:
    free(text.byte);
    return status;
}

base_status mm_list_set(base_context *context, mm_record *record, const char *key, const int64_t *item,
                        int64_t length) {
    return set(context, record, key, item, length, 1);
}

base_status mm_list_set_counts(base_context *context, mm_record *record, const char *key,
                               const int64_t *count, int64_t length) {
    return set(context, record, key, count, length, 0);
}
