/* SPDX-License-Identifier: BSD-3-Clause */
#include "dm/coarse.h"
#include "base/core/memory.h"

#include <stdlib.h>
#include <string.h>

/* One side of the bipartite graph and the other, so that one search serves H (from columns) and V (from
 * rows). */
typedef struct reach {
    int64_t count, other_count;         /* vertices on the side we start from, on the other */
    const int64_t *start, *index;       /* the other side's vertices next to each one of ours */
    const int64_t *match, *other_match; /* partners of both, -1 without */
    unsigned char *part, *other_part;
    dm_part mark;
    int64_t *queue; /* as many as are matched */
} reach;

/* Marks the neighbours of a vertex and their partners, which join the queue; its new length. A neighbour
 * has a partner, or the matching would not be maximum. */
static inline int64_t visit(const reach *reach, int64_t vertex, int64_t nqueued) {
    const int64_t *index = reach->index, *other_match = reach->other_match;
    unsigned char *part = reach->part, *other_part = reach->other_part, mark = (unsigned char)reach->mark;
    int64_t *queue = reach->queue, end = reach->start[vertex + 1];
    for (int64_t k = reach->start[vertex]; k < end; k++) {
        int64_t other = index[k];
        if (other_part[other] != mark) {
            int64_t partner = other_match[other];
            other_part[other] = mark;
            part[partner] = mark;
            queue[nqueued++] = partner;
        }
    }
    return nqueued;
}

/* Marks the unmatched vertices and what alternating paths reach from them; stops when all is marked. */
static void mark_reached(const reach *reach) {
    int64_t nvisited = 0, nmarked = 0;
    for (int64_t vertex = 0; vertex < reach->count; vertex++)
        if (reach->match[vertex] < 0) {
            reach->part[vertex] = (unsigned char)reach->mark;
            nmarked = visit(reach, vertex, nmarked);
        }
    while (nvisited < nmarked && nmarked < reach->other_count)
        nmarked = visit(reach, reach->queue[nvisited++], nmarked);
}

static void mark_horizontal(const mm_sparse *matrix, int64_t *work, dm_coarse *coarse) {
    reach from_columns = {.count = matrix->ncol,
                          .other_count = matrix->nrow,
                          .start = matrix->start,
                          .index = matrix->index,
                          .match = coarse->matching.row_of_column,
                          .other_match = coarse->matching.column_of_row,
                          .part = coarse->column_part,
                          .other_part = coarse->row_part,
                          .mark = DM_HORIZONTAL,
                          .queue = work};
    mark_reached(&from_columns);
}

/* The columns of each row, those of H left out, which no unmatched row can reach. */
typedef struct row_lists {
    int64_t *start, *column;
} row_lists;

static base_status list_rows(base_context *context, const mm_sparse *matrix, const dm_coarse *coarse,
                             row_lists *rows) {
    const int64_t *start = matrix->start, *index = matrix->index;
    const unsigned char *part = coarse->column_part;
    rows->start = base_alloc_zero(context, matrix->nrow + 2, sizeof *rows->start);
    if (rows->start == NULL)
        return BASE_MACHINE;
    int64_t *next = rows->start + 1; /* of each row; filling moves it to where the next row starts */
    for (int64_t j = 0; j < matrix->ncol; j++)
        for (int64_t k = start[j], end = part[j] != DM_HORIZONTAL ? start[j + 1] : k; k < end; k++)
            next[index[k] + 1]++;
    for (int64_t i = 1; i <= matrix->nrow; i++)
        next[i] += next[i - 1];
    int64_t *column = rows->column = base_alloc(context, next[matrix->nrow], sizeof *rows->column);
    if (column == NULL)
        return BASE_MACHINE;
    for (int64_t j = 0; j < matrix->ncol; j++)
        for (int64_t k = start[j], end = part[j] != DM_HORIZONTAL ? start[j + 1] : k; k < end; k++)
            column[next[index[k]]++] = j;
    return BASE_OK;
}

/* Marks the unmatched rows; true if one of them has an entry, so that more can be reached. */
static bool mark_unmatched_rows(const mm_sparse *matrix, dm_coarse *coarse) {
    const int64_t *column_of_row = coarse->matching.column_of_row;
    for (int64_t i = 0; i < matrix->nrow; i++)
        if (column_of_row[i] < 0)
            coarse->row_part[i] = DM_VERTICAL;
    for (int64_t k = 0; k < matrix->nnz; k++)
        if (column_of_row[matrix->index[k]] < 0)
            return true;
    return false;
}

static base_status mark_vertical(base_context *context, const mm_sparse *matrix, int64_t *work,
                                 dm_coarse *coarse) {
    base_status status = BASE_OK;
    row_lists rows = {NULL, NULL};
    reach from_rows = {.count = matrix->nrow,
                       .other_count = matrix->ncol,
                       .match = coarse->matching.column_of_row,
                       .other_match = coarse->matching.row_of_column,
                       .part = coarse->row_part,
                       .other_part = coarse->column_part,
                       .mark = DM_VERTICAL,
                       .queue = work};
    if (!mark_unmatched_rows(matrix, coarse))
        goto done;
    BASE_TRY(list_rows(context, matrix, coarse, &rows));
    from_rows.start = rows.start;
    from_rows.index = rows.column;
    mark_reached(&from_rows);
done:
    free(rows.start);
    free(rows.column);
    return status;
}

base_status dm_coarse_find(base_context *context, const mm_sparse *matrix, int64_t *work, dm_coarse *coarse) {
    base_status status;
    BASE_TRY(dm_match(context, matrix, work, &coarse->matching));
    memset(coarse->row_part, DM_SQUARE, (size_t)matrix->nrow);
    memset(coarse->column_part, DM_SQUARE, (size_t)matrix->ncol);
    if (coarse->matching.size < matrix->ncol)
        mark_horizontal(matrix, work, coarse);
    if (coarse->matching.size < matrix->nrow)
        BASE_TRY(mark_vertical(context, matrix, work, coarse));
done:
    return status;
}
