#include "perm/degree/simplify.h"
#include "base/core/memory.h"
#include <stdlib.h>
#include <string.h>

void perm_weighted_collect(perm_elimination *e, perm_weighted *weighted) {
    perm_value found;
    perm_value_init(&found);
    perm_product_finish(&e->factor, &found);
    perm_value_multiply(&weighted->factor, &found);
    perm_value_free(&found);
}

base_status perm_weighted_take(perm_elimination *e, perm_weighted *weighted) {
    mm_field field = weighted->matrix.field;
    perm_weighted_collect(e, weighted);
    perm_matrix_free(&weighted->matrix);
    return perm_elimination_take_rest(e, field, &weighted->matrix);
}

static int64_t fewest_entries(const perm_matrix *matrix, int64_t *count) {
    int64_t fewest = INT64_MAX;
    memset(count, 0, (size_t)matrix->n * sizeof *count);
    for (int64_t e = 0; e < matrix->nnz; e++)
        count[matrix->index[e]]++;
    for (int64_t i = 0; i < matrix->n; i++) {
        int64_t line = matrix->start[i + 1] - matrix->start[i];
        fewest = line < fewest ? line : fewest;
        fewest = count[i] < fewest ? count[i] : fewest;
    }
    return fewest;
}

int64_t perm_matrix_drop(perm_matrix *matrix, const dm_decomposition *dm, int64_t *line_block) {
    int64_t *cross_block = line_block + matrix->n;
    for (int64_t b = 0; b < dm->nblock; b++)
        for (int64_t k = dm->col_start[b]; k < dm->col_start[b + 1]; k++) {
            line_block[dm->col[k]] = b;
            cross_block[dm->row[k]] = b;
        }
    for (int64_t i = 0; i < matrix->n; i++)
        for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++)
            if (line_block[i] != cross_block[matrix->index[e]])
                perm_value_set_integer(&matrix->entry[e], 0);
    return perm_matrix_squeeze(matrix);
}

base_status perm_weighted_drop(base_context *context, perm_weighted *weighted, int64_t *dropped) {
    base_status status;
    dm_decomposition dm = {0};
    mm_sparse pattern = perm_matrix_pattern(&weighted->matrix);
    int64_t *block = base_alloc(context, 2 * pattern.nrow, sizeof *block);
    *dropped = weighted->blocks = 0;
    if (!block) {
        status = BASE_MACHINE;
        goto done;
    }
    BASE_TRY(dm_decompose(context, &pattern, &dm));
    if (!dm_is_full_rank(&dm))
        goto done;
    *dropped = perm_matrix_drop(&weighted->matrix, &dm, block);
    weighted->blocks = dm.nblock > 0 ? dm.nblock : 1;
done:
    dm_free(&dm);
    free(block);
    return status;
}

base_status perm_weighted_settle(base_context *context, int64_t stop_n, perm_weighted *weighted) {
    base_status status = BASE_OK;
    perm_elimination e = {.n = 0};
    int64_t dropped = 1;
    int64_t *count = base_alloc(context, weighted->matrix.n, sizeof *count);
    if (!count) {
        status = BASE_MACHINE;
        goto done;
    }
    while (dropped > 0) {
        if (weighted->matrix.n > stop_n && fewest_entries(&weighted->matrix, count) <= 2) {
            BASE_TRY(perm_elimination_init_taking(context, &weighted->matrix, &e));
            BASE_TRY(perm_elimination_run(&e, stop_n));
            weighted->blocks = 0;
            if (e.zero)
                goto done;
            BASE_TRY(perm_weighted_take(&e, weighted));
            perm_elimination_free(&e);
        }
        BASE_TRY(perm_weighted_drop(context, weighted, &dropped));
    }
done:
    free(count);
    perm_elimination_free(&e);
    return status;
}
