/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/matrix/reduce.h"
#include "perm/matrix/elimination.h"

enum { LARGEST_COUNTED = 64 };

bool perm_reduce_would_nothing(const mm_sparse *matrix) {
    int64_t column_count[LARGEST_COUNTED] = {0};
    const int64_t n = matrix->ncol;
    if (n > LARGEST_COUNTED)
        return false;
    for (int64_t e = 0; e < matrix->nnz; e++)
        column_count[matrix->index[e]]++;
    for (int64_t i = 0; i < n; i++)
        if (matrix->start[i + 1] - matrix->start[i] <= 2 || column_count[i] <= 2)
            return false;
    return n > 0;
}

base_status perm_reduce(base_context *context, perm_matrix *matrix, perm_matrix *reduced,
                        perm_value *factor) {
    base_status status;
    perm_elimination e;
    *reduced = (perm_matrix){0};
    BASE_TRY(perm_elimination_init_taking(context, matrix, &e));
    BASE_TRY(perm_elimination_run(&e, 0));
    if (e.zero) {
        perm_value_set_integer(factor, 0);
        BASE_TRY(perm_matrix_alloc(context, 0, 0, matrix->field, reduced));
        goto done;
    }
    perm_product_finish(&e.factor, factor);
    BASE_TRY(perm_elimination_take_rest(&e, matrix->field, reduced));
done:
    perm_elimination_free(&e);
    return status;
}
