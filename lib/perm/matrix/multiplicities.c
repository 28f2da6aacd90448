/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/matrix/multiplicities.h"
#include "base/core/memory.h"
#include "mm/matrix/submatrix.h"
#include "mm/metadata/list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void perm_counts_free(perm_counts *counts) {
    if (counts == NULL)
        return;
    free(counts->row);
    free(counts->column);
    *counts = (perm_counts){NULL, NULL};
}

base_status perm_counts_get(base_context *context, const mm_record *record, const char *row_list,
                            const char *column_list, perm_counts *counts) {
    base_status status;
    *counts = (perm_counts){NULL, NULL};
    if (row_list != NULL)
        BASE_TRY(mm_list_parse_counts(context, "--row-mult", row_list, record->nrow, &counts->row));
    else
        BASE_TRY(mm_list_get_counts(context, record, MM_ROW_COUNTS, record->nrow, &counts->row));
    if (column_list != NULL)
        BASE_TRY(mm_list_parse_counts(context, "--col-mult", column_list, record->ncol, &counts->column));
    else
        BASE_TRY(mm_list_get_counts(context, record, MM_COLUMN_COUNTS, record->ncol, &counts->column));
done:
    if (status != BASE_OK)
        perm_counts_free(counts);
    return status;
}

void perm_rectangular_free(perm_rectangular *rectangular) {
    if (rectangular == NULL)
        return;
    mm_sparse_free(&rectangular->matrix);
    perm_counts_free(&rectangular->counts);
    *rectangular = (perm_rectangular){.nrow = 0};
}

static base_status copy_counts(base_context *context, const int64_t *given, int64_t length, int64_t **count) {
    *count = base_alloc(context, length, sizeof **count);
    if (*count == NULL)
        return BASE_MACHINE;
    for (int64_t k = 0; k < length; k++)
        (*count)[k] = given != NULL ? given[k] : 1;
    return BASE_OK;
}

/* False when it overflows. */
static bool sum(const int64_t *count, int64_t length, int64_t *total) {
    *total = 0;
    for (int64_t k = 0; k < length; k++)
        if (__builtin_add_overflow(*total, count[k], total))
            return false;
    return true;
}

/* Where there are more columns than rows, a column without an entry counts 0 times: no choice uses it. And so
 * for rows. */
static base_status drop_empty(base_context *context, const mm_sparse *matrix, perm_rectangular *rectangular) {
    bool *used = base_alloc_zero(context, matrix->nrow, sizeof *used);
    if (used == NULL)
        return BASE_MACHINE;
    for (int64_t j = 0; j < matrix->ncol; j++) {
        if (rectangular->nrow < rectangular->ncol && matrix->start[j] == matrix->start[j + 1])
            rectangular->counts.column[j] = 0;
        for (int64_t e = matrix->start[j]; e < matrix->start[j + 1] && rectangular->counts.column[j] > 0; e++)
            used[matrix->index[e]] = true;
    }
    for (int64_t i = 0; i < matrix->nrow; i++)
        if (rectangular->nrow > rectangular->ncol && !used[i])
            rectangular->counts.row[i] = 0;
    free(used);
    return BASE_OK;
}

/* Keeps the rows and columns that count; their counts move to the front. */
static base_status select_counted(base_context *context, const mm_sparse *matrix,
                                  perm_rectangular *rectangular) {
    base_status status = BASE_OK;
    int64_t *place = base_alloc(context, matrix->nrow, sizeof *place);
    int64_t *column = base_alloc(context, matrix->ncol, sizeof *column);
    mm_selection selection = {.row_place = place, .column = column};
    if (place == NULL || column == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t i = 0; i < matrix->nrow; i++) {
        place[i] = rectangular->counts.row[i] > 0 ? selection.nrow : -1;
        rectangular->counts.row[selection.nrow] = rectangular->counts.row[i];
        selection.nrow += place[i] >= 0;
    }
    for (int64_t j = 0; j < matrix->ncol; j++)
        if (rectangular->counts.column[j] > 0) {
            rectangular->counts.column[selection.ncol] = rectangular->counts.column[j];
            column[selection.ncol++] = j;
        }
    BASE_TRY(mm_sparse_select(context, matrix, &selection, &rectangular->matrix));
done:
    free(place);
    free(column);
    return status;
}

