/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/matrix/io.h"
#include "base/core/memory.h"
#include "mm/matrix/reals.h"
#include "mm/metadata/metadata.h"

#include <stdlib.h>
#include <string.h>

base_status h2_from_record(base_context *context, mm_record *record, h2_matrix *matrix) {
    char *payload = record->payload;
    const int64_t bytes = payload != NULL ? record->payload_bytes : 0;
    const int64_t mapped = record->payload_mapped;
    const int descriptor = record->payload_descriptor;
    const mm_device_memory on_device = record->on_device;
    record->on_device = (mm_device_memory){0};
    record->payload_descriptor = 0;
    record->payload = NULL;
    record->payload_bytes = record->payload_mapped = 0;
    base_status status = h2_matrix_take(context, payload, bytes, matrix);
    matrix->payload_mapped = mapped;
    matrix->payload_descriptor = descriptor;
    matrix->on_device = on_device;
    return status;
}

static base_status set_metadata(base_context *context, const h2_header *head, mm_record *record) {
    base_status status;
    BASE_TRY(mm_metadata_set(context, record, "h2.function", "%s",
                             h2_function_name((h2_function_kind)head->function)));
    BASE_TRY(mm_metadata_set(context, record, "h2.length", "%.17g", head->length));
    if (head->nugget != 0)
        BASE_TRY(mm_metadata_set(context, record, "h2.nugget", "%.17g", head->nugget));
    BASE_TRY(mm_metadata_set(context, record, "h2.eta", "%.17g", head->eta));
    BASE_TRY(mm_metadata_set(context, record, "h2.order", "%lld", (long long)head->order));
    if ((head->flags & H2_ORTHOGONAL) != 0)
        BASE_TRY(mm_metadata_set(context, record, "h2.orthogonal", "yes"));
    if (head->error > 0)
        BASE_TRY(mm_metadata_set(context, record, "h2.error", "%.6g", head->error));
done:
    return status;
}

base_status h2_to_record(base_context *context, h2_matrix *matrix, mm_record *record) {
    const h2_sizes sizes = h2_matrix_sizes(matrix);
    char *comments = record->comments;
    record->comments = NULL;
    mm_record_free(record);
    record->comments = comments;
    record->kind = MM_H2;
    record->format = MM_ARRAY;
    record->field = MM_REAL;
    record->symmetry = h2_is_symmetric(matrix) ? MM_SYMMETRIC : MM_GENERAL;
    record->nrow = record->ncol = matrix->tree.n;
    record->nnz = (sizes.leaf_bytes + sizes.transfer_bytes + sizes.coupling_bytes + sizes.dense_bytes) /
                  matrix->head.value_bytes;
    memcpy(matrix->payload, &matrix->head, sizeof matrix->head);
    record->payload = matrix->payload;
    record->payload_bytes = matrix->payload_bytes;
    record->payload_mapped = matrix->payload_mapped;
    record->payload_descriptor = matrix->payload_descriptor;
    record->on_device = matrix->on_device;
    matrix->payload = NULL;
    matrix->payload_descriptor = 0;
    matrix->on_device = (mm_device_memory){0};
    base_status status = set_metadata(context, &matrix->head, record);
    h2_matrix_free(matrix);
    return status;
}

base_status h2_points_from_record(base_context *context, mm_record *record, double **point) {
    base_status status;
    *point = NULL;
    BASE_TRY(mm_record_to_reals(context, record));
    *point = base_alloc(context, record->nrow * record->ncol, sizeof **point);
    if (*point == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t axis = 0; axis < record->ncol; axis++)
        for (int64_t i = 0; i < record->nrow; i++)
            (*point)[i * record->ncol + axis] = record->real[axis * record->nrow + i];
done:
    return status;
}
