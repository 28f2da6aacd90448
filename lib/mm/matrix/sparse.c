/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/matrix/sparse.h"
#include "base/core/memory.h"
#include "base/run/progress.h"

#include <stdlib.h>
#include <string.h>

int mm_sparse_value_words(mm_field field) {
    return field == MM_PATTERN ? 0 : field == MM_COMPLEX ? 2 : 1;
}

void *mm_sparse_values(const mm_sparse *matrix) {
    if (matrix->real != NULL)
        return matrix->real;
    return matrix->integer != NULL ? (void *)matrix->integer : (void *)matrix->digits;
}

int64_t mm_sparse_find(const mm_sparse *matrix, int64_t index, int64_t major) {
    int64_t low = matrix->start[major], high = matrix->start[major + 1] - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (matrix->index[middle] < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

mm_sparse mm_sparse_pattern(const mm_sparse *matrix) {
    return (mm_sparse){.nrow = matrix->nrow,
                       .ncol = matrix->ncol,
                       .nnz = matrix->nnz,
                       .start = matrix->start,
                       .index = matrix->index,
                       .field = MM_PATTERN};
}

base_status mm_sparse_alloc(base_context *context, mm_sparse *matrix, int64_t majors, bool digits) {
    matrix->start = base_alloc_zero(context, majors + 1, sizeof *matrix->start);
    matrix->index = base_alloc(context, matrix->nnz, sizeof *matrix->index);
    if (matrix->start == NULL || matrix->index == NULL)
        return BASE_MACHINE;
    if (matrix->field == MM_PATTERN)
        return BASE_OK;
    void *values = base_alloc(context, matrix->nnz, 8 * mm_sparse_value_words(matrix->field));
    if (matrix->field != MM_INTEGER)
        matrix->real = values;
    else if (digits)
        matrix->digits = values;
    else
        matrix->integer = values;
    return values != NULL ? BASE_OK : BASE_MACHINE;
}

void mm_sparse_free(mm_sparse *matrix) {
    if (matrix == NULL)
        return;
    free(matrix->start);
    free(matrix->index);
    free(matrix->real);
    free(matrix->integer);
    free(matrix->digits);
    free(matrix->negated_digits);
    memset(matrix, 0, sizeof *matrix);
}

void mm_sparse_begin_fill(int64_t *start, int64_t majors) {
    int64_t sum = 0;
    for (int64_t j = 0; j <= majors; j++) {
        int64_t count = start[j];
        start[j] = sum;
        sum += count;
    }
}

void mm_sparse_end_fill(int64_t *start, int64_t majors) {
    memmove(start + 1, start, (size_t)majors * sizeof *start);
    start[0] = 0;
}

base_status mm_sparse_reorient(base_context *context, const mm_sparse *matrix, mm_orientation orientation,
                               mm_sparse *result) {
    int64_t majors = orientation == MM_BY_ROWS ? matrix->nrow : matrix->ncol;
    int64_t minors = orientation == MM_BY_ROWS ? matrix->ncol : matrix->nrow;
    size_t bytes = 8 * (size_t)mm_sparse_value_words(matrix->field);
    base_status status;
    *result =
        (mm_sparse){.nrow = matrix->nrow, .ncol = matrix->ncol, .nnz = matrix->nnz, .field = matrix->field};
    BASE_TRY(mm_sparse_alloc(context, result, minors, matrix->digits != NULL));
    const char *from = mm_sparse_values(matrix);
    char *to = mm_sparse_values(result);
    for (int64_t p = 0; p < matrix->nnz; p++)
        result->start[matrix->index[p]]++;
    mm_sparse_begin_fill(result->start, minors);
    base_progress_start(context, "transpose", (double)matrix->nnz, "entries");
    for (int64_t j = 0; j < majors; j++) {
        mm_sparse_tell(context, matrix->start, majors, j);
        for (int64_t p = matrix->start[j]; p < matrix->start[j + 1]; p++) {
            int64_t q = result->start[matrix->index[p]]++;
            result->index[q] = j;
            mm_sparse_copy_value(to, q, from, p, bytes);
        }
    }
    base_progress_finish(context);
    mm_sparse_end_fill(result->start, minors);
done:
    if (status != BASE_OK)
        mm_sparse_free(result);
    return status;
}