base_status perm_rectangular_make(base_context *context, const mm_sparse *matrix, const perm_counts *counts,
                                  perm_rectangular *rectangular) {
    base_status status;
    *rectangular = (perm_rectangular){.nrow = 0};
    BASE_TRY(
        copy_counts(context, counts != NULL ? counts->row : NULL, matrix->nrow, &rectangular->counts.row));
    BASE_TRY(copy_counts(context, counts != NULL ? counts->column : NULL, matrix->ncol,
                         &rectangular->counts.column));
    if (!sum(rectangular->counts.row, matrix->nrow, &rectangular->nrow) ||
        !sum(rectangular->counts.column, matrix->ncol, &rectangular->ncol))
        BASE_TRY(base_fail(context, BASE_FAILED, "the multiplicities are too large"));
    const int64_t fewer = rectangular->nrow < rectangular->ncol ? rectangular->nrow : rectangular->ncol;
    BASE_TRY(drop_empty(context, matrix, rectangular));
    BASE_TRY(select_counted(context, matrix, rectangular));
    sum(rectangular->counts.row, rectangular->matrix.nrow, &rectangular->nrow);
    sum(rectangular->counts.column, rectangular->matrix.ncol, &rectangular->ncol);
    rectangular->is_zero = rectangular->nrow < fewer || rectangular->ncol < fewer;
done:
    if (status != BASE_OK)
        perm_rectangular_free(rectangular);
    return status;
}

base_status perm_rectangular_distinct(base_context *context, const perm_rectangular *rectangular,
                                      perm_distinct *distinct) {
    base_status status;
    const int64_t nrow = rectangular->matrix.nrow, ncol = rectangular->matrix.ncol;
    *distinct = (perm_distinct){0};
    if ((double)nrow * (double)ncol * sizeof(perm_value) > (double)context->memory_bytes)
        return base_fail(context, BASE_FAILED, "%lld rows and %lld columns are too many", (long long)nrow,
                         (long long)ncol);
    BASE_TRY(perm_distinct_from_sparse(context, &rectangular->matrix, distinct));
    memcpy(distinct->row_count, rectangular->counts.row, (size_t)nrow * sizeof *distinct->row_count);
    memcpy(distinct->column_count, rectangular->counts.column, (size_t)ncol * sizeof *distinct->column_count);
    perm_distinct_group(distinct);
done:
    return status;
}

/* ---- the square matrix ---- */

static void put(mm_sparse *square, int64_t row, const mm_sparse *from, int64_t e) {
    const int64_t to = square->nnz++;
    square->index[to] = row;
    if (square->digits != NULL)
        square->digits[to] = from != NULL ? from->digits[e] : "1";
    else if (square->integer != NULL)
        square->integer[to] = from != NULL ? from->integer[e] : 1;
    else if (square->field == MM_REAL)
        square->real[to] = from != NULL ? from->real[e] : 1;
    else if (square->field == MM_COMPLEX) {
        square->real[2 * to] = from != NULL ? from->real[2 * e] : 1;
        square->real[2 * to + 1] = from != NULL ? from->real[2 * e + 1] : 0;
    }
}

/* Column j, `first` being the first place of each row. */
static void put_column(const perm_rectangular *rectangular, int64_t j, const int64_t *first,
                       mm_sparse *square) {
    const mm_sparse *matrix = &rectangular->matrix;
    for (int64_t e = matrix->start[j]; e < matrix->start[j + 1]; e++)
        for (int64_t k = 0; k < rectangular->counts.row[matrix->index[e]]; k++)
            put(square, first[matrix->index[e]] + k, matrix, e);
    for (int64_t i = rectangular->nrow; i < rectangular->ncol; i++)
        put(square, i, NULL, 0);
}

base_status perm_rectangular_expand(base_context *context, const perm_rectangular *rectangular,
                                    mm_sparse *square) {
    base_status status = BASE_OK;
    const mm_sparse *matrix = &rectangular->matrix;
    const int64_t n = rectangular->nrow > rectangular->ncol ? rectangular->nrow : rectangular->ncol;
    int64_t *first = base_alloc(context, matrix->nrow, sizeof *first), next = 0, column = 0;
    *square = (mm_sparse){.nrow = n, .ncol = n, .field = matrix->field};
    if (first == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t i = 0; i < matrix->nrow; i++) {
        first[i] = next;
        next += rectangular->counts.row[i];
    }
    for (int64_t j = 0; j < matrix->ncol; j++) {
        int64_t entries = n - rectangular->nrow;
        for (int64_t e = matrix->start[j]; e < matrix->start[j + 1]; e++)
            entries += rectangular->counts.row[matrix->index[e]];
        square->nnz += entries * rectangular->counts.column[j];
    }
    square->nnz += (n - rectangular->ncol) * n;
    BASE_TRY(mm_sparse_alloc(context, square, n, matrix->digits != NULL));
    square->nnz = 0;
    for (int64_t j = 0; j < matrix->ncol; j++)
        for (int64_t k = 0; k < rectangular->counts.column[j]; k++) {
            put_column(rectangular, j, first, square);
            square->start[++column] = square->nnz;
        }
    while (column < n) {
        for (int64_t i = 0; i < n; i++)
            put(square, i, NULL, 0);
        square->start[++column] = square->nnz;
    }
done:
    free(first);
    return status;
}
