#include "mm/matrix/reals.h"
#include "base/core/memory.h"
#include "mm/matrix/convert.h"

#include <math.h>
#include <stdlib.h>

static base_status take(base_context *context, mm_record *record, double **value) {
    if (record->real != NULL) {
        *value = record->real;
        record->real = NULL;
        return BASE_OK;
    }
    if (record->integer == NULL)
        return base_fail(context, BASE_FAILED, "integers beyond 64 bits are not supported here");
    *value = base_alloc(context, record->nnz, sizeof **value);
    if (*value == NULL)
        return BASE_MACHINE;
    for (int64_t i = 0; i < record->nnz; i++)
        (*value)[i] = (double)record->integer[i];
    return BASE_OK;
}

static base_status refuse_infinite(base_context *context, const mm_record *record, const double *value) {
    for (int64_t i = 0; i < record->nnz; i++)
        if (!isfinite(value[i]))
            return base_fail(context, BASE_FAILED, "the entry at row %lld, column %lld is infinite",
                             (long long)(i % record->nrow) + 1, (long long)(i / record->nrow) + 1);
    return BASE_OK;
}

base_status mm_record_take_reals(base_context *context, mm_record *record, double **value) {
    base_status status;
    bool changed;
    *value = NULL;
    if (record->field == MM_COMPLEX)
        BASE_TRY(base_fail(context, BASE_FAILED, "complex numbers are not supported here"));
    BASE_TRY(mm_record_expand(context, record, &changed));
    BASE_TRY(mm_record_to_array(context, record, &changed));
    BASE_TRY(take(context, record, value));
    BASE_TRY(refuse_infinite(context, record, *value));
done:
    if (status != BASE_OK) {
        free(*value);
        *value = NULL;
    }
    return status;
}
