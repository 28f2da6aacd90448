/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/degree/simplify.h"
#include "base/core/memory.h"

#include <stdlib.h>
#include <string.h>

void perm_scaled_collect(perm_elimination *e, perm_scaled *scaled) {
    perm_value found;
    perm_value_init(&found);
    perm_product_finish(&e->factor, &found);
    perm_value_multiply(&scaled->factor, &found);
    perm_value_free(&found);
}

base_status perm_scaled_take(perm_elimination *e, perm_scaled *scaled) {
    mm_field field = scaled->matrix.field;
    perm_scaled_collect(e, scaled);
    perm_matrix_free(&scaled->matrix);
    return perm_elimination_take_rest(e, field, &scaled->matrix);
}

static int64_t fewest_entries(const perm_matrix *matrix, int64_t *count) {
    int64_t fewest = INT64_MAX;
    memset(count, 0, (size_t)matrix->n * sizeof *count);
    for (int64_t e = 0; e < matrix->nnz; e++)
        count[matrix->index[e]]++;
    for (int64_t i = 0; i < matrix->n; i++) {
        int64_t length = matrix->start[i + 1] - matrix->start[i];
        fewest = length < fewest ? length : fewest;
        fewest = count[i] < fewest ? count[i] : fewest;
    }
    return fewest;
}

int64_t perm_matrix_drop(perm_matrix *matrix, const dm_decomposition *dm, int64_t *row_block) {
    int64_t *column_block = row_block + matrix->n;
    for (int64_t b = 0; b < dm->nblock; b++)
        for (int64_t k = dm->col_start[b]; k < dm->col_start[b + 1]; k++) {
            row_block[dm->col[k]] = b;
            column_block[dm->row[k]] = b;
        }
    for (int64_t i = 0; i < matrix->n; i++)
        for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++)
            if (row_block[i] != column_block[matrix->index[e]])
                perm_value_set_integer(&matrix->entry[e], 0);
    return perm_matrix_squeeze(matrix);
}

base_status perm_matrix_cut_block(base_context *context, perm_matrix *matrix, const int64_t *row_block,
                                  int64_t b, int64_t *place, perm_matrix *block) {
    base_status status = BASE_OK;
    const int64_t *column_block = row_block + matrix->n;
    int64_t n = 0, nnz = 0, at = 0, count = 0;
    for (int64_t i = 0; i < matrix->n; i++) {
        place[i] = n;
        n += column_block[i] == b;
        nnz += row_block[i] == b ? matrix->start[i + 1] - matrix->start[i] : 0;
    }
    BASE_TRY(perm_matrix_alloc(context, n, nnz, matrix->field, block));
    for (int64_t i = 0; i < matrix->n; i++) {
        if (row_block[i] != b)
            continue;
        for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++, count++) {
            block->index[count] = place[matrix->index[e]];
            perm_value_move(&block->entry[count], &matrix->entry[e]);
        }
        block->start[++at] = count;
    }
done:
    return status;
}

base_status perm_scaled_drop(base_context *context, perm_scaled *scaled, int64_t *dropped) {
    base_status status;
    dm_decomposition dm = {0};
    mm_sparse pattern = perm_matrix_pattern(&scaled->matrix);
    int64_t *block = base_alloc(context, 2 * pattern.nrow, sizeof *block);
    *dropped = scaled->blocks = 0;
    if (block == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(dm_decompose(context, &pattern, &dm));
    if (!dm_is_full_rank(&dm))
        goto done;
    *dropped = perm_matrix_drop(&scaled->matrix, &dm, block);
    scaled->blocks = dm.nblock > 0 ? dm.nblock : 1;
done:
    dm_free(&dm);
    free(block);
    return status;
}

base_status perm_scaled_simplify(base_context *context, int64_t stop_n, perm_scaled *scaled) {
    base_status status = BASE_OK;
    perm_elimination e = {.n = 0};
    int64_t dropped = 1;
    int64_t *count = base_alloc(context, scaled->matrix.n, sizeof *count);
    if (count == NULL)
        BASE_TRY(BASE_MACHINE);
    while (dropped > 0) {
        if (scaled->matrix.n > stop_n && fewest_entries(&scaled->matrix, count) <= 2) {
            BASE_TRY(perm_elimination_init_taking(context, &scaled->matrix, &e));
            BASE_TRY(perm_elimination_run(&e, stop_n));
            scaled->blocks = 0;
            if (e.zero)
                goto done;
            BASE_TRY(perm_scaled_take(&e, scaled));
            perm_elimination_free(&e);
        }
        BASE_TRY(perm_scaled_drop(context, scaled, &dropped));
    }
done:
    free(count);
    perm_elimination_free(&e);
    return status;
}
