/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the block form as matrices. */
#include "base/core/memory.h"
#include "dm/dm.h"
#include "mm/matrix/submatrix.h"

#include <stdlib.h>
#include <string.h>

static base_status extract_range(base_context *context, const mm_sparse *matrix, const dm_decomposition *dm,
                                 int64_t first, int64_t end, mm_sparse *submatrix) {
    mm_selection blocks = {.nrow = dm->row_start[end] - dm->row_start[first],
                           .ncol = dm->col_start[end] - dm->col_start[first],
                           .row_place = dm->row_position,
                           .row_first = dm->row_start[first],
                           .column = dm->col + dm->col_start[first]};
    return mm_sparse_select(context, matrix, &blocks, submatrix);
}

base_status dm_extract_block(base_context *context, const mm_sparse *matrix,
                             const dm_decomposition *decomposition, int64_t block, mm_sparse *submatrix) {
    return extract_range(context, matrix, decomposition, block, block + 1, submatrix);
}

base_status dm_permute(base_context *context, const mm_sparse *matrix, const dm_decomposition *decomposition,
                       mm_sparse *permuted) {
    return extract_range(context, matrix, decomposition, 0, decomposition->nblock, permuted);
}

/* Walks the entries inside the diagonal blocks; copies them to `kept` when it has arrays, and counts them. */
static int64_t copy_diagonal_blocks(const mm_sparse *matrix, const dm_decomposition *dm,
                                    const int64_t *block_of_row, const int64_t *block_of_column,
                                    mm_sparse *kept) {
    size_t bytes = 8 * (size_t)mm_sparse_value_words(matrix->field);
    const char *from = mm_sparse_values(matrix);
    char *to = mm_sparse_values(kept);
    int64_t count = 0;
    for (int64_t j = 0; j < dm->ncol; j++) {
        for (int64_t p = matrix->start[j]; p < matrix->start[j + 1]; p++) {
            if (block_of_row[matrix->index[p]] != block_of_column[j])
                continue;
            if (kept->index != NULL) {
                kept->index[count] = matrix->index[p];
                if (bytes > 0)
                    memcpy(to + (size_t)count * bytes, from + (size_t)p * bytes, bytes);
            }
            count++;
        }
        if (kept->start != NULL)
            kept->start[j + 1] = count;
    }
    return count;
}

base_status dm_drop(base_context *context, const mm_sparse *matrix, const dm_decomposition *decomposition,
                    mm_sparse *kept) {
    base_status status = BASE_OK;
    int64_t *block_of_row = base_alloc(context, matrix->nrow, sizeof *block_of_row);
    int64_t *block_of_column = base_alloc(context, matrix->ncol, sizeof *block_of_column);
    *kept = (mm_sparse){.nrow = matrix->nrow, .ncol = matrix->ncol, .field = matrix->field};
    if (block_of_row == NULL || block_of_column == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t b = 0; b < decomposition->nblock; b++) {
        for (int64_t k = decomposition->row_start[b]; k < decomposition->row_start[b + 1]; k++)
            block_of_row[decomposition->row[k]] = b;
        for (int64_t k = decomposition->col_start[b]; k < decomposition->col_start[b + 1]; k++)
            block_of_column[decomposition->col[k]] = b;
    }
    bool any = dm_is_full_rank(decomposition);
    if (any)
        kept->nnz = copy_diagonal_blocks(matrix, decomposition, block_of_row, block_of_column, kept);
    BASE_TRY(mm_sparse_alloc(context, kept, kept->ncol, matrix->digits != NULL));
    if (any)
        copy_diagonal_blocks(matrix, decomposition, block_of_row, block_of_column, kept);
done:
    free(block_of_row);
    free(block_of_column);
    if (status != BASE_OK)
        mm_sparse_free(kept);
    return status;
}
