/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of sparse matrices. */
#include "base/core/memory.h"
#include "mm/matrix/sparse.h"

#include <stdlib.h>
#include <string.h>

static base_status copy_digits(base_context *context, const mm_sparse *matrix, mm_record *record) {
    int64_t bytes = 0;
    record->digits_start = base_alloc(context, matrix->nnz + 1, sizeof *record->digits_start);
    if (record->digits_start == NULL)
        return BASE_MACHINE;
    for (int64_t p = 0; p < matrix->nnz; p++) {
        record->digits_start[p] = bytes;
        bytes += (int64_t)strlen(matrix->digits[p]) + 1;
    }
    record->digits_start[matrix->nnz] = bytes;
    record->digits = base_alloc(context, bytes, 1);
    if (record->digits == NULL)
        return BASE_MACHINE;
    for (int64_t p = 0; p < matrix->nnz; p++)
        strcpy(record->digits + record->digits_start[p], matrix->digits[p]);
    return BASE_OK;
}

base_status mm_record_from_sparse(base_context *context, const mm_sparse *matrix, mm_record *record) {
    mm_record made;
    mm_record_init(&made);
    made.field = matrix->field;
    made.nrow = matrix->nrow;
    made.ncol = matrix->ncol;
    made.nnz = matrix->nnz;
    base_status status;
    BASE_TRY(mm_record_alloc(context, &made));
    if (matrix->digits != NULL) {
        free(made.integer);
        made.integer = NULL;
        BASE_TRY(copy_digits(context, matrix, &made));
    }
    for (int64_t j = 0; j < matrix->ncol; j++)
        for (int64_t p = matrix->start[j]; p < matrix->start[j + 1]; p++) {
            made.row[p] = matrix->index[p];
            made.col[p] = j;
        }
    size_t bytes = (size_t)matrix->nnz * sizeof(double);
    if (matrix->real != NULL)
        memcpy(made.real, matrix->real, bytes * (size_t)mm_sparse_value_words(matrix->field));
    if (matrix->integer != NULL)
        memcpy(made.integer, matrix->integer, bytes);
    made.comments = record->comments;
    record->comments = NULL;
    mm_record_move(record, &made);
done:
    mm_record_free(&made);
    return status;
}
