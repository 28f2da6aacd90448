/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders of rows and columns. */
#include "mmpipe/order.h"
#include "api/internal.h"
#include "base/core/memory.h"
#include "mm/matrix/rearrange.h"
#include "mm/metadata/origin.h"
#include "order/record.h"

#include <stdlib.h>

const char *mmpipe_order_methods(void) {
    return ORDER_METHODS;
}

/* What changes a record begins so. */
static base_status begin(mmpipe_context *context, mmpipe_record *record) {
    base_status status;
    BASE_TRY(api_begin(context));
    if (record->record.kind != MM_MATRIX)
        BASE_TRY(base_fail(&context->base, BASE_FAILED, "not a matrix"));
    BASE_TRY(api_record_own(&context->base, record));
done:
    return status;
}

mmpipe_status mmpipe_order(mmpipe_context *context, mmpipe_record *record, const char *method) {
    base_status status;
    int number;
    order_frontier_options frontier = order_frontier_default;
    frontier.seed = context->base.seed;
    BASE_TRY(begin(context, record));
    BASE_TRY(order_find_method(&context->base, method, &number));
    BASE_TRY(order_record(&context->base, number, &frontier, &record->record));
done:
    return api_status(status);
}

/* NULL is one. */
static base_status check_permutation(base_context *context, const int64_t *list, int64_t length,
                                     const char *what) {
    char *seen = base_alloc_zero(context, length, 1);
    int64_t wrong = -1;
    if (seen == NULL)
        return BASE_MACHINE;
    for (int64_t k = 0; list != NULL && k < length && wrong < 0; k++)
        if (list[k] < 0 || list[k] >= length || seen[list[k]]++)
            wrong = k;
    free(seen);
    return wrong < 0
               ? BASE_OK
               : base_fail(context, BASE_USAGE, "the order of %s is no permutation: place %lld has %lld",
                           what, (long long)wrong, (long long)list[wrong]);
}

mmpipe_status mmpipe_record_permute(mmpipe_context *context, mmpipe_record *record, const int64_t *row,
                                    const int64_t *col) {
    base_status status;
    BASE_TRY(begin(context, record));
    BASE_TRY(check_permutation(&context->base, row, record->record.nrow, "rows"));
    BASE_TRY(check_permutation(&context->base, col, record->record.ncol, "columns"));
    BASE_TRY(mm_record_permute(&context->base, &record->record, row, col));
done:
    return api_status(status);
}

mmpipe_status mmpipe_record_restore(mmpipe_context *context, mmpipe_record *record) {
    base_status status;
    BASE_TRY(begin(context, record));
    BASE_TRY(mm_record_restore(&context->base, &record->record));
    order_forget(&record->record);
done:
    return api_status(status);
}

/* A list of its own where each line is its own place. */
static base_status fill_list(base_context *context, int64_t length, int64_t **list) {
    if (*list != NULL)
        return BASE_OK;
    *list = base_alloc(context, length, sizeof **list);
    for (int64_t k = 0; *list != NULL && k < length; k++)
        (*list)[k] = k;
    return *list != NULL ? BASE_OK : BASE_MACHINE;
}

mmpipe_status mmpipe_record_origin(mmpipe_context *context, const mmpipe_record *record, int64_t **row,
                                   int64_t **col) {
    base_status status;
    mm_origin origin = {0};
    *row = *col = NULL;
    BASE_TRY(api_begin(context));
    BASE_TRY(mm_origin_get(&context->base, &record->record, &origin));
    BASE_TRY(fill_list(&context->base, record->record.nrow, &origin.row));
    BASE_TRY(fill_list(&context->base, record->record.ncol, &origin.col));
    *row = origin.row;
    *col = origin.col;
    origin.row = origin.col = NULL;
done:
    mm_origin_free(&origin);
    return api_status(status);
}
