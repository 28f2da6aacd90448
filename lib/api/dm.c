/* SPDX-License-Identifier: BSD-3-Clause */
/* Dulmage-Mendelsohn decompositions. */
#include "mmpipe/dm.h"
#include "api/internal.h"
#include "base/core/memory.h"
#include "dm/dm.h"
#include "dm/split.h"

#include <stdlib.h>

struct mmpipe_dm {
    dm_decomposition dm;
};

struct mmpipe_dm_splitter {
    dm_splitter *splitter;
};

static base_status check_matrix(base_context *context, const mmpipe_record *record) {
    return record->record.kind == MM_MATRIX ? BASE_OK : base_fail(context, BASE_FAILED, "not a matrix");
}

mmpipe_status mmpipe_dm_decompose(mmpipe_context *context, const mmpipe_record *record, bool keep_zeros,
                                  mmpipe_dm **dm) {
    base_status status;
    base_context *base = &context->base;
    mm_sparse matrix = {0};
    mmpipe_dm *made = base_alloc_zero(base, 1, sizeof *made);
    *dm = NULL;
    if (made == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(api_begin(context));
    BASE_TRY(check_matrix(base, record));
    BASE_TRY(mm_sparse_from_record(base, &record->record, (mm_sparse_options){MM_BY_COLUMNS, keep_zeros},
                                   &matrix));
    BASE_TRY(dm_decompose(base, &matrix, &made->dm));
    *dm = made;
    made = NULL;
done:
    mm_sparse_free(&matrix);
    mmpipe_dm_free(made);
    return api_status(status);
}

void mmpipe_dm_get_form(const mmpipe_dm *dm, mmpipe_dm_form *form) {
    const dm_decomposition *own = &dm->dm;
    *form = (mmpipe_dm_form){.nrow = own->nrow,
                             .ncol = own->ncol,
                             .structural_rank = own->structural_rank,
                             .row = own->row,
                             .col = own->col,
                             .blocks = own->nblock,
                             .row_start = own->row_start,
                             .col_start = own->col_start,
                             .square_first = own->square_first,
                             .square_end = own->square_end,
                             .horizontal_nrow = own->horizontal_nrow,
                             .horizontal_ncol = own->horizontal_ncol,
                             .square_order = own->square_order,
                             .vertical_nrow = own->vertical_nrow,
                             .vertical_ncol = own->vertical_ncol};
}

void mmpipe_dm_free(mmpipe_dm *dm) {
    if (dm == NULL)
        return;
    dm_free(&dm->dm);
    free(dm);
}

/* ---- records ---- */

static mmpipe_status change(mmpipe_context *context, mmpipe_record *record, bool keep_zeros,
                            base_status (*step)(base_context *, mm_record *, bool)) {
    base_status status;
    BASE_TRY(api_begin(context));
    BASE_TRY(check_matrix(&context->base, record));
    BASE_TRY(api_record_own(&context->base, record));
    BASE_TRY(step(&context->base, &record->record, keep_zeros));
done:
    return api_status(status);
}

mmpipe_status mmpipe_dm_permute(mmpipe_context *context, mmpipe_record *record, bool keep_zeros) {
    return change(context, record, keep_zeros, dm_permute_record);
}

mmpipe_status mmpipe_dm_drop(mmpipe_context *context, mmpipe_record *record, bool keep_zeros) {
    return change(context, record, keep_zeros, dm_drop_record);
}

mmpipe_status mmpipe_dm_split(mmpipe_context *context, const mmpipe_record *record, bool keep_zeros,
                              mmpipe_dm_splitter **splitter) {
    base_status status;
    base_context *base = &context->base;
    mmpipe_dm_splitter *made = base_alloc_zero(base, 1, sizeof *made);
    *splitter = NULL;
    if (made == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(api_begin(context));
    BASE_TRY(check_matrix(base, record));
    BASE_TRY(dm_splitter_open(base, &record->record, (dm_split_options){.keep_zeros = keep_zeros},
                              &made->splitter));
    *splitter = made;
    made = NULL;
done:
    mmpipe_dm_split_close(made);
    return api_status(status);
}

static base_status next_block(base_context *context, void *from, mmpipe_record *record, bool *found) {
    return dm_splitter_next(context, from, &record->record, found);
}

mmpipe_status mmpipe_dm_split_next(mmpipe_context *context, mmpipe_dm_splitter *splitter,
                                   mmpipe_record **block) {
    return api_record_next(context, next_block, splitter->splitter, block);
}

void mmpipe_dm_split_close(mmpipe_dm_splitter *splitter) {
    if (splitter == NULL)
        return;
    dm_splitter_close(splitter->splitter);
    free(splitter);
}
