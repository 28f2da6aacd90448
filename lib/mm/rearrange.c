#include "mm/rearrange.h"
#include "mm/origin.h"
#include "mm/submatrix.h"

#include <stdlib.h>

/* A(row, col), comments as they are. */
static base_status permute(base_context *context, mm_record *record, const int64_t *row, const int64_t *col) {
    base_status status;
    mm_sparse matrix = {0}, permuted = {0};
    BASE_TRY(mm_sparse_from_record(context, record, (mm_sparse_options){MM_BY_COLUMNS, true}, &matrix));
    BASE_TRY(mm_sparse_permute(context, &matrix, row, col, &permuted));
    BASE_TRY(mm_record_from_sparse(context, &permuted, record));
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
