/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/matrix/transpose.h"
#include "base/core/memory.h"
#include "mm/arrays/compressed.h"
#include "mm/matrix/values.h"
#include "mm/metadata/list.h"
#include "mm/metadata/metadata.h"
#include "mm/metadata/origin.h"

#include <stdlib.h>

/* The lists of rows become those of columns. */
static base_status swap_lists(base_context *context, mm_record *record, mm_origin *origin,
                              int64_t *counts[2]) {
    base_status status = BASE_OK;
    const mm_origin swapped = {record->nrow, record->ncol, origin->col, origin->row};
    if (origin->row != NULL || origin->col != NULL)
        BASE_TRY(mm_origin_set(context, record, &swapped, NULL, NULL));
    if (counts[0] != NULL || counts[1] != NULL) {
        for (int side = 0; side < 2; side++) {
            const char *key = side == 0 ? MM_COLUMN_COUNTS : MM_ROW_COUNTS;
            const int64_t length = side == 0 ? record->ncol : record->nrow;
            if (counts[side] != NULL)
                BASE_TRY(mm_list_set_counts(context, record, key, counts[side], length));
            else
                mm_metadata_remove(record, key);
        }
    }
done:
    return status;
}

/* Where the values of the transposed array come from. */
static void find_sources(const mm_record *record, int64_t *from) {
    int64_t row, col;
    if (record->symmetry != MM_GENERAL) { /* mirror images, but for the diagonal, which is its own */
        mm_array_first(record, &row, &col);
        for (int64_t k = 0; k < record->nnz; k++) {
            if (record->format == MM_COORDINATE) {
                row = record->row[k];
                col = record->col[k];
            }
            from[k] = row == col ? k : ~k;
            if (record->format == MM_ARRAY)
                mm_array_next(record, &row, &col);
        }
        return;
    }
    for (int64_t k = 0; k < record->nnz; k++) {
        col = k / record->ncol; /* of the transpose, which has ncol rows */
        row = k % record->ncol;
        from[k] = row * record->nrow + col;
    }
}

base_status mm_record_transpose(base_context *context, mm_record *record, bool *changed) {
    base_status status = BASE_OK;
    int64_t *from = NULL, *counts[2] = {NULL, NULL};
    mm_origin origin = {0};
    *changed = record->kind == MM_MATRIX && record->symmetry != MM_SYMMETRIC;
    if (record->kind != MM_MATRIX)
        return BASE_OK;
    BASE_TRY(mm_origin_get(context, record, &origin));
    BASE_TRY(mm_list_get_counts(context, record, MM_ROW_COUNTS, record->nrow, &counts[0]));
    BASE_TRY(mm_list_get_counts(context, record, MM_COLUMN_COUNTS, record->ncol, &counts[1]));
    *changed = *changed || origin.row != NULL || origin.col != NULL || counts[0] != NULL || counts[1] != NULL;
    const bool moves = record->symmetry == MM_SKEW_SYMMETRIC || record->symmetry == MM_HERMITIAN ||
                       (record->symmetry == MM_GENERAL && record->format == MM_ARRAY);
    if (moves) {
        from = base_alloc(context, record->nnz, sizeof *from);
        if (from == NULL)
            BASE_TRY(BASE_MACHINE);
        find_sources(record, from);
        if (record->symmetry != MM_GENERAL)
            BASE_TRY(mm_gather_prepare(context, record));
        BASE_TRY(mm_gather(context, record, record->nnz, from));
    } else if (record->format == MM_COORDINATE && record->symmetry == MM_GENERAL) {
        int64_t *row = record->row;
        record->row = record->col;
        record->col = row;
    }
    const int64_t nrow = record->nrow;
    record->nrow = record->ncol;
    record->ncol = nrow;
    BASE_TRY(swap_lists(context, record, &origin, counts));
done:
    free(from);
    free(counts[0]);
    free(counts[1]);
    mm_origin_free(&origin);
    return status;
}

base_status mm_record_sort(base_context *context, mm_record *record, bool *changed) {
    base_status status = BASE_OK;
    int64_t *order = NULL, *row = NULL, *col = NULL;
    *changed = false;
    if (record->kind != MM_MATRIX || record->format == MM_ARRAY)
        return BASE_OK;
    BASE_TRY(mm_compressed_order(context, record, true, &order));
    if (order == NULL)
        goto done;
    for (int64_t k = 0; k < record->nnz && !*changed; k++)
        *changed = order[k] != k;
    row = base_alloc(context, record->nnz, sizeof *row);
    col = base_alloc(context, record->nnz, sizeof *col);
    if (row == NULL || col == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t k = 0; k < record->nnz; k++) {
        row[k] = record->row[order[k]];
        col[k] = record->col[order[k]];
    }
    BASE_TRY(mm_gather(context, record, record->nnz, order));
    mm_record_free_array(record, record->row);
    mm_record_free_array(record, record->col);
    record->row = row;
    record->col = col;
    row = col = NULL;
done:
    free(order);
    free(row);
    free(col);
    return status;
}

base_status mm_record_to_pattern(base_context *context, mm_record *record, bool *changed) {
    *changed = record->kind == MM_MATRIX && record->field != MM_PATTERN;
    if (!*changed)
        return BASE_OK;
    if (record->format == MM_ARRAY)
        return base_fail(context, BASE_FAILED,
                         "an array has no pattern; --coordinate makes entries of its nonzeros");
    mm_record_free_array(record, record->real);
    mm_record_free_array(record, record->integer);
    mm_record_free_array(record, record->digits);
    free(record->digits_start);
    record->real = NULL;
    record->integer = record->digits_start = NULL;
    record->digits = NULL;
    record->field = MM_PATTERN;
    if (record->symmetry != MM_GENERAL)
        record->symmetry = MM_SYMMETRIC;
    return BASE_OK;
}
