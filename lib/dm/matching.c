/* SPDX-License-Identifier: BSD-3-Clause */
#include "dm/matching.h"
#include "base/run/progress.h"
#include "dm/search.h"

enum {
    FIRST_PHASES = 8, /* of Pothen and Fan; nearly every matrix of the Collection is done after them */
    LAST_PHASES = 6   /* the same after Karp and Sipser */
};

static bool diagonal_is_full(const mm_sparse *matrix) {
    if (matrix->nrow != matrix->ncol)
        return false;
    for (int64_t j = 0; j < matrix->ncol; j++) {
        int64_t low = matrix->start[j], high = matrix->start[j + 1];
        while (low < high) {
            int64_t middle = low + (high - low) / 2;
            if (matrix->index[middle] < j)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == matrix->start[j + 1] || matrix->index[low] != j)
            return false;
    }
    return true;
}

static void take_diagonal(dm_matching *matching, int64_t order) {
    for (int64_t j = 0; j < order; j++)
        matching->row_of_column[j] = matching->column_of_row[j] = j;
    matching->size = order;
}

/* Karp and Sipser's heuristic needs the matrix by rows; only what the first search leaves is worth that. */
static base_status match_again(base_context *context, dm_search *search) {
    base_status status = BASE_OK;
    mm_sparse pattern = mm_sparse_pattern(search->matrix), rows = {0};
    BASE_TRY(mm_sparse_reorient(context, &pattern, MM_BY_COLUMNS, &rows));
    BASE_TRY(dm_search_karp_sipser(context, &rows, search));
    dm_search_restart(search);
    if (!dm_search_depth_first(search, LAST_PHASES))
        dm_search_shortest(search);
done:
    mm_sparse_free(&rows);
    return status;
}

int64_t dm_match_words(int64_t nrow, int64_t ncol) {
    return 2 * nrow + 4 * ncol;
}

base_status dm_match(base_context *context, const mm_sparse *matrix, int64_t *work, dm_matching *matching) {
    int64_t nrow = matrix->nrow, ncol = matrix->ncol;
    if (diagonal_is_full(matrix)) {
        take_diagonal(matching, ncol);
        return BASE_OK;
    }
    base_status status = BASE_OK;
    dm_search search = {.context = context,
                        .matrix = matrix,
                        .matching = matching,
                        .visited = work,
                        .seen = work + nrow,
                        .next = work + 2 * nrow,
                        .path = work + 2 * nrow + ncol,
                        .position = work + 2 * nrow + 2 * ncol,
                        .unmatched = work + 2 * nrow + 3 * ncol};
    const bool is_long = matrix->nnz >= DM_LONG_ENTRIES;
    if (is_long)
        base_progress_start(context, "match", (double)(nrow < ncol ? nrow : ncol), "columns");
    dm_search_greedily(&search);
    if (!dm_search_depth_first(&search, FIRST_PHASES))
        status = match_again(context, &search);
    if (is_long)
        base_progress_finish(context);
    return status;
}
