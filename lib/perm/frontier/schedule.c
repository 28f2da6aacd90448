/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of a frontier: which bits of the masks open and close, from an order of the rows (frontier.h).
 */
#include "base/core/memory.h"
#include "perm/frontier/load.h"

#include <stdlib.h>
#include <string.h>

static base_status alloc_schedule(base_context *context, int64_t n, int64_t nnz, perm_schedule *schedule) {
    *schedule = (perm_schedule){.n = n, .nnz = nnz};
    schedule->entry_start = base_alloc_zero(context, n + 1, sizeof *schedule->entry_start);
    schedule->entry = base_alloc(context, nnz, sizeof *schedule->entry);
    schedule->bit = base_alloc(context, nnz, sizeof *schedule->bit);
    schedule->close_start = base_alloc_zero(context, n + 1, sizeof *schedule->close_start);
    schedule->close = base_alloc(context, n, sizeof *schedule->close);
    schedule->open = base_alloc(context, n, sizeof *schedule->open);
    if (schedule->entry_start != NULL && schedule->entry != NULL && schedule->bit != NULL &&
        schedule->close_start != NULL && schedule->close != NULL && schedule->open != NULL)
        return BASE_OK;
    return BASE_MACHINE;
}

/* The transpose of a matrix, with the numbers of its entries. */
static base_status turn(base_context *context, const perm_matrix *matrix, int64_t **start, int64_t **index,
                        int64_t **entry) {
    int64_t n = matrix->n;
    *start = base_alloc_zero(context, n + 2, sizeof **start);
    *index = base_alloc(context, matrix->nnz, sizeof **index);
    *entry = base_alloc(context, matrix->nnz, sizeof **entry);
    if (*start == NULL || *index == NULL || *entry == NULL)
        return BASE_MACHINE;
    int64_t *next = *start + 1;
    for (int64_t e = 0; e < matrix->nnz; e++)
        next[matrix->index[e] + 1]++;
    for (int64_t i = 0; i < n; i++)
        next[i + 1] += next[i];
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++) {
            int64_t to = next[matrix->index[e]]++;
            (*index)[to] = i;
            (*entry)[to] = e;
        }
    return BASE_OK;
}

/* The rows that are processed: those of the matrix, or of its transpose. */
typedef struct rows {
    mm_sparse pattern;
    int64_t *start, *index, *entry; /* of the transpose; NULL: they are the matrix's own */
} rows;

static base_status rows_init(base_context *context, const perm_matrix *matrix, bool by_columns, rows *rows) {
    base_status status = BASE_OK;
    rows->pattern = perm_matrix_pattern(matrix);
    if (by_columns) {
        BASE_TRY(turn(context, matrix, &rows->start, &rows->index, &rows->entry));
        rows->pattern.start = rows->start;
        rows->pattern.index = rows->index;
    }
done:
    return status;
}

static void rows_free(rows *rows) {
    free(rows->start);
    free(rows->index);
    free(rows->entry);
}

/* The open columns in the order of their bits. */
typedef struct frontier {
    int64_t column[PERM_FRONTIER_WIDEST];
    int count;
} frontier;

static int bit_of(const frontier *open, int64_t column) {
    for (int b = 0; b < open->count; b++)
        if (open->column[b] == column)
            return b;
    return -1;
}

static base_status add_step(base_context *context, perm_schedule *schedule, int64_t step,
                            const int64_t *index, const int64_t *entry, int64_t count, int64_t *left,
                            frontier *open) {
    int64_t at = schedule->entry_start[step], closing = schedule->close_start[step];
    for (int64_t i = 0; i < count; i++) {
        int bit = bit_of(open, index[i]);
        if (bit < 0) {
            if (open->count == PERM_FRONTIER_WIDEST)
                return base_fail(context, BASE_FAILED, "the frontier is wider than %d",
                                 (int)PERM_FRONTIER_WIDEST);
            bit = open->count++;
            open->column[bit] = index[i];
        }
        schedule->bit[at] = bit;
        schedule->entry[at++] = entry != NULL ? entry[i] : i;
        left[index[i]]--;
    }
    schedule->width = open->count > schedule->width ? open->count : schedule->width;
    for (int b = open->count - 1; b >= 0; b--) {
        if (left[open->column[b]] > 0)
            continue;
        /* No later row has an entry in it. */
        schedule->close[closing++] = b;
        memmove(open->column + b, open->column + b + 1, (size_t)(open->count - b - 1) * sizeof *open->column);
        open->count--;
    }
    schedule->entry_start[step + 1] = at;
    schedule->close_start[step + 1] = closing;
    schedule->open[step] = open->count;
    return BASE_OK;
}

base_status perm_schedule_make(base_context *context, const perm_matrix *matrix, const int64_t *order,
                               bool by_columns, perm_schedule *schedule) {
    base_status status = BASE_OK;
    const int64_t n = matrix->n;
    rows rows = {.start = NULL};
    int64_t *left = base_alloc_zero(context, n, sizeof *left);
    frontier open = {.count = 0};
    *schedule = (perm_schedule){0};
    if (left == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(alloc_schedule(context, n, matrix->nnz, schedule));
    BASE_TRY(rows_init(context, matrix, by_columns, &rows));
    const mm_sparse *pattern = &rows.pattern;
    for (int64_t e = 0; e < pattern->nnz; e++)
        left[pattern->index[e]]++;
    for (int64_t k = 0; k < n; k++) {
        int64_t first = pattern->start[order[k]], count = pattern->start[order[k] + 1] - first;
        BASE_TRY(add_step(context, schedule, k, pattern->index + first,
                          rows.entry != NULL ? rows.entry + first : NULL, count, left, &open));
        for (int64_t e = schedule->entry_start[k]; rows.entry == NULL && e < schedule->entry_start[k + 1];
             e++)
            schedule->entry[e] += first;
    }
    BASE_TRY(order_frontier_price(context, pattern, order, &schedule->bound));
    schedule->expected = schedule->bound;
    schedule->traits = perm_matrix_look(matrix);
    BASE_TRY(perm_numbers_bound_bits(context, matrix, &schedule->exact_bits));
done:
    if (status != BASE_OK)
        perm_schedule_free(schedule);
    free(left);
    rows_free(&rows);
    return status;
}

base_status perm_schedule_expect(base_context *context, const perm_matrix *matrix, const int64_t *order,
                                 bool by_columns, perm_schedule *schedule) {
    base_status status;
    rows rows = {.start = NULL};
    BASE_TRY(rows_init(context, matrix, by_columns, &rows));
    BASE_TRY(order_frontier_expect(context, &rows.pattern, order, &schedule->expected));
done:
    rows_free(&rows);
    return status;
}

void perm_schedule_free(perm_schedule *schedule) {
    if (schedule == NULL)
        return;
    free(schedule->entry_start);
    free(schedule->entry);
    free(schedule->bit);
    free(schedule->close_start);
    free(schedule->close);
    free(schedule->open);
    *schedule = (perm_schedule){0};
}
