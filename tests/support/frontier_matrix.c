/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/frontier_matrix.h"
#include "tests/support/tap.h"

#include <string.h>

square a;

void clear(int64_t n) {
    memset(&a, 0, sizeof a);
    a.n = n;
    a.field = MM_INTEGER;
}

void fill_random(base_random *random, int64_t n, double density, bool with_signs) {
    clear(n);
    a.field = MM_REAL;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            if (i == j || base_random_uniform(random) < density)
                a.re[i][j] = base_random_uniform(random) - (with_signs ? 0.5 : 0);
}

void make(base_context *context, const square *a, perm_matrix *matrix) {
    int64_t nnz = 0, e = 0;
    for (int64_t i = 0; i < a->n; i++)
        for (int64_t j = 0; j < a->n; j++)
            nnz += a->re[i][j] != 0 || a->im[i][j] != 0;
    perm_matrix_alloc(context, a->n, nnz, a->field, matrix);
    for (int64_t i = 0; i < a->n; i++) {
        for (int64_t j = 0; j < a->n; j++)
            if (a->re[i][j] != 0 || a->im[i][j] != 0) {
                perm_value_set_complex(&matrix->entry[e], a->re[i][j], a->im[i][j]);
                matrix->index[e++] = j;
            }
        matrix->start[i + 1] = e;
    }
}

void permanent(base_context *context, const square *a, perm_arithmetic arithmetic, perm_value *value) {
    perm_matrix matrix;
    perm_schedule schedule;
    order_frontier order;
    perm_frontier_stats stats;
    order_frontier_options options = order_frontier_default;
    options.restarts = 2;
    make(context, a, &matrix);
    mm_sparse pattern = perm_matrix_pattern(&matrix);
    if (order_frontier_search(context, &pattern, MM_BY_ROWS, &options, &order) != BASE_OK ||
        perm_schedule_make(context, &matrix, order.by_columns ? order.col : order.row, order.by_columns,
                           &schedule) != BASE_OK ||
        perm_frontier_run(context, &matrix, &schedule, arithmetic, NULL, value, &stats) != BASE_OK) {
        tap_note("%s", context->error.cause);
        perm_value_set_integer(value, -1);
        return;
    }
    perm_schedule_free(&schedule);
    order_frontier_free(&order);
    perm_matrix_free(&matrix);
}
