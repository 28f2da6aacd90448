#include "dm/coarse.h"
#include "base/memory.h"

#include <stdlib.h>

/* One side of the bipartite graph and the other, so that one search serves H (from columns) and V (from
 * rows). */
typedef struct reach {
    const mm_sparse *adjacent; /* the other side's vertices of each vertex on the side we start from */
    const int64_t *partner;    /* of each vertex of the other side */
    unsigned char *part, *other_part;
    dm_part mark;
    int64_t *queue;
} reach;

/* Marks what alternating paths reach from the `tail` vertices in the queue. Vertices of the other side that
 * are met are all matched, or the matching would not be maximum. */
static void mark_reached(const reach *reach, int64_t tail) {
    for (int64_t head = 0; head < tail; head++) {
        int64_t vertex = reach->queue[head];
        for (int64_t k = reach->adjacent->start[vertex]; k < reach->adjacent->start[vertex + 1]; k++) {
            int64_t other = reach->adjacent->index[k];
            if (reach->other_part[other] == reach->mark)
                continue;
            reach->other_part[other] = (unsigned char)reach->mark;
            reach->part[reach->partner[other]] = (unsigned char)reach->mark;
            reach->queue[tail++] = reach->partner[other];
        }
    }
}

/* Queues and marks the vertices without partner; their number. */
static int64_t mark_unmatched(const reach *reach, const int64_t *partner, int64_t count) {
    int64_t tail = 0;
    for (int64_t vertex = 0; vertex < count; vertex++)
        if (partner[vertex] < 0) {
            reach->part[vertex] = (unsigned char)reach->mark;
            reach->queue[tail++] = vertex;
        }
    return tail;
}

static bool unmatched_row_has_entry(const mm_sparse *matrix, const dm_matching *matching) {
    for (int64_t k = 0; k < matrix->nnz; k++)
        if (matching->column_of_row[matrix->index[k]] < 0)
            return true;
    return false;
}

static base_status mark_horizontal(base_context *context, const mm_sparse *matrix, dm_coarse *coarse) {
    reach from_columns = {.adjacent = matrix,
                          .partner = coarse->matching.column_of_row,
                          .part = coarse->column_part,
                          .other_part = coarse->row_part,
                          .mark = DM_HORIZONTAL};
    from_columns.queue = base_alloc(context, matrix->ncol, sizeof *from_columns.queue);
    if (from_columns.queue == NULL)
        return BASE_MACHINE;
    int64_t tail = mark_unmatched(&from_columns, coarse->matching.row_of_column, matrix->ncol);
    mark_reached(&from_columns, tail);
    free(from_columns.queue);
    return BASE_OK;
}

static base_status mark_vertical(base_context *context, const mm_sparse *matrix, dm_coarse *coarse) {
    base_status status = BASE_OK;
    mm_sparse pattern = mm_sparse_pattern(matrix), rows = {0};
    reach from_rows = {.adjacent = &rows,
                       .partner = coarse->matching.row_of_column,
                       .part = coarse->row_part,
                       .other_part = coarse->column_part,
                       .mark = DM_VERTICAL};
    from_rows.queue = base_alloc(context, matrix->nrow, sizeof *from_rows.queue);
    if (from_rows.queue == NULL) {
        status = BASE_MACHINE;
        goto done;
    }
    int64_t tail = mark_unmatched(&from_rows, coarse->matching.column_of_row, matrix->nrow);
    if (unmatched_row_has_entry(matrix, &coarse->matching)) {
        BASE_TRY(mm_sparse_reorient(context, &pattern, MM_BY_COLUMNS, &rows));
        mark_reached(&from_rows, tail);
    }
done:
    free(from_rows.queue);
    mm_sparse_free(&rows);
    return status;
}

base_status dm_coarse_find(base_context *context, const mm_sparse *matrix, dm_coarse *coarse) {
    base_status status = BASE_OK;
    *coarse = (dm_coarse){0};
    BASE_TRY(dm_match(context, matrix, &coarse->matching));
    coarse->row_part = base_alloc_zero(context, matrix->nrow, 1);
    coarse->column_part = base_alloc_zero(context, matrix->ncol, 1);
    if (coarse->row_part == NULL || coarse->column_part == NULL) {
        status = BASE_MACHINE;
        goto done;
    }
    if (coarse->matching.size < matrix->ncol)
        BASE_TRY(mark_horizontal(context, matrix, coarse));
    if (coarse->matching.size < matrix->nrow)
        BASE_TRY(mark_vertical(context, matrix, coarse));
done:
    if (status != BASE_OK)
        dm_coarse_free(coarse);
    return status;
}

void dm_coarse_free(dm_coarse *coarse) {
    if (coarse == NULL)
        return;
    dm_matching_free(&coarse->matching);
    free(coarse->row_part);
    free(coarse->column_part);
    *coarse = (dm_coarse){0};
}
