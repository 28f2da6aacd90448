/* SPDX-License-Identifier: BSD-3-Clause */
#include "order/degree.h"
#include "base/core/memory.h"

#include <stdlib.h>

/* Counting sort of 0 … count-1 by degree, which is at most `most`. */
static base_status sort_by_degree(base_context *context, const int64_t *degree, int64_t count, int64_t most,
                                  int64_t **order) {
    int64_t *next = base_alloc_zero(context, most + 2, sizeof *next);
    *order = base_alloc(context, count, sizeof **order);
    if (next == NULL || *order == NULL) {
        free(next);
        return BASE_MACHINE;
    }
    for (int64_t k = 0; k < count; k++)
        next[degree[k] + 1]++;
    for (int64_t d = 0; d <= most; d++)
        next[d + 1] += next[d];
    for (int64_t k = 0; k < count; k++)
        (*order)[next[degree[k]]++] = k;
    free(next);
    return BASE_OK;
}

base_status order_degree_sort(base_context *context, const mm_sparse *matrix, order_permutation *order) {
    base_status status = BASE_OK;
    *order = (order_permutation){NULL, NULL};
    int64_t *row_degree = base_alloc_zero(context, matrix->nrow, sizeof *row_degree);
    int64_t *column_degree = base_alloc(context, matrix->ncol, sizeof *column_degree);
    if (row_degree == NULL || column_degree == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t p = 0; p < matrix->nnz; p++)
        row_degree[matrix->index[p]]++;
    for (int64_t j = 0; j < matrix->ncol; j++)
        column_degree[j] = matrix->start[j + 1] - matrix->start[j];
    BASE_TRY(sort_by_degree(context, row_degree, matrix->nrow, matrix->ncol, &order->row));
    BASE_TRY(sort_by_degree(context, column_degree, matrix->ncol, matrix->nrow, &order->col));
done:
    free(row_degree);
    free(column_degree);
    if (status != BASE_OK)
        order_permutation_free(order);
    return status;
}
