/* Permanents by frontier dynamic programming against sequences from outside and against expansion by minors.
 */
#include "perm/frontier.h"
#include "base/memory.h"
#include "base/random.h"
#include "tests/tap.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 100 };

/* A matrix under construction: integers, or doubles when `real` or `complex`. */
typedef struct square {
    int64_t n;
    mm_field field;
    double re[LARGEST][LARGEST], im[LARGEST][LARGEST];
} square;

static void make(base_context *context, const square *a, perm_matrix *matrix) {
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

static void permanent(base_context *context, const square *a, perm_arithmetic arithmetic, perm_value *value) {
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
        perm_frontier_run(context, &matrix, &schedule, arithmetic, value, &stats) != BASE_OK) {
        tap_note("%s", context->error.cause);
        perm_value_set_integer(value, -1);
        return;
    }
    perm_schedule_free(&schedule);
    order_frontier_free(&order);
    perm_matrix_free(&matrix);
}

static void check(base_context *context, const square *a, const char *want, const char *what) {
    perm_value value;
    char *got;
    perm_value_init(&value);
    permanent(context, a, PERM_EXACT, &value);
    perm_value_print(context, &value, MM_INTEGER, &got);
    tap_ok(strcmp(got, want) == 0, "%s: %s, got %s", what, want, got);
    free(got);
    /* Doubles must hold the answer within their bound. */
    perm_value exact, error;
    perm_value_init(&exact);
    perm_value_init(&error);
    perm_value_copy(&exact, &value);
    for (perm_arithmetic arithmetic = PERM_DOUBLE; arithmetic <= PERM_QUAD; arithmetic++) {
        permanent(context, a, arithmetic, &value);
        perm_value_set_integer(&error, -1);
        perm_value_multiply(&error, &exact);
        perm_value_add(&error, &value);
        perm_bound stated = value.error;
        error.error = (perm_bound){0, 0};
        tap_ok(perm_bound_at_most(perm_bound_of(&error), stated) &&
                   perm_bound_log2(stated) - perm_value_log2(&exact) < (arithmetic == PERM_QUAD ? -95 : -35),
               "%s: arithmetic %d within its bound", what, (int)arithmetic);
    }
    perm_value_free(&value);
    perm_value_free(&exact);
    perm_value_free(&error);
}

static square a;

static void clear(int64_t n) {
    memset(&a, 0, sizeof a);
    a.n = n;
    a.field = MM_INTEGER;
}

static void tridiagonal(base_context *context, int64_t n, const char *fibonacci) {
    char what[60];
    clear(n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++)
            a.re[i][j] = 1;
    snprintf(what, sizeof what, "tridiagonal of order %lld (A000045)", (long long)n);
    check(context, &a, fibonacci, what);
}

static void filled(base_context *context, int64_t n, double with, int without, const char *want,
                   const char *what) {
    clear(n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            a.re[i][j] = with;
    /* without: 1 the diagonal, 2 the cyclic superdiagonal too */
    for (int64_t i = 0; i < n; i++) {
        if (without > 0)
            a.re[i][i] = 0;
        if (without > 1)
            a.re[i][(i + 1) % n] = 0;
    }
    check(context, &a, want, what);
}

int main(void) {
    base_context context;
    base_context_init(&context);
    tridiagonal(&context, 1, "1");
    tridiagonal(&context, 2, "2");
    tridiagonal(&context, 30, "1346269");
    tridiagonal(&context, 90, "4660046610375530309");
    filled(&context, 0, 1, 0, "1", "0x0");
    filled(&context, 12, 1, 0, "479001600", "12!");
    filled(&context, 14, 3, 0, "416971064282572800", "14! 3^14");
    filled(&context, 13, 1, 1, "2290792932", "derangements of 13 (A000166)");
    filled(&context, 11, 1, 2, "4890741", "menage number of 11 (A000179)");
    return tap_done();
}
