/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/degree/breadth.h"
#include "base/core/memory.h"

#include <stdlib.h>

/* Columns are vertices 0 … n-1, rows n … 2n-1; place[v] is the number of columns, or rows, found before v,
 * and -1 before v is found. */
typedef struct search {
    int64_t n, *place, *queue;
    int64_t first, last, found[2];
} search;

static void find(search *s, int64_t vertex) {
    if (s->place[vertex] >= 0)
        return;
    s->place[vertex] = s->found[vertex >= s->n]++;
    s->queue[s->last++] = vertex;
}

static void find_all(const mm_sparse *by_rows, const mm_sparse *by_columns, search *s) {
    const int64_t n = s->n;
    for (int64_t start = 0; start < 2 * n; start++) {
        find(s, start);
        while (s->first < s->last) {
            const int64_t vertex = s->queue[s->first++];
            const mm_sparse *side = vertex < n ? by_columns : by_rows;
            const int64_t at = vertex % n;
            for (int64_t e = side->start[at]; e < side->start[at + 1]; e++)
                find(s, side->index[e] + (vertex < n ? n : 0));
        }
    }
}

/* Moves a row's entries, to places that ascend. */
static void move_row(perm_matrix *from, int64_t row, const int64_t *place, perm_matrix *to, int64_t first) {
    for (int64_t e = from->start[row]; e < from->start[row + 1]; e++) {
        const int64_t index = place[from->index[e]];
        int64_t at = first + (e - from->start[row]);
        for (; at > first && to->index[at - 1] > index; at--) {
            to->index[at] = to->index[at - 1];
            perm_value_move(&to->entry[at], &to->entry[at - 1]);
        }
        to->index[at] = index;
        perm_value_move(&to->entry[at], &from->entry[e]);
    }
}

base_status perm_matrix_order_breadth_first(base_context *context, perm_matrix *matrix) {
    base_status status;
    const int64_t n = matrix->n;
    mm_sparse by_rows = perm_matrix_pattern(matrix), by_columns = {0};
    perm_matrix ordered = {0};
    int64_t *work = base_alloc(context, 4 * n, sizeof *work);
    search s = {.n = n, .place = work, .queue = work + 2 * n};
    if (work == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t v = 0; v < 2 * n; v++)
        s.place[v] = -1;
    BASE_TRY(mm_sparse_reorient(context, &by_rows, MM_BY_ROWS, &by_columns));
    BASE_TRY(perm_matrix_alloc(context, n, matrix->nnz, matrix->field, &ordered));
    find_all(&by_rows, &by_columns, &s);
    ordered.start[0] = 0;
    for (int64_t i = 0; i < n; i++)
        ordered.start[s.place[n + i] + 1] = matrix->start[i + 1] - matrix->start[i];
    for (int64_t i = 0; i < n; i++)
        ordered.start[i + 1] += ordered.start[i];
    for (int64_t i = 0; i < n; i++)
        move_row(matrix, i, s.place, &ordered, ordered.start[s.place[n + i]]);
    perm_matrix_free(matrix);
    *matrix = ordered;
    ordered = (perm_matrix){0};
done:
    perm_matrix_free(&ordered);
    mm_sparse_free(&by_columns);
    free(work);
    return status;
}
