/* SPDX-License-Identifier: BSD-3-Clause */
#include "order/overlap.h"
#include "base/core/memory.h"
#include "base/run/progress.h"

#include <stdlib.h>
#include <string.h>

enum {
    SAMPLE_WINDOWS = 64,
    MOST_SHARED = 255 /* columns that a row shares with a window are told apart up to here */
};

/* ---- the measure ---- */

/* For the rows of a matrix by rows in the order given, or their own (NULL). O(nnz + ncol). */
static base_status window_columns(base_context *context, const mm_sparse *by_rows, const int64_t *row,
                                  double *columns) {
    int64_t *seen = base_alloc_zero(context, by_rows->ncol, sizeof *seen);
    *columns = 0;
    if (seen == NULL)
        return BASE_MACHINE;
    for (int64_t place = 0; place < by_rows->nrow; place++) {
        const int64_t i = row != NULL ? row[place] : place, window = place / ORDER_WINDOW + 1;
        for (int64_t k = by_rows->start[i]; k < by_rows->start[i + 1]; k++) {
            *columns += seen[by_rows->index[k]] != window;
            seen[by_rows->index[k]] = window;
        }
    }
    free(seen);
    return BASE_OK;
}

/* ---- clusters ---- */

/* Rows that share so many columns with the window, some of them no longer: a row moves to another list
 * whenever it shares one more, and the entries it leaves behind are passed over. */
typedef struct shared_list {
    int64_t *row;
    int64_t count, capacity;
} shared_list;

typedef struct cluster {
    base_context *context;
    const mm_sparse *by_rows, *by_columns;
    int64_t longest_column; /* longer ones join everything and tell nothing */
    bool *taken;            /* rows that have their place */
    int64_t *shared;        /* by rows: columns shared with the window */
    int64_t *touched;       /* rows for which it is not 0 */
    int64_t touched_count;
    int64_t *window_of; /* the last window that each column was in */
    int64_t window, next_row;
    shared_list list[MOST_SHARED + 1];
} cluster;

static base_status cluster_open(base_context *context, const mm_sparse *by_rows, const mm_sparse *by_columns,
                                cluster *c) {
    *c = (cluster){.context = context, .by_rows = by_rows, .by_columns = by_columns};
    c->longest_column = 64 + (by_rows->ncol > 0 ? 8 * (by_rows->nnz / by_rows->ncol) : 0);
    c->taken = base_alloc_zero(context, by_rows->nrow, sizeof *c->taken);
    c->shared = base_alloc_zero(context, by_rows->nrow, sizeof *c->shared);
    c->touched = base_alloc(context, by_rows->nrow, sizeof *c->touched);
    c->window_of = base_alloc_zero(context, by_rows->ncol, sizeof *c->window_of);
    return c->taken == NULL || c->shared == NULL || c->touched == NULL || c->window_of == NULL ? BASE_MACHINE
                                                                                               : BASE_OK;
}

static void cluster_close(cluster *c) {
    free(c->taken);
    free(c->shared);
    free(c->touched);
    free(c->window_of);
    for (int k = 0; k <= MOST_SHARED; k++)
        free(c->list[k].row);
}

static void begin_window(cluster *c) {
    for (int64_t k = 0; k < c->touched_count; k++)
        c->shared[c->touched[k]] = 0;
    c->touched_count = 0;
    for (int k = 0; k <= MOST_SHARED; k++)
        c->list[k].count = 0;
    c->window++;
}

static base_status note_shared(cluster *c, int64_t row) {
    base_status status = BASE_OK;
    if (c->taken[row])
        goto done;
    if (c->shared[row] == 0)
        c->touched[c->touched_count++] = row;
    if (c->shared[row] < MOST_SHARED) {
        shared_list *list = &c->list[++c->shared[row]];
        BASE_TRY(base_reserve(c->context, &list->row, &list->capacity, list->count + 1, sizeof *list->row));
        list->row[list->count++] = row;
    }
done:
    return status;
}

static base_status add_row(cluster *c, int64_t row) {
    base_status status = BASE_OK;
    c->taken[row] = true;
    for (int64_t k = c->by_rows->start[row]; k < c->by_rows->start[row + 1]; k++) {
        const int64_t j = c->by_rows->index[k];
        const int64_t first = c->by_columns->start[j], end = c->by_columns->start[j + 1];
        if (c->window_of[j] == c->window || end - first > c->longest_column)
            continue;
        c->window_of[j] = c->window;
        for (int64_t p = first; p < end; p++)
            BASE_TRY(note_shared(c, c->by_columns->index[p]));
    }
done:
    return status;
}

/* The free row that shares most with the window, or the first free one of all; -1: there is none. */
static int64_t pick_row(cluster *c) {
    for (int k = MOST_SHARED; k > 0; k--)
        for (shared_list *list = &c->list[k]; list->count > 0;) {
            const int64_t row = list->row[--list->count];
            if (!c->taken[row] && c->shared[row] == k)
                return row;
        }
    while (c->next_row < c->by_rows->nrow && c->taken[c->next_row])
        c->next_row++;
    return c->next_row < c->by_rows->nrow ? c->next_row : -1;
}

