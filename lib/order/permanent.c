/* SPDX-License-Identifier: BSD-3-Clause */
#include "order/permanent.h"
#include "base/core/memory.h"

#include <math.h>
#include <stdlib.h>

/* A heap of columns by degree, then number. Columns whose degree falls are put in again; what is out of date
 * is passed over when it comes up. */
typedef struct entry {
    int64_t degree, column;
} entry;

typedef struct heap {
    entry *entry;
    int64_t count;
} heap;

static bool is_before(entry a, entry b) {
    return a.degree != b.degree ? a.degree < b.degree : a.column < b.column;
}

static void push(heap *h, entry new) {
    int64_t k = h->count++;
    for (; k > 0 && is_before(new, h->entry[(k - 1) / 2]); k = (k - 1) / 2)
        h->entry[k] = h->entry[(k - 1) / 2];
    h->entry[k] = new;
}

static entry pop(heap *h) {
    entry first = h->entry[0], last = h->entry[--h->count];
    int64_t k = 0;
    for (;;) {
        int64_t child = 2 * k + 1;
        if (child >= h->count)
            break;
        child += child + 1 < h->count && is_before(h->entry[child + 1], h->entry[child]);
        if (!is_before(h->entry[child], last))
            break;
        h->entry[k] = h->entry[child];
        k = child;
    }
    h->entry[k] = last;
    return first;
}

static void place_all(const mm_sparse *matrix, const mm_sparse *rows, heap *h, int64_t *degree, bool *placed,
                      order_permutation *order) {
    int64_t row_count = 0, column_count = 0;
    for (int64_t j = 0; j < matrix->ncol; j++) {
        degree[j] = matrix->start[j + 1] - matrix->start[j];
        push(h, (entry){degree[j], j});
    }
    while (column_count < matrix->ncol) {
        entry next = pop(h);
        if (next.degree != degree[next.column])
            continue;
        degree[next.column] = -1;
        order->col[column_count++] = next.column;
        for (int64_t p = matrix->start[next.column]; p < matrix->start[next.column + 1]; p++) {
            int64_t row = matrix->index[p];
            if (placed[row])
                continue;
            placed[row] = true;
            order->row[row_count++] = row;
            for (int64_t q = rows->start[row]; q < rows->start[row + 1]; q++)
                if (degree[rows->index[q]] >= 0)
                    push(h, (entry){--degree[rows->index[q]], rows->index[q]});
        }
    }
    for (int64_t i = 0; i < matrix->nrow; i++)
        if (!placed[i])
            order->row[row_count++] = i;
}

base_status order_permanent(base_context *context, const mm_sparse *matrix, order_permutation *order) {
    base_status status;
    mm_sparse pattern = mm_sparse_pattern(matrix), rows = {0};
    heap h = {.count = 0};
    int64_t *degree = base_alloc(context, matrix->ncol, sizeof *degree);
    bool *placed = base_alloc_zero(context, matrix->nrow, sizeof *placed);
    h.entry = base_alloc(context, matrix->ncol + matrix->nnz, sizeof *h.entry);
    *order = (order_permutation){base_alloc(context, matrix->nrow, sizeof *order->row),
                                 base_alloc(context, matrix->ncol, sizeof *order->col)};
    if (degree == NULL || placed == NULL || h.entry == NULL || order->row == NULL || order->col == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(mm_sparse_reorient(context, &pattern, MM_BY_COLUMNS, &rows));
    place_all(matrix, &rows, &h, degree, placed, order);
done:
    free(degree);
    free(placed);
    free(h.entry);
    mm_sparse_free(&rows);
    if (status != BASE_OK)
        order_permutation_free(order);
    return status;
}

/* Threads of one multiprocessor that can have so many registers each for the row sums; 0 if none. */
static double count_threads(int64_t registers) {
    enum { OTHERS = 32, MOST = 255, FILE = 65536, WARP = 32, UNIT = 8, THREADS = 2048 };
    int64_t each = (registers + OTHERS + UNIT - 1) / UNIT * UNIT;
    if (registers + OTHERS > MOST)
        return 0;
    int64_t threads = FILE / (each * WARP) * WARP;
    return (double)(threads < THREADS ? threads : THREADS);
}

order_partition order_permanent_partition(const mm_sparse *ordered) {
    static const double global_cost = 16;
    order_partition best = {0, 0};
    double best_score = 0;
    int64_t touched = 0;
    for (int64_t j = 0; j < ordered->ncol; j++) {
        if (ordered->start[j] < ordered->start[j + 1] && ordered->index[ordered->start[j + 1] - 1] >= touched)
            touched = ordered->index[ordered->start[j + 1] - 1] + 1;
        int64_t registers = 2 * touched;
        double share = ldexp(1, j < 1000 ? -(int)(j + 1) : -1000);
        double cost =
            (double)registers * (1 - share) + (double)(ordered->nrow - touched) * share * global_cost;
        double score = cost > 0 ? count_threads(registers) / cost : 0;
        if (score > best_score || touched == best.rows) {
            best_score = score;
            best = (order_partition){j + 1, touched};
        }
    }
    return best;
}
