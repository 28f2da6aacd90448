/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/metadata/origin.h"
#include "base/core/memory.h"
#include "mm/metadata/list.h"
#include "mm/metadata/metadata.h"

#include <stdlib.h>
#include <string.h>

static const char rows_key[] = "origin.rows", cols_key[] = "origin.cols";

base_status mm_origin_get(base_context *context, const mm_record *record, mm_origin *origin) {
    base_status status;
    *origin = (mm_origin){.nrow = record->nrow, .ncol = record->ncol};
    BASE_TRY(mm_list_get(context, record, rows_key, record->nrow, &origin->row));
    BASE_TRY(mm_list_get(context, record, cols_key, record->ncol, &origin->col));
done:
    if (status != BASE_OK)
        mm_origin_free(origin);
    return status;
}

void mm_origin_free(mm_origin *origin) {
    if (origin == NULL)
        return;
    free(origin->row);
    free(origin->col);
    *origin = (mm_origin){0};
}

static base_status invert(base_context *context, const char *key, int64_t length, int64_t **item) {
    if (*item == NULL)
        return BASE_OK;
    int64_t *place = base_alloc(context, length, sizeof *place);
    if (place == NULL)
        return BASE_MACHINE;
    memset(place, -1, (size_t)length * sizeof *place);
    for (int64_t k = 0; k < length; k++) {
        int64_t from = (*item)[k];
        if (from >= length || place[from] >= 0) {
            free(place);
            return base_fail(context, BASE_FAILED, "%% %s is no permutation of the matrix's own", key);
        }
        place[from] = k;
    }
    free(*item);
    *item = place;
    return BASE_OK;
}

base_status mm_origin_invert(base_context *context, mm_origin *origin) {
    base_status status;
    BASE_TRY(invert(context, rows_key, origin->nrow, &origin->row));
    BASE_TRY(invert(context, cols_key, origin->ncol, &origin->col));
done:
    return status;
}

/* list[k] of the original; both NULL stand for the identity. */
static base_status compose(base_context *context, const int64_t *before, const int64_t *list, int64_t length,
                           int64_t **composed) {
    *composed = base_alloc(context, length, sizeof **composed);
    if (*composed == NULL)
        return BASE_MACHINE;
    for (int64_t k = 0; k < length; k++) {
        int64_t from = list != NULL ? list[k] : k;
        (*composed)[k] = before != NULL ? before[from] : from;
    }
    return BASE_OK;
}

base_status mm_origin_set(base_context *context, mm_record *record, const mm_origin *before,
                          const int64_t *row, const int64_t *col) {
    base_status status = BASE_OK;
    mm_origin now = {.nrow = record->nrow, .ncol = record->ncol};
    BASE_TRY(compose(context, before != NULL ? before->row : NULL, row, now.nrow, &now.row));
    BASE_TRY(compose(context, before != NULL ? before->col : NULL, col, now.ncol, &now.col));
    BASE_TRY(mm_list_set(context, record, rows_key, now.row, now.nrow));
    BASE_TRY(mm_list_set(context, record, cols_key, now.col, now.ncol));
done:
    mm_origin_free(&now);
    return status;
}

void mm_origin_remove(mm_record *record) {
    mm_metadata_remove(record, rows_key);
    mm_metadata_remove(record, cols_key);
}