/* ORDER_WINDOW rows from `row` on, fewer where none are left, to place[*count…]. */
static base_status fill_window(cluster *c, int64_t row, int64_t *place, int64_t *count) {
    base_status status = BASE_OK;
    begin_window(c);
    for (int k = 0; k < ORDER_WINDOW && row >= 0; k++) {
        place[(*count)++] = row;
        BASE_TRY(add_row(c, row));
        row = k + 1 < ORDER_WINDOW ? pick_row(c) : -1;
    }
done:
    return status;
}

/* A window begins with what shared most with the one before. */
static base_status cluster_all(base_context *context, const mm_sparse *by_rows, const mm_sparse *by_columns,
                               int64_t *place) {
    base_status status;
    cluster c;
    int64_t count = 0;
    base_progress_start(context, "order", (double)by_rows->nrow, "rows");
    BASE_TRY(cluster_open(context, by_rows, by_columns, &c));
    for (int64_t row = pick_row(&c), told = 0; row >= 0; row = pick_row(&c)) {
        BASE_TRY(fill_window(&c, row, place, &count));
        base_progress_add(context, count - told);
        told = count;
    }
done:
    base_progress_finish(context);
    cluster_close(&c);
    return status;
}

/* Estimates from windows that begin at some of the rows what all would gain. The first rows to be chosen find
 * the best company, so that the estimate is more than all can have. */
static base_status sample_gain(base_context *context, const mm_sparse *by_rows, const mm_sparse *by_columns,
                               double natural, double *gain) {
    base_status status;
    cluster c;
    const int64_t windows = by_rows->nrow / ORDER_WINDOW, step = windows / SAMPLE_WINDOWS + 1;
    double entries = 0, columns = 0;
    BASE_TRY(cluster_open(context, by_rows, by_columns, &c));
    for (int64_t window = 0; window < windows; window += step) {
        int64_t place[ORDER_WINDOW], count = 0, first = window * ORDER_WINDOW;
        if (c.taken[first])
            continue;
        c.next_row = first;
        BASE_TRY(fill_window(&c, first, place, &count));
        begin_window(&c);
        for (int64_t k = 0; k < count; k++)
            for (int64_t p = by_rows->start[place[k]]; p < by_rows->start[place[k] + 1]; p++) {
                int64_t *seen = &c.window_of[by_rows->index[p]];
                entries++;
                columns += *seen != c.window;
                *seen = c.window;
            }
    }
    *gain = columns > 0 && natural > 0 ? entries / columns * natural / (double)by_rows->nnz : 1;
done:
    cluster_close(&c);
    return status;
}

/* ---- the better of the two ---- */

static base_status sort_by_length(base_context *context, const mm_sparse *by_rows, int64_t *place) {
    int64_t *next = base_alloc_zero(context, by_rows->ncol + 2, sizeof *next);
    if (next == NULL)
        return BASE_MACHINE;
    for (int64_t i = 0; i < by_rows->nrow; i++)
        next[by_rows->ncol - (by_rows->start[i + 1] - by_rows->start[i]) + 1]++;
    for (int64_t d = 0; d <= by_rows->ncol; d++)
        next[d + 1] += next[d];
    for (int64_t i = 0; i < by_rows->nrow; i++)
        place[next[by_rows->ncol - (by_rows->start[i + 1] - by_rows->start[i])]++] = i;
    free(next);
    return BASE_OK;
}

/* Keeps the order in `place` if it is better than what was found; `place` is taken then. */
static base_status consider(base_context *context, const mm_sparse *by_rows, const char *by, double natural,
                            int64_t **place, order_permutation *order, order_overlap *found) {
    base_status status;
    double columns;
    BASE_TRY(window_columns(context, by_rows, *place, &columns));
    const double gain = columns > 0 ? natural / columns : 1;
    if (gain < ORDER_LEAST_GAIN || gain <= found->gain)
        goto done;
    *found = (order_overlap){by, gain};
    free(order->row);
    order->row = *place;
    *place = NULL;
done:
    return status;
}

base_status order_for_products(base_context *context, const mm_sparse *matrix, order_permutation *order,
                               order_overlap *found) {
    base_status status;
    const mm_sparse pattern = mm_sparse_pattern(matrix);
    mm_sparse by_rows = {0};
    int64_t *degree = NULL, *clustered = NULL;
    double natural, promised;
    *order = (order_permutation){NULL, NULL};
    *found = (order_overlap){"none", 1};
    BASE_TRY(mm_sparse_reorient(context, &pattern, MM_BY_COLUMNS, &by_rows));
    BASE_TRY(window_columns(context, &by_rows, NULL, &natural));
    degree = base_alloc(context, matrix->nrow, sizeof *degree);
    clustered = base_alloc(context, matrix->nrow, sizeof *clustered);
    if (degree == NULL || clustered == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(sort_by_length(context, &by_rows, degree));
    BASE_TRY(consider(context, &by_rows, "degree", natural, &degree, order, found));
    BASE_TRY(sample_gain(context, &by_rows, &pattern, natural, &promised));
    if (promised < ORDER_LEAST_GAIN)
        goto done;
    BASE_TRY(cluster_all(context, &by_rows, &pattern, clustered));
    BASE_TRY(consider(context, &by_rows, "overlap", natural, &clustered, order, found));
done:
    if (status == BASE_OK && order->row == NULL) {
        for (int64_t k = 0; k < matrix->nrow; k++)
            degree[k] = k;
        order->row = degree;
        degree = NULL;
    }
    mm_sparse_free(&by_rows);
    free(degree);
    free(clustered);
    if (status != BASE_OK)
        order_permutation_free(order);
    return status;
}
