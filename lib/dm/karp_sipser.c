/* SPDX-License-Identifier: BSD-3-Clause */
/* A first matching that takes what leaves no choice (Karp, Sipser 1981). */
#include "base/core/memory.h"
#include "dm/matching.h"
#include "dm/search.h"

#include <stdlib.h>
#include <string.h>

/* Entries left are those whose row and column are both free. A vertex reaches one entry left only once, so
 * `single` holds each row and column at most once. */
typedef struct remainder {
    const mm_sparse *columns, *rows;
    dm_matching *matching;
    int64_t *row_degree, *column_degree;
    int64_t *single; /* columns j and rows ~i with one entry left */
    int64_t nsingle;
} remainder;

static void remainder_init(remainder *rest) {
    for (int64_t i = 0; i < rest->columns->nrow; i++) {
        rest->matching->column_of_row[i] = -1;
        rest->row_degree[i] = rest->rows->start[i + 1] - rest->rows->start[i];
        if (rest->row_degree[i] == 1)
            rest->single[rest->nsingle++] = ~i;
    }
    for (int64_t j = 0; j < rest->columns->ncol; j++) {
        rest->matching->row_of_column[j] = -1;
        rest->column_degree[j] = rest->columns->start[j + 1] - rest->columns->start[j];
        if (rest->column_degree[j] == 1)
            rest->single[rest->nsingle++] = j;
    }
    rest->matching->size = 0;
}

static void match_pair(remainder *rest, int64_t row, int64_t column) {
    dm_matching *matching = rest->matching;
    matching->column_of_row[row] = column;
    matching->row_of_column[column] = row;
    matching->size++;
    for (int64_t k = rest->columns->start[column]; k < rest->columns->start[column + 1]; k++) {
        int64_t i = rest->columns->index[k];
        if (matching->column_of_row[i] < 0 && --rest->row_degree[i] == 1)
            rest->single[rest->nsingle++] = ~i;
    }
    for (int64_t k = rest->rows->start[row]; k < rest->rows->start[row + 1]; k++) {
        int64_t j = rest->rows->index[k];
        if (matching->row_of_column[j] < 0 && --rest->column_degree[j] == 1)
            rest->single[rest->nsingle++] = j;
    }
}

static int64_t first_free(const mm_sparse *matrix, int64_t vertex, const int64_t *partner) {
    int64_t k = matrix->start[vertex];
    while (partner[matrix->index[k]] >= 0)
        k++;
    return matrix->index[k];
}

static void match_singles(remainder *rest) {
    dm_matching *matching = rest->matching;
    while (rest->nsingle > 0) {
        int64_t vertex = rest->single[--rest->nsingle];
        if (vertex < 0) {
            if (matching->column_of_row[~vertex] < 0 && rest->row_degree[~vertex] == 1)
                match_pair(rest, ~vertex, first_free(rest->rows, ~vertex, matching->row_of_column));
        } else if (matching->row_of_column[vertex] < 0 && rest->column_degree[vertex] == 1)
            match_pair(rest, first_free(rest->columns, vertex, matching->column_of_row), vertex);
    }
}

static void match_smallest_row(remainder *rest, int64_t column) {
    int64_t best = -1;
    for (int64_t k = rest->columns->start[column]; k < rest->columns->start[column + 1]; k++) {
        int64_t i = rest->columns->index[k];
        if (rest->matching->column_of_row[i] < 0 &&
            (best < 0 || rest->row_degree[i] < rest->row_degree[best]))
            best = i;
    }
    if (best >= 0)
        match_pair(rest, best, column);
}

base_status dm_search_karp_sipser(base_context *context, const mm_sparse *rows, dm_search *search) {
    int64_t nrow = search->matrix->nrow, ncol = search->matrix->ncol;
    int64_t *single = base_alloc(context, nrow + ncol, sizeof *single);
    if (single == NULL)
        return BASE_MACHINE;
    remainder rest = {.columns = search->matrix,
                      .rows = rows,
                      .matching = search->matching,
                      .row_degree = search->visited,
                      .column_degree = search->position,
                      .single = single};
    remainder_init(&rest);
    match_singles(&rest);
    for (int64_t j = 0; j < ncol; j++)
        if (rest.matching->row_of_column[j] < 0) {
            match_smallest_row(&rest, j);
            match_singles(&rest);
            dm_search_tell(search);
        }
    free(single);
    return BASE_OK;
}
