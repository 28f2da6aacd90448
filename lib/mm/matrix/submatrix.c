/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/matrix/submatrix.h"
#include "base/core/memory.h"
#include "base/run/progress.h"

#include <stdlib.h>
#include <string.h>

/* Entries of the part by rows: each one's column in the part and its place in the matrix. Taken row by row
 * and dealt out to the columns they become sorted. */
typedef struct entry {
    int64_t column, source;
} entry;

static int64_t row_in_part(const mm_selection *selection, int64_t row) {
    return selection->row_place[row] - selection->row_first;
}

/* Entries of the part in each row and column, and in all. */
static void count_entries(const mm_sparse *matrix, const mm_selection *selection, int64_t *row_count,
                          mm_sparse *part) {
    for (int64_t j = 0; j < selection->ncol; j++) {
        int64_t column = selection->column[j];
        for (int64_t p = matrix->start[column]; p < matrix->start[column + 1]; p++) {
            int64_t row = row_in_part(selection, matrix->index[p]);
            if (row >= 0 && row < selection->nrow) {
                row_count[row]++;
                part->nnz++;
            }
        }
    }
}

static void list_by_rows(base_context *context, const mm_sparse *matrix, const mm_selection *selection,
                         int64_t *row_next, entry *entries) {
    for (int64_t j = 0; j < selection->ncol; j++) {
        int64_t column = selection->column[j];
        if (j % 1024 == 0)
            base_progress_add(context, 1024);
        for (int64_t p = matrix->start[column]; p < matrix->start[column + 1]; p++) {
            int64_t row = row_in_part(selection, matrix->index[p]);
            if (row >= 0 && row < selection->nrow)
                entries[row_next[row]++] = (entry){j, p};
        }
    }
}

/* `row_end`: where each row's entries end. */
static void deal_to_columns(base_context *context, const mm_sparse *matrix, const int64_t *row_end,
                            const entry *entries, mm_sparse *part) {
    size_t bytes = 8 * (size_t)mm_sparse_value_words(matrix->field);
    const char *from = mm_sparse_values(matrix);
    char *to = mm_sparse_values(part);
    for (int64_t p = 0; p < part->nnz; p++)
        part->start[entries[p].column]++;
    mm_sparse_begin_fill(part->start, part->ncol);
    for (int64_t i = 0, p = 0; i < part->nrow; i++) {
        if (i % 1024 == 0)
            base_progress_add(context, 1024);
        for (; p < row_end[i]; p++) {
            int64_t q = part->start[entries[p].column]++;
            part->index[q] = i;
            mm_sparse_copy_value(to, q, from, entries[p].source, bytes);
        }
    }
    mm_sparse_end_fill(part->start, part->ncol);
}

base_status mm_sparse_select(base_context *context, const mm_sparse *matrix, const mm_selection *selection,
                             mm_sparse *part) {
    base_status status = BASE_OK;
    entry *entries = NULL;
    *part = (mm_sparse){.nrow = selection->nrow, .ncol = selection->ncol, .field = matrix->field};
    int64_t *row_next = base_alloc_zero(context, selection->nrow + 1, sizeof *row_next);
    if (row_next == NULL)
        BASE_TRY(BASE_MACHINE);
    count_entries(matrix, selection, row_next, part);
    BASE_TRY(mm_sparse_alloc(context, part, part->ncol, matrix->digits != NULL));
    entries = base_alloc(context, part->nnz, sizeof *entries);
    if (entries == NULL)
        BASE_TRY(BASE_MACHINE);
    mm_sparse_begin_fill(row_next, part->nrow);
    base_progress_start(context, "permute", (double)(part->nrow + part->ncol), "rows and columns");
    list_by_rows(context, matrix, selection, row_next, entries);
    deal_to_columns(context, matrix, row_next, entries, part);
    base_progress_finish(context);
done:
    free(entries);
    free(row_next);
    if (status != BASE_OK)
        mm_sparse_free(part);
    return status;
}

base_status mm_sparse_permute(base_context *context, const mm_sparse *matrix, const int64_t *row,
                              const int64_t *column, mm_sparse *permuted) {
    base_status status = BASE_OK;
    int64_t *place = base_alloc(context, matrix->nrow, sizeof *place);
    int64_t *natural = base_alloc(context, matrix->ncol, sizeof *natural);
    if (place == NULL || natural == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t k = 0; k < matrix->nrow; k++)
        place[row != NULL ? row[k] : k] = k;
    for (int64_t k = 0; k < matrix->ncol; k++)
        natural[k] = k;
    mm_selection all = {.nrow = matrix->nrow,
                        .ncol = matrix->ncol,
                        .row_place = place,
                        .column = column != NULL ? column : natural};
    BASE_TRY(mm_sparse_select(context, matrix, &all, permuted));
done:
    free(place);
    free(natural);
    return status;
}
