/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/matrix/rearrange.h"
#include "base/core/memory.h"
#include "mm/matrix/submatrix.h"
#include "mm/metadata/list.h"
#include "mm/metadata/origin.h"

#include <stdlib.h>

/* Counts of rows or columns move with them. */
static base_status permute_counts(base_context *context, mm_record *record, const char *key,
                                  const int64_t *order, int64_t length) {
    base_status status;
    int64_t *count = NULL, *moved = NULL;
    BASE_TRY(mm_list_get_counts(context, record, key, length, &count));
    if (count == NULL || order == NULL)
        goto done;
    moved = base_alloc(context, length, sizeof *moved);
    if (moved == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t k = 0; k < length; k++)
        moved[k] = count[order[k]];
    BASE_TRY(mm_list_set_counts(context, record, key, moved, length));
done:
    free(count);
    free(moved);
    return status;
}

/* A(row, col), comments as they are but for the counts of lines. */
static base_status permute(base_context *context, mm_record *record, const int64_t *row, const int64_t *col) {
    base_status status;
    mm_sparse matrix = {0}, permuted = {0};
    BASE_TRY(mm_sparse_from_record(context, record, (mm_sparse_options){MM_BY_COLUMNS, true}, &matrix));
    BASE_TRY(mm_sparse_permute(context, &matrix, row, col, &permuted));
    BASE_TRY(mm_record_from_sparse(context, &permuted, record));
    BASE_TRY(permute_counts(context, record, MM_ROW_COUNTS, row, record->nrow));
    BASE_TRY(permute_counts(context, record, MM_COLUMN_COUNTS, col, record->ncol));
done:
    mm_sparse_free(&permuted);
    mm_sparse_free(&matrix);
    return status;
}

base_status mm_record_permute(base_context *context, mm_record *record, const int64_t *row,
                              const int64_t *col) {
    base_status status;
    mm_origin before = {0};
    BASE_TRY(mm_origin_get(context, record, &before));
    BASE_TRY(permute(context, record, row, col));
    BASE_TRY(mm_origin_set(context, record, &before, row, col));
done:
    mm_origin_free(&before);
    return status;
}

base_status mm_record_restore(base_context *context, mm_record *record) {
    base_status status;
    mm_origin origin = {0};
    BASE_TRY(mm_origin_get(context, record, &origin));
    if (origin.row == NULL && origin.col == NULL)
        BASE_TRY(base_fail(context, BASE_FAILED, "no permutation to undo: %% origin.rows is not there"));
    BASE_TRY(mm_origin_invert(context, &origin));
    BASE_TRY(permute(context, record, origin.row, origin.col));
    mm_origin_remove(record);
done:
    mm_origin_free(&origin);
    return status;
}
