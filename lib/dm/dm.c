/* SPDX-License-Identifier: BSD-3-Clause */
#include "dm/dm.h"
#include "base/core/memory.h"
#include "dm/fine.h"

#include <stdlib.h>

static base_status decomposition_alloc(base_context *context, dm_decomposition *dm, int64_t nblock) {
    dm->row = base_alloc(context, dm->nrow, sizeof *dm->row);
    dm->col = base_alloc(context, dm->ncol, sizeof *dm->col);
    dm->row_position = base_alloc(context, dm->nrow, sizeof *dm->row_position);
    dm->row_start = base_alloc(context, nblock + 1, sizeof *dm->row_start);
    dm->col_start = base_alloc(context, nblock + 1, sizeof *dm->col_start);
    bool enough = dm->row != NULL && dm->col != NULL && dm->row_position != NULL && dm->row_start != NULL &&
                  dm->col_start != NULL;
    return enough ? BASE_OK : BASE_MACHINE;
}

static int64_t count_marks(const unsigned char *part, int64_t length, dm_part mark) {
    int64_t count = 0;
    for (int64_t k = 0; k < length; k++)
        count += part[k] == mark;
    return count;
}

static void count_parts(dm_decomposition *dm, const dm_coarse *coarse) {
    dm->horizontal_nrow = count_marks(coarse->row_part, dm->nrow, DM_HORIZONTAL);
    dm->horizontal_ncol = count_marks(coarse->column_part, dm->ncol, DM_HORIZONTAL);
    dm->vertical_nrow = count_marks(coarse->row_part, dm->nrow, DM_VERTICAL);
    dm->vertical_ncol = count_marks(coarse->column_part, dm->ncol, DM_VERTICAL);
    dm->square_order = dm->ncol - dm->horizontal_ncol - dm->vertical_ncol;
}

/* Columns: the unmatched ones of H, those matched in H, S block by block, V. Rows follow their columns; the
 * unmatched ones of V are last. */
static void place_all(dm_decomposition *dm, const dm_coarse *coarse, const dm_fine *fine) {
    const int64_t *row_of_column = coarse->matching.row_of_column;
    int64_t row = 0, unmatched = 0, matched = dm->horizontal_ncol - dm->horizontal_nrow;
    int64_t vertical = dm->ncol - dm->vertical_ncol;
    for (int64_t j = 0; j < dm->ncol; j++) {
        if (row_of_column[j] < 0)
            dm->col[unmatched++] = j;
        else if (coarse->column_part[j] == DM_HORIZONTAL)
            dm->col[matched++] = j;
        else if (coarse->column_part[j] == DM_VERTICAL)
            dm->col[vertical++] = j;
    }
    for (int64_t k = 0; k < fine->order; k++)
        dm->col[dm->horizontal_ncol + k] = fine->column[k];
    for (int64_t k = unmatched; k < dm->ncol; k++)
        dm->row[row++] = row_of_column[dm->col[k]];
    for (int64_t i = 0; i < dm->nrow; i++)
        if (coarse->matching.column_of_row[i] < 0)
            dm->row[row++] = i;
    for (int64_t k = 0; k < dm->nrow; k++)
        dm->row_position[dm->row[k]] = k;
}

static void bound_blocks(dm_decomposition *dm, const dm_fine *fine) {
    int64_t b = 0;
    dm->row_start[0] = dm->col_start[0] = 0;
    if (dm->horizontal_ncol > 0) {
        b++;
        dm->row_start[b] = dm->horizontal_nrow;
        dm->col_start[b] = dm->horizontal_ncol;
    }
    dm->square_first = b;
    for (int64_t k = 0; k < fine->nblock; k++) {
        int64_t order = fine->start[k + 1] - fine->start[k];
        if (order > dm->largest_block)
            dm->largest_block = order;
        b++;
        dm->row_start[b] = dm->row_start[b - 1] + order;
        dm->col_start[b] = dm->col_start[b - 1] + order;
    }
    dm->square_end = b;
    if (dm->vertical_nrow > 0) {
        b++;
        dm->row_start[b] = dm->nrow;
        dm->col_start[b] = dm->ncol;
    }
    dm->nblock = b;
}

static int64_t *take(int64_t **work, int64_t words) {
    int64_t *taken = *work;
    *work += words;
    return taken;
}

/* All that is needed for a while in one block: the allocator gives such a block back and forth without asking
 * the kernel for its pages each time. NULL without memory. */
static int64_t *workspace_alloc(base_context *context, int64_t nrow, int64_t ncol, dm_coarse *coarse,
                                dm_fine *fine, int64_t **rest) {
    int64_t order = nrow < ncol ? nrow : ncol, row_marks = nrow / 8 + 1, column_marks = ncol / 8 + 1;
    int64_t match_words = dm_match_words(nrow, ncol), fine_words = dm_fine_words(nrow, ncol);
    int64_t shared = match_words > fine_words ? match_words : fine_words;
    int64_t *work =
        base_alloc(context, nrow + ncol + row_marks + column_marks + 2 * order + 1 + shared, sizeof *work);
    if (work == NULL)
        return NULL;
    *rest = work;
    coarse->matching.row_of_column = take(rest, ncol);
    coarse->matching.column_of_row = take(rest, nrow);
    coarse->row_part = (unsigned char *)take(rest, row_marks);
    coarse->column_part = (unsigned char *)take(rest, column_marks);
    fine->column = take(rest, order);
    fine->start = take(rest, order + 1);
    return work;
}

base_status dm_decompose(base_context *context, const mm_sparse *matrix, dm_decomposition *decomposition) {
    base_status status = BASE_OK;
    dm_coarse coarse;
    dm_fine fine;
    dm_decomposition dm = {.nrow = matrix->nrow, .ncol = matrix->ncol};
    int64_t *rest, *work = workspace_alloc(context, matrix->nrow, matrix->ncol, &coarse, &fine, &rest);
    if (work == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(dm_coarse_find(context, matrix, rest, &coarse));
    BASE_TRY(dm_fine_find(context, matrix, &coarse, rest, &fine));
    BASE_TRY(decomposition_alloc(context, &dm, fine.nblock + 2));
    dm.structural_rank = coarse.matching.size;
    count_parts(&dm, &coarse);
    place_all(&dm, &coarse, &fine);
    bound_blocks(&dm, &fine);
done:
    free(work);
    if (status != BASE_OK)
        dm_free(&dm);
    *decomposition = dm;
    return status;
}

void dm_free(dm_decomposition *decomposition) {
    if (decomposition == NULL)
        return;
    free(decomposition->row);
    free(decomposition->col);
    free(decomposition->row_position);
    free(decomposition->row_start);
    free(decomposition->col_start);
    *decomposition = (dm_decomposition){0};
}

bool dm_is_full_rank(const dm_decomposition *decomposition) {
    int64_t shorter = decomposition->nrow < decomposition->ncol ? decomposition->nrow : decomposition->ncol;
    return decomposition->structural_rank == shorter;
}
