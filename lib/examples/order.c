/* SPDX-License-Identifier: BSD-3-Clause */
/* A path 0-4-1-3-2 in an order of small bandwidth: its matrix becomes tridiagonal. */
#include <mmpipe/order.h>
#include <stdio.h>
#include <stdlib.h>

/* The lower triangle of the path's matrix, without values. */
static const int64_t row[] = {4, 4, 3, 3}, col[] = {0, 1, 1, 2};

static int64_t bandwidth(const mmpipe_record *record) {
    int64_t most = 0;
    for (int64_t k = 0; k < mmpipe_record_nnz(record); k++) {
        const int64_t distance = llabs(mmpipe_record_row(record)[k] - mmpipe_record_col(record)[k]);
        most = distance > most ? distance : most;
    }
    return most;
}

int main(void) {
    const mmpipe_shape shape = {5, 5, MMPIPE_PATTERN, MMPIPE_SYMMETRIC};
    mmpipe_context *context = mmpipe_context_new();
    mmpipe_record *record = NULL;
    int64_t *from_row = NULL, *from_col = NULL;
    if (context == NULL)
        return 4;
    mmpipe_status status =
        mmpipe_record_from_entries(context, shape, 4, row, col, NULL, MMPIPE_COPY, &record);
    if (status == MMPIPE_OK) {
        printf("bandwidth %lld\n", (long long)bandwidth(record));
        status = mmpipe_order(context, record, "rcm");
    }
    if (status == MMPIPE_OK)
        status = mmpipe_record_origin(context, record, &from_row, &from_col);
    if (status == MMPIPE_OK) {
        printf("bandwidth %lld, rows", (long long)bandwidth(record));
        for (int k = 0; k < 5; k++)
            printf(" %lld", (long long)from_row[k]);
        printf("\n");
    } else {
        fprintf(stderr, "order: %s\n", mmpipe_error(context));
    }
    mmpipe_free(from_row);
    mmpipe_free(from_col);
    mmpipe_record_free(record);
    mmpipe_context_free(context);
    return (int)status;
}
