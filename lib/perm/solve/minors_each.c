/* SPDX-License-Identifier: BSD-3-Clause */
/* Minors one by one (minors_record.h). */
#include "perm/solve/minors_record.h"

#include <string.h>

static void copy_entry(const mm_sparse *from, int64_t e, mm_sparse *to, int64_t row) {
    const int64_t at = to->nnz++;
    to->index[at] = row;
    if (from->field == MM_COMPLEX)
        memcpy(&to->real[2 * at], &from->real[2 * e], 2 * sizeof *to->real);
    else if (from->field == MM_REAL)
        to->real[at] = from->real[e];
    else if (from->digits != NULL)
        to->digits[at] = from->digits[e];
    else if (from->field == MM_INTEGER)
        to->integer[at] = from->integer[e];
}

/* The matrix, by columns, without row i and column j; its texts stay where they are. */
static base_status leave_out(base_context *context, const mm_sparse *matrix, int64_t i, int64_t j,
                             mm_sparse *rest) {
    base_status status;
    const int64_t n = matrix->nrow;
    *rest = (mm_sparse){.nrow = n - 1, .ncol = n - 1, .nnz = matrix->nnz, .field = matrix->field};
    BASE_TRY(mm_sparse_alloc(context, rest, n - 1, matrix->digits != NULL));
    rest->nnz = 0;
    for (int64_t k = 0, to = 0; k < n; k++) {
        for (int64_t e = matrix->start[k]; k != j && e < matrix->start[k + 1]; e++)
            if (matrix->index[e] != i)
                copy_entry(matrix, e, rest, matrix->index[e] - (matrix->index[e] > i));
        if (k != j)
            rest->start[++to] = rest->nnz;
    }
done:
    return status;
}

base_status perm_minors_each(base_context *context, const mm_sparse *matrix, const perm_options *options,
                             perm_value *minor) {
    base_status status = BASE_OK;
    const int64_t n = matrix->nrow;
    mm_sparse rest = {0};
    perm_result result;
    perm_options silent = *options;
    silent.log.line = NULL;
    silent.work = NULL;
    perm_result_init(&result);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            BASE_TRY(leave_out(context, matrix, i, j, &rest));
            BASE_TRY(perm_solve(context, &rest, &silent, NULL, &result));
            perm_value_move(&minor[j * n + i], &result.value);
            mm_sparse_free(&rest);
            perm_result_free(&result);
            perm_result_init(&result);
        }
done:
    mm_sparse_free(&rest);
    perm_result_free(&result);
    return status;
}
