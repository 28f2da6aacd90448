/* SPDX-License-Identifier: BSD-3-Clause */
/* The block form of a matrix that is given by its entries, and its permanent from the blocks. */
#include <mmpipe/dm.h>
#include <mmpipe/permanent.h>
#include <stdio.h>

/* Block triangular: [1 2; 3 4] and [5] on the diagonal, so that the permanent is (1*4 + 2*3) * 5 = 50. */
static const int64_t row[] = {0, 0, 1, 1, 0, 2}, col[] = {0, 1, 0, 1, 2, 2}, value[] = {1, 2, 3, 4, 9, 5};

static mmpipe_status fold_blocks(mmpipe_context *context, const mmpipe_record *record) {
    mmpipe_dm_splitter *splitter = NULL;
    mmpipe_permanent_fold *fold = NULL;
    mmpipe_permanent *permanent = NULL;
    mmpipe_record *block = NULL;
    mmpipe_status status = mmpipe_dm_split(context, record, false, &splitter);
    if (status == MMPIPE_OK)
        status = mmpipe_permanent_fold_open(context, NULL, &fold);
    while (status == MMPIPE_OK && permanent == NULL) {
        status = mmpipe_dm_split_next(context, splitter, &block);
        if (status != MMPIPE_OK || block == NULL)
            break;
        status = mmpipe_permanent_fold_add(context, fold, block, &permanent);
        mmpipe_record_free(block);
    }
    if (permanent != NULL)
        printf("permanent %s\n", mmpipe_permanent_text(permanent));
    mmpipe_permanent_free(permanent);
    mmpipe_permanent_fold_close(fold);
    mmpipe_dm_split_close(splitter);
    return status;
}

int main(void) {
    const mmpipe_shape shape = {.nrow = 3, .ncol = 3, .field = MMPIPE_INTEGER};
    mmpipe_context *context = mmpipe_context_new();
    mmpipe_record *record = NULL;
    mmpipe_dm *dm = NULL;
    mmpipe_dm_form form;
    if (context == NULL)
        return 4;
    mmpipe_status status =
        mmpipe_record_from_entries(context, shape, 6, row, col, value, MMPIPE_BORROW, &record);
    if (status == MMPIPE_OK)
        status = mmpipe_dm_decompose(context, record, false, &dm);
    if (status == MMPIPE_OK) {
        mmpipe_dm_get_form(dm, &form);
        printf("structural rank %lld, %lld blocks\n", (long long)form.structural_rank,
               (long long)form.blocks);
        status = fold_blocks(context, record);
    }
    if (status != MMPIPE_OK)
        fprintf(stderr, "dm: %s\n", mmpipe_error(context));
    mmpipe_dm_free(dm);
    mmpipe_record_free(record);
    mmpipe_context_free(context);
    return (int)status;
}
