/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/sparse/column_order.h"
#include "base/core/memory.h"
#include "mm/matrix/rearrange.h"
#include "mm/metadata/metadata.h"
#include "order/permutation.h"
#include "perm/sparse/program.h"

#include <math.h>
#include <stdlib.h>

enum { LARGEST = 63 };

static base_status make_plan(base_context *context, const mm_sparse *matrix, perm_sparse_plan *plan) {
    const int64_t n = matrix->ncol;
    double *entries = base_alloc_zero(context, n * n, sizeof *entries);
    if (entries == NULL)
        return BASE_MACHINE;
    for (int64_t j = 0; j < n; j++)
        for (int64_t e = matrix->start[j]; e < matrix->start[j + 1]; e++)
            entries[j * n + matrix->index[e]] = 1;
    const perm_dense_matrix dense = {.n = n, .entries = entries};
    const base_status status = perm_sparse_plan_make(context, &dense, &perm_sparse_device_cpu, plan);
    free(entries);
    return status;
}

/* Orders the rows by the first column of `column` that has an entry in them; with by_columns false, the
 * columns by rows. */
static void order_rows(const mm_sparse *matrix, bool by_columns, const int64_t *column, int64_t *row) {
    const int64_t n = matrix->ncol;
    int64_t place[LARGEST], first[LARGEST], count = 0;
    for (int64_t k = 0; k < n; k++) {
        place[column[k]] = k;
        first[k] = n;
    }
    for (int64_t j = 0; j < n; j++)
        for (int64_t e = matrix->start[j]; e < matrix->start[j + 1]; e++) {
            const int64_t at = by_columns ? matrix->index[e] : j;
            const int64_t now = place[by_columns ? j : matrix->index[e]];
            first[at] = now < first[at] ? now : first[at];
        }
    for (int64_t k = 0; k <= n; k++)
        for (int64_t at = 0; at < n; at++)
            if (first[at] == k)
                row[count++] = at;
}

static base_status find_order(base_context *context, const mm_sparse *matrix, order_permutation *order,
                              perm_sparse_plan *plan) {
    base_status status;
    const int64_t n = matrix->ncol;
    if (matrix->nrow != n || n > LARGEST)
        return base_fail(context, BASE_FAILED,
                         "an order for sums with tables (levels) needs a square matrix of order %d or less",
                         (int)LARGEST);
    BASE_TRY(make_plan(context, matrix, plan));
    if (isinf(plan->price))
        BASE_TRY(
            base_fail(context, BASE_FAILED, "no tables: a row or column is empty, or the matrix too small"));
    order->row = base_alloc(context, n, sizeof *order->row);
    order->col = base_alloc(context, n, sizeof *order->col);
    if (order->row == NULL || order->col == NULL)
        BASE_TRY(BASE_MACHINE);
    int64_t *column = plan->is_transposed ? order->row : order->col;
    for (int64_t k = 0; k < n; k++)
        column[k] = plan->order.column[k];
    order_rows(matrix, !plan->is_transposed, column, plan->is_transposed ? order->col : order->row);
done:
    return status;
}

base_status perm_sparse_column_order(base_context *context, const mm_sparse *matrix, mm_record *record) {
    base_status status;
    order_permutation order = {NULL, NULL};
    perm_sparse_plan plan;
    BASE_TRY(find_order(context, matrix, &order, &plan));
    BASE_TRY(mm_metadata_set(context, record, "order.for", "levels"));
    BASE_TRY(mm_metadata_set(context, record, "order.by", plan.is_transposed ? "rows" : "columns"));
    BASE_TRY(mm_metadata_set(context, record, "order.low", "%d", plan.order.low));
    BASE_TRY(mm_metadata_set(context, record, "order.sliced", "%d", plan.order.sliced));
    BASE_TRY(mm_metadata_set(context, record, "order.operations", "%.4g",
                             ldexp(plan.price, 1 - (int)matrix->ncol)));
    BASE_TRY(mm_record_permute(context, record, order.row, order.col));
done:
    order_permutation_free(&order);
    return status;
}
