/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/matrix/extract.h"
#include "base/core/memory.h"
#include "mm/matrix/convert.h"
#include "mm/matrix/values.h"
#include "mm/metadata/list.h"
#include "mm/metadata/metadata.h"
#include "mm/metadata/origin.h"
#include "mm/source/lines.h"

#include <stdlib.h>
#include <string.h>

struct mm_extractor {
    const mm_record *record;
    mm_origin origin;
    char *name;
    int64_t count;                   /* submatrices so far */
    mm_indices rows, cols, all_cols; /* of the next submatrix; of a line without columns */

    const char *path; /* NULL: one submatrix */
    mm_lines lines;

    /* Of a coordinate matrix: entries by rows, and for each column the places that it takes. */
    int64_t *row_start, *row_entry;
    int64_t *first_place; /* -1: none */
    int64_t *next_place, place_capacity;
    int64_t *from, from_capacity; /* entries of the part */
};

/* ---- opening ---- */

static base_status index_rows(base_context *context, mm_extractor *x) {
    const mm_record *record = x->record;
    x->row_start = base_alloc_zero(context, record->nrow + 1, sizeof *x->row_start);
    x->row_entry = base_alloc(context, record->nnz, sizeof *x->row_entry);
    x->first_place = base_alloc(context, record->ncol, sizeof *x->first_place);
    if (x->row_start == NULL || x->row_entry == NULL || x->first_place == NULL)
        return BASE_MACHINE;
    for (int64_t k = 0; k < record->nnz; k++)
        x->row_start[record->row[k]]++;
    for (int64_t i = 0; i < record->nrow; i++)
        x->row_start[i + 1] += x->row_start[i];
    for (int64_t k = record->nnz - 1; k >= 0; k--) /* from ends to beginnings */
        x->row_entry[--x->row_start[record->row[k]]] = k;
    x->row_start[record->nrow] = record->nnz;
    memset(x->first_place, -1, (size_t)record->ncol * sizeof *x->first_place);
    return BASE_OK;
}

/* `text` ends at its NUL or at a semicolon; NULL and an empty one stand for all indices. */
static base_status parse_option(base_context *context, const char *option, const char *text, int64_t size,
                                mm_indices *indices) {
    const size_t length = text != NULL ? strcspn(text, ";") : 0;
    if (length > 0)
        return mm_list_parse_indices(context, option, text, text + length, size, indices);
    if (base_reserve(context, &indices->item, &indices->capacity, size, sizeof *indices->item) != BASE_OK)
        return BASE_MACHINE;
    indices->length = size;
    for (int64_t k = 0; k < size; k++)
        indices->item[k] = k;
    return BASE_OK;
}

/* The place of the context stays where the reader is. */
static base_status open_list(base_context *context, mm_extractor *x) {
    const base_place place = context->place;
    context->place.record = 0;
    const base_status status = mm_lines_open(context, x->path, &x->lines);
    if (status != BASE_OK) {
        const base_error error = context->error;
        base_fail(context, status, "--submatrix: %s%s", error.cause,
                  status == BASE_USAGE ? "; two lists have a semicolon, as 1:3;2,5" : "");
    }
    context->place = place;
    return status;
}

