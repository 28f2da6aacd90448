/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/matrix/reals.h"
#include "base/core/memory.h"
#include "mm/matrix/convert.h"

#include <math.h>
#include <stddef.h>

/* Integers become doubles. */
static base_status make_real(base_context *context, mm_record *record) {
    if (record->real != NULL)
        return BASE_OK;
    if (record->integer == NULL)
        return base_fail(context, BASE_FAILED, "integers beyond 64 bits are not supported here");
    record->real = base_alloc(context, record->nnz, sizeof *record->real);
    if (record->real == NULL)
        return BASE_MACHINE;
    for (int64_t i = 0; i < record->nnz; i++)
        record->real[i] = (double)record->integer[i];
    mm_record_free_array(record, record->integer);
    record->integer = NULL;
    record->field = MM_REAL;
    return BASE_OK;
}

static base_status refuse_infinite(base_context *context, const mm_record *record) {
    for (int64_t i = 0; i < record->nnz; i++)
        if (!isfinite(record->real[i]))
            return base_fail(context, BASE_FAILED, "the entry at row %lld, column %lld is infinite",
                             (long long)(i % record->nrow) + 1, (long long)(i / record->nrow) + 1);
    return BASE_OK;
}

base_status mm_record_to_reals(base_context *context, mm_record *record) {
    base_status status;
    bool changed;
    if (record->field == MM_COMPLEX)
        BASE_TRY(base_fail(context, BASE_FAILED, "complex numbers are not supported here"));
    BASE_TRY(mm_record_expand(context, record, &changed));
    BASE_TRY(mm_record_to_array(context, record, &changed));
    BASE_TRY(make_real(context, record));
    BASE_TRY(refuse_infinite(context, record));
done:
    return status;
}
