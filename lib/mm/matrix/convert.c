/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/matrix/convert.h"
#include "base/core/memory.h"
#include "mm/matrix/values.h"
#include "mm/record/places.h"
#include "mm/record/value.h"

#include <stdlib.h>

typedef struct entries {
    int64_t count;
    int64_t *row, *col, *from;
} entries;

static base_status alloc_entries(base_context *context, entries *list, int64_t capacity) {
    list->row = base_alloc(context, capacity, sizeof *list->row);
    list->col = base_alloc(context, capacity, sizeof *list->col);
    list->from = base_alloc(context, capacity, sizeof *list->from);
    return list->row != NULL && list->col != NULL && list->from != NULL ? BASE_OK : BASE_MACHINE;
}

static void push(entries *list, int64_t row, int64_t col, int64_t from) {
    list->row[list->count] = row;
    list->col[list->count] = col;
    list->from[list->count++] = from;
}

static void free_entries(entries *list) {
    free(list->row);
    free(list->col);
    free(list->from);
}

static base_status take_entries(base_context *context, mm_record *record, entries *list) {
    base_status status = BASE_OK;
    BASE_TRY(mm_gather(context, record, list->count, list->from));
    mm_record_free_array(record, record->row);
    mm_record_free_array(record, record->col);
    record->row = list->row;
    record->col = list->col;
    list->row = list->col = NULL;
    record->format = MM_COORDINATE;
done:
    return status;
}

static base_status expand_coordinate(base_context *context, mm_record *record) {
    base_status status = BASE_OK;
    entries list = {0};
    int64_t off_diagonal = 0;
    for (int64_t k = 0; k < record->nnz; k++)
        off_diagonal += record->row[k] != record->col[k];
    BASE_TRY(alloc_entries(context, &list, record->nnz + off_diagonal));
    for (int64_t k = 0; k < record->nnz; k++) {
        push(&list, record->row[k], record->col[k], k);
        if (record->row[k] != record->col[k])
            push(&list, record->col[k], record->row[k], ~k);
    }
    BASE_TRY(take_entries(context, record, &list));
done:
    free_entries(&list);
    return status;
}

static base_status refuse_large(base_context *context, const mm_record *record, int64_t length) {
    if (length >= 0 && length <= context->memory_bytes / 16)
        return BASE_OK;
    return base_fail(context, BASE_MACHINE,
                     "an array of %lld by %lld exceeds the memory allowed; raise --memory or leave it sparse",
                     (long long)record->nrow, (long long)record->ncol);
}

static base_status expand_array(base_context *context, mm_record *record) {
    base_status status = BASE_OK;
    int64_t n = record->nrow, row = 0, col = 0, *from = NULL;
    int64_t length = mm_array_length(n, n, MM_GENERAL);
    BASE_TRY(refuse_large(context, record, length));
    from = base_alloc(context, length, sizeof *from);
    if (from == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t i = 0; i < n; i++) /* what a skew-symmetric array does not store */
        from[i * n + i] = MM_GATHER_ZERO;
    mm_array_first(record, &row, &col);
    for (int64_t k = 0; k < record->nnz; k++, mm_array_next(record, &row, &col)) {
        from[row * n + col] = ~k;
        from[col * n + row] = k;
    }
    BASE_TRY(mm_gather(context, record, length, from));
done:
    free(from);
    return status;
}

base_status mm_record_expand(base_context *context, mm_record *record, bool *changed) {
    base_status status = BASE_OK;
    *changed = record->kind == MM_MATRIX && record->symmetry != MM_GENERAL;
    if (!*changed)
        return BASE_OK;
    BASE_TRY(mm_places_expand(context, record));
    BASE_TRY(mm_gather_prepare(context, record));
    if (record->format == MM_ARRAY)
        BASE_TRY(expand_array(context, record));
    else
        BASE_TRY(expand_coordinate(context, record));
    record->symmetry = MM_GENERAL;
done:
    return status;
}

base_status mm_record_drop_zeros(base_context *context, mm_record *record, bool *changed) {
    base_status status = BASE_OK;
    entries list = {0};
    int64_t zeros = 0;
    *changed = false;
    if (record->kind > MM_SCHEME || record->format == MM_ARRAY || record->field == MM_PATTERN)
        return BASE_OK;
    for (int64_t k = 0; k < record->nnz; k++)
        zeros += mm_entry_is_zero(record, k);
    *changed = zeros > 0;
    if (!*changed)
        return BASE_OK;
    BASE_TRY(alloc_entries(context, &list, record->nnz - zeros));
    for (int64_t k = 0; k < record->nnz; k++)
        if (!mm_entry_is_zero(record, k))
            push(&list, record->row[k], record->col[k], k);
    BASE_TRY(take_entries(context, record, &list));
done:
    free_entries(&list);
    return status;
}

base_status mm_record_to_coordinate(base_context *context, mm_record *record, bool *changed) {
    base_status status = BASE_OK;
    entries list = {0};
    int64_t row = 0, col = 0, nonzeros = 0;
    *changed = record->kind == MM_MATRIX && record->format == MM_ARRAY;
    if (!*changed)
        return BASE_OK;
    for (int64_t k = 0; k < record->nnz; k++)
        nonzeros += !mm_entry_is_zero(record, k);
    BASE_TRY(alloc_entries(context, &list, nonzeros));
    mm_array_first(record, &row, &col);
    for (int64_t k = 0; k < record->nnz; k++, mm_array_next(record, &row, &col))
        if (!mm_entry_is_zero(record, k))
            push(&list, row, col, k);
    BASE_TRY(take_entries(context, record, &list));
done:
    free_entries(&list);
    return status;
}

/* The place of a position in array form's order. */
static int64_t array_place(const mm_record *record, int64_t row, int64_t col) {
    int64_t above = 0; /* positions of the columns before that array form leaves out, and of this one */
    if (record->symmetry == MM_SKEW_SYMMETRIC)
        above = (col + 1) * (col + 2) / 2;
    else if (record->symmetry != MM_GENERAL)
        above = col * (col + 1) / 2;
    return col * record->nrow + row - above;
}

base_status mm_record_to_array(base_context *context, mm_record *record, bool *changed) {
    base_status status = BASE_OK;
    int64_t *from = NULL;
    int64_t length = mm_array_length(record->nrow, record->ncol, record->symmetry);
    *changed = record->kind == MM_MATRIX && record->format == MM_COORDINATE;
    if (!*changed)
        return BASE_OK;
    BASE_TRY(refuse_large(context, record, length));
    from = base_alloc(context, length, sizeof *from);
    if (from == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t k = 0; k < length; k++)
        from[k] = MM_GATHER_ZERO;
    for (int64_t k = 0; k < record->nnz; k++) {
        int64_t *place = &from[array_place(record, record->row[k], record->col[k])];
        if (*place != MM_GATHER_ZERO)
            BASE_TRY(base_fail(context, BASE_FAILED, "two entries at row %lld, column %lld",
                               (long long)record->row[k] + 1, (long long)record->col[k] + 1));
        *place = k;
    }
    if (record->field == MM_PATTERN) {
        record->integer = base_alloc(context, record->nnz, sizeof *record->integer);
        if (record->integer == NULL)
            BASE_TRY(BASE_MACHINE);
        for (int64_t k = 0; k < record->nnz; k++)
            record->integer[k] = 1;
        record->field = MM_INTEGER;
    }
    BASE_TRY(mm_gather(context, record, length, from));
    mm_record_free_array(record, record->row);
    mm_record_free_array(record, record->col);
    record->row = record->col = NULL;
    record->format = MM_ARRAY;
done:
    free(from);
    return status;
}