base_status mm_extractor_open(base_context *context, mm_record *record, const mm_extract_options *options,
                              mm_extractor **extractor) {
    base_status status = BASE_OK;
    bool changed;
    mm_extractor *x = base_alloc_zero(context, 1, sizeof *x);
    if (x == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(mm_list_refuse_counts(context, record, "cut into submatrices"));
    BASE_TRY(mm_record_expand(context, record, &changed));
    x->record = record;
    x->path = options->file;
    BASE_TRY(mm_origin_get(context, record, &x->origin));
    BASE_TRY(mm_record_name(context, record, &x->name));
    const char *lists = options->lists, *cols = lists != NULL ? strchr(lists, ';') + 1 : options->cols;
    BASE_TRY(parse_option(context, lists != NULL ? "--submatrix" : "--rows",
                          lists != NULL ? lists : options->rows, record->nrow, &x->rows));
    BASE_TRY(
        parse_option(context, lists != NULL ? "--submatrix" : "--cols", cols, record->ncol, &x->all_cols));
    if (record->format == MM_COORDINATE)
        BASE_TRY(index_rows(context, x));
    if (x->path != NULL)
        BASE_TRY(open_list(context, x));
done:
    if (status != BASE_OK) {
        mm_extractor_close(x);
        x = NULL;
    }
    *extractor = x;
    return status;
}

void mm_extractor_close(mm_extractor *x) {
    if (x == NULL)
        return;
    mm_origin_free(&x->origin);
    free(x->name);
    mm_indices_free(&x->rows);
    mm_indices_free(&x->cols);
    mm_indices_free(&x->all_cols);
    mm_lines_close(&x->lines);
    free(x->row_start);
    free(x->row_entry);
    free(x->first_place);
    free(x->next_place);
    free(x->from);
    free(x);
}

/* ---- the list ---- */

/* *cols are the columns that hold. */
static base_status parse_line(base_context *context, mm_extractor *x, const mm_indices **cols) {
    base_status status;
    const mm_record *record = x->record;
    const char *line = x->lines.text, *end = line + strlen(line), *semicolon = strchr(line, ';');
    *cols = semicolon != NULL ? &x->cols : &x->all_cols;
    BASE_TRY(mm_list_parse_indices(context, "--submatrix, rows", line, semicolon != NULL ? semicolon : end,
                                   record->nrow, &x->rows));
    if (semicolon != NULL)
        BASE_TRY(mm_list_parse_indices(context, "--submatrix, columns", semicolon + 1, end, record->ncol,
                                       &x->cols));
done:
    /* What is wrong usage on the command line is damage in a file. */
    if (status == BASE_USAGE)
        status = context->error.status = BASE_DAMAGED;
    return status;
}

static base_status next_line(base_context *context, mm_extractor *x, const mm_indices **cols, bool *found) {
    base_status status;
    do
        BASE_TRY(mm_lines_next(context, &x->lines, found));
    while (*found && (x->lines.text[strspn(x->lines.text, " \t\r")] == '\0' || *x->lines.text == '%'));
    if (*found)
        BASE_TRY(parse_line(context, x, cols));
    else if (x->count == 0) {
        context->place.line = 0;
        BASE_TRY(base_fail(context, BASE_FAILED,
                           "--submatrix: the file lists no submatrix; a pipe can be read for one "
                           "matrix only"));
    }
done:
    return status;
}

/* ---- the submatrix ---- */

static base_status reserve_entries(base_context *context, mm_extractor *x, int64_t count) {
    if (count > context->memory_bytes / 32)
        return base_fail(context, BASE_MACHINE,
                         "a submatrix of %lld entries exceeds the memory allowed; raise --memory",
                         (long long)count);
    return base_reserve(context, &x->from, &x->from_capacity, count, sizeof *x->from);
}

static base_status take_array(base_context *context, mm_extractor *x, const mm_indices *cols,
                              mm_record *part) {
    const mm_record *record = x->record;
    base_status status;
    const int64_t length = mm_array_length(x->rows.length, cols->length, MM_GENERAL);
    BASE_TRY(reserve_entries(context, x, length >= 0 ? length : INT64_MAX));
    for (int64_t j = 0, k = 0; j < cols->length; j++)
        for (int64_t i = 0; i < x->rows.length; i++)
            x->from[k++] = cols->item[j] * record->nrow + x->rows.item[i];
    BASE_TRY(mm_gather_into(context, record, length, x->from, part));
done:
    return status;
}

/* Lists for each column of the matrix its places in the part; `set` false clears the lists. */
static void link_places(mm_extractor *x, const mm_indices *cols, bool set) {
    for (int64_t j = cols->length - 1; j >= 0; j--) {
        int64_t *first = &x->first_place[cols->item[j]];
        x->next_place[j] = *first;
        *first = set ? j : -1;
    }
}

/* Entries of each column of the part, or with `part` their places: end[j] moves from where column j begins to
 * where it ends. Row after row, so that the entries of a column are sorted. */
static void deal_entries(mm_extractor *x, int64_t *end, mm_record *part) {
    for (int64_t i = 0; i < x->rows.length; i++) {
        const int64_t row = x->rows.item[i];
        for (int64_t p = x->row_start[row]; p < x->row_start[row + 1]; p++) {
            const int64_t k = x->row_entry[p];
            for (int64_t j = x->first_place[x->record->col[k]]; j >= 0; j = x->next_place[j]) {
                const int64_t q = end[j]++;
                if (part == NULL)
                    continue;
                part->row[q] = i;
                part->col[q] = j;
                x->from[q] = k;
            }
        }
    }
}

static base_status take_coordinate(base_context *context, mm_extractor *x, const mm_indices *cols,
                                   mm_record *part) {
    base_status status = BASE_OK;
    int64_t nnz = 0;
    int64_t *end = base_alloc_zero(context, cols->length, sizeof *end);
    if (end == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(base_reserve(context, &x->next_place, &x->place_capacity, cols->length, sizeof *x->next_place));
    link_places(x, cols, true);
    deal_entries(x, end, NULL);
    for (int64_t j = 0; j < cols->length; j++) {
        const int64_t count = end[j];
        end[j] = nnz;
        nnz += count;
    }
    status = reserve_entries(context, x, nnz);
    part->row = base_alloc(context, nnz, sizeof *part->row);
    part->col = base_alloc(context, nnz, sizeof *part->col);
    if (status == BASE_OK && (part->row == NULL || part->col == NULL))
        status = BASE_MACHINE;
    if (status == BASE_OK)
        deal_entries(x, end, part);
    link_places(x, cols, false);
    if (status == BASE_OK)
        BASE_TRY(mm_gather_into(context, x->record, nnz, x->from, part));
done:
    free(end);
    return status;
}

static base_status take(base_context *context, mm_extractor *x, const mm_indices *cols, mm_record *part) {
    const mm_record *record = x->record;
    base_status status;
    mm_record_free(part);
    part->format = record->format;
    part->field = record->field;
    part->nrow = x->rows.length;
    part->ncol = cols->length;
    if (record->format == MM_ARRAY)
        BASE_TRY(take_array(context, x, cols, part));
    else
        BASE_TRY(take_coordinate(context, x, cols, part));
    x->count++;
    BASE_TRY(mm_metadata_set(context, part, "name", "%s[%lld]", x->name, (long long)x->count));
    BASE_TRY(mm_origin_set(context, part, &x->origin, x->rows.item, cols->item));
done:
    return status;
}

/* What fails does so at the line of the list; then the place is the reader's again. */
static base_status next_listed(base_context *context, mm_extractor *x, mm_record *part, bool *found) {
    base_status status;
    const mm_indices *cols = NULL;
    const base_place place = context->place;
    *context->place.file = '\0';
    strncat(context->place.file, x->path, sizeof context->place.file - 1);
    context->place.record = context->place.member = 0;
    BASE_TRY(next_line(context, x, &cols, found));
    if (*found)
        BASE_TRY(take(context, x, cols, part));
done:
    context->place = place;
    return status;
}

base_status mm_extractor_next(base_context *context, mm_extractor *x, mm_record *part, bool *found) {
    if (x->path != NULL)
        return next_listed(context, x, part, found);
    *found = x->count == 0;
    return *found ? take(context, x, &x->all_cols, part) : BASE_OK;
}
