/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/matrix/sparse.h"
#include "order/overlap.h"
#include "pipelines/bench_gpu_spmm.h"

#include <stdlib.h>
#include <string.h>

/* The pattern by columns, as orders want it. */
static base_status make_pattern(base_context *context, const spmm_csr *a, mm_sparse *by_columns) {
    base_status status;
    mm_sparse by_rows = {.nrow = a->nrow, .ncol = a->ncol, .nnz = a->nnz, .field = MM_PATTERN};
    BASE_TRY(mm_sparse_alloc(context, &by_rows, a->nrow, false));
    memcpy(by_rows.start, a->start, (size_t)(a->nrow + 1) * sizeof *a->start);
    for (int64_t k = 0; k < a->nnz; k++)
        by_rows.index[k] = a->index[k];
    BASE_TRY(mm_sparse_reorient(context, &by_rows, MM_BY_ROWS, by_columns));
done:
    mm_sparse_free(&by_rows);
    return status;
}

/* Row i is row order[i] of a; values are floats. */
static void permute(const spmm_csr *a, const int64_t *order, spmm_csr *ordered) {
    int64_t *start = malloc((size_t)(a->nrow + 1) * sizeof *start);
    int32_t *index = malloc((size_t)a->nnz * sizeof *index + 1);
    float *value = malloc((size_t)a->nnz * sizeof *value + 1);
    if (start == NULL || index == NULL || value == NULL)
        abort();
    start[0] = 0;
    for (int64_t row = 0; row < a->nrow; row++) {
        const int64_t first = a->start[order[row]], length = a->start[order[row] + 1] - first;
        memcpy(index + start[row], a->index + first, (size_t)length * sizeof *index);
        memcpy(value + start[row], (const float *)a->value + first, (size_t)length * sizeof *value);
        start[row + 1] = start[row] + length;
    }
    *ordered = (spmm_csr){a->nrow, a->ncol, a->nnz, start, index, value};
}

base_status bench_spmm_order(bench *it, const spmm_csr *a, spmm_csr *ordered) {
    base_status status;
    mm_sparse pattern = {0};
    order_permutation order = {NULL, NULL};
    order_overlap found = {"none", 1};
    BASE_TRY(make_pattern(&it->context, a, &pattern));
    BASE_TRY(order_for_products(&it->context, &pattern, &order, &found));
    it->order_gain = found.gain;
    if (strcmp(found.by, "none") != 0)
        permute(a, order.row, ordered);
done:
    order_permutation_free(&order);
    mm_sparse_free(&pattern);
    return status;
}
