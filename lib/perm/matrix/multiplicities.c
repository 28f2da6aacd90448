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

void perm_shape_free(perm_shape *shape) {
    if (shape == NULL)
        return;
    mm_sparse_free(&shape->matrix);
    perm_counts_free(&shape->counts);
    *shape = (perm_shape){.nrow = 0};
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

/* Lines of the more numerous kind without an entry count 0 times: no choice uses them. */
static base_status drop_empty(base_context *context, const mm_sparse *matrix, perm_shape *shape) {
    bool *used = base_alloc_zero(context, matrix->nrow, sizeof *used);
    if (used == NULL)
        return BASE_MACHINE;
    for (int64_t j = 0; j < matrix->ncol; j++) {
        if (shape->nrow < shape->ncol && matrix->start[j] == matrix->start[j + 1])
            shape->counts.column[j] = 0;
        for (int64_t e = matrix->start[j]; e < matrix->start[j + 1] && shape->counts.column[j] > 0; e++)
            used[matrix->index[e]] = true;
    }
    for (int64_t i = 0; i < matrix->nrow; i++)
        if (shape->nrow > shape->ncol && !used[i])
            shape->counts.row[i] = 0;
    free(used);
    return BASE_OK;
}

/* Keeps the lines that count; their counts move to the front. */
static base_status select_lines(base_context *context, const mm_sparse *matrix, perm_shape *shape) {
    base_status status = BASE_OK;
    int64_t *place = base_alloc(context, matrix->nrow, sizeof *place);
    int64_t *column = base_alloc(context, matrix->ncol, sizeof *column);
    mm_selection selection = {.row_place = place, .column = column};
    if (place == NULL || column == NULL) {
        status = BASE_MACHINE;
        goto done;
    }
    for (int64_t i = 0; i < matrix->nrow; i++) {
        place[i] = shape->counts.row[i] > 0 ? selection.nrow : -1;
        shape->counts.row[selection.nrow] = shape->counts.row[i];
        selection.nrow += place[i] >= 0;
    }
    for (int64_t j = 0; j < matrix->ncol; j++)
        if (shape->counts.column[j] > 0) {
            shape->counts.column[selection.ncol] = shape->counts.column[j];
            column[selection.ncol++] = j;
        }
    BASE_TRY(mm_sparse_select(context, matrix, &selection, &shape->matrix));
done:
    free(place);
    free(column);
    return status;
}

base_status perm_shape_make(base_context *context, const mm_sparse *matrix, const perm_counts *counts,
                            perm_shape *shape) {
    base_status status;
    *shape = (perm_shape){.nrow = 0};
    BASE_TRY(copy_counts(context, counts != NULL ? counts->row : NULL, matrix->nrow, &shape->counts.row));
    BASE_TRY(
        copy_counts(context, counts != NULL ? counts->column : NULL, matrix->ncol, &shape->counts.column));
    if (!sum(shape->counts.row, matrix->nrow, &shape->nrow) ||
        !sum(shape->counts.column, matrix->ncol, &shape->ncol))
        BASE_TRY(base_fail(context, BASE_FAILED, "the multiplicities are too large"));
    const int64_t fewer = shape->nrow < shape->ncol ? shape->nrow : shape->ncol;
    BASE_TRY(drop_empty(context, matrix, shape));
    BASE_TRY(select_lines(context, matrix, shape));
    sum(shape->counts.row, shape->matrix.nrow, &shape->nrow);
    sum(shape->counts.column, shape->matrix.ncol, &shape->ncol);
    shape->is_zero = shape->nrow < fewer || shape->ncol < fewer;
done:
    if (status != BASE_OK)
        perm_shape_free(shape);
    return status;
}

base_status perm_shape_lines(base_context *context, const perm_shape *shape, perm_distinct *lines) {
    base_status status;
    const int64_t nrow = shape->matrix.nrow, ncol = shape->matrix.ncol;
    *lines = (perm_distinct){0};
    if ((double)nrow * (double)ncol * sizeof(perm_value) > (double)context->memory_bytes)
        return base_fail(context, BASE_FAILED, "%lld rows and %lld columns are too many", (long long)nrow,
                         (long long)ncol);
    BASE_TRY(perm_distinct_from_sparse(context, &shape->matrix, lines));
    memcpy(lines->row_count, shape->counts.row, (size_t)nrow * sizeof *lines->row_count);
    memcpy(lines->column_count, shape->counts.column, (size_t)ncol * sizeof *lines->column_count);
    perm_distinct_group(lines);
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

/* Column j of the shape, `first` being the first place of each row. */
static void put_column(const perm_shape *shape, int64_t j, const int64_t *first, mm_sparse *square) {
    const mm_sparse *matrix = &shape->matrix;
    for (int64_t e = matrix->start[j]; e < matrix->start[j + 1]; e++)
        for (int64_t k = 0; k < shape->counts.row[matrix->index[e]]; k++)
            put(square, first[matrix->index[e]] + k, matrix, e);
    for (int64_t i = shape->nrow; i < shape->ncol; i++)
        put(square, i, NULL, 0);
}

base_status perm_shape_expand(base_context *context, const perm_shape *shape, mm_sparse *square) {
    base_status status = BASE_OK;
    const mm_sparse *matrix = &shape->matrix;
    const int64_t n = shape->nrow > shape->ncol ? shape->nrow : shape->ncol;
    int64_t *first = base_alloc(context, matrix->nrow, sizeof *first), next = 0, column = 0;
    *square = (mm_sparse){.nrow = n, .ncol = n, .field = matrix->field};
    if (first == NULL) {
        status = BASE_MACHINE;
        goto done;
    }
    for (int64_t i = 0; i < matrix->nrow; i++) {
        first[i] = next;
        next += shape->counts.row[i];
    }
    for (int64_t j = 0; j < matrix->ncol; j++) {
        int64_t entries = n - shape->nrow;
        for (int64_t e = matrix->start[j]; e < matrix->start[j + 1]; e++)
            entries += shape->counts.row[matrix->index[e]];
        square->nnz += entries * shape->counts.column[j];
    }
    square->nnz += (n - shape->ncol) * n;
    BASE_TRY(mm_sparse_alloc(context, square, n, matrix->digits != NULL));
    square->nnz = 0;
    for (int64_t j = 0; j < matrix->ncol; j++)
        for (int64_t k = 0; k < shape->counts.column[j]; k++) {
            put_column(shape, j, first, square);
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
