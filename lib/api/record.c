/* SPDX-License-Identifier: BSD-3-Clause */
/* Records: made from arrays, copied, looked at, stored in other ways. */
#include "mmpipe/record.h"
#include "api/internal.h"
#include "base/core/memory.h"
#include "mm/matrix/convert.h"
#include "mm/metadata/metadata.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)MMPIPE_STATE == MM_STATE && (int)MMPIPE_ARRAY == MM_ARRAY &&
                   (int)MMPIPE_COMPLEX == MM_COMPLEX && (int)MMPIPE_HERMITIAN == MM_HERMITIAN,
               "enumerations are the same");

mmpipe_record *api_record_new(base_context *context) {
    mmpipe_record *record = base_alloc_zero(context, 1, sizeof *record);
    if (record != NULL)
        mm_record_init(&record->record);
    return record;
}

void mmpipe_record_free(mmpipe_record *record) {
    if (record == NULL)
        return;
    mm_record *own = &record->record;
    if (record->is_borrowed) {
        own->row = own->col = own->integer = NULL;
        own->real = NULL;
    }
    mm_record_free(own);
    free(record->file_name);
    free(record);
}

base_status api_record_give(base_status status, mmpipe_record *made, mmpipe_record **result) {
    if (status != BASE_OK) {
        mmpipe_record_free(made);
        made = NULL;
    }
    *result = made;
    return status;
}

mmpipe_status api_record_next(mmpipe_context *context, api_next *next, void *from, mmpipe_record **result) {
    base_status status;
    bool found = false;
    mmpipe_record *made = api_record_new(&context->base);
    if (made == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(api_begin(context));
    BASE_TRY(next(&context->base, from, made, &found));
    if (!found) {
        mmpipe_record_free(made);
        made = NULL;
    }
done:
    return api_status(api_record_give(status, made, result));
}

/* ---- copies ---- */

static int64_t value_bytes(const mm_record *record) {
    return record->field == MM_COMPLEX ? 16 : record->field == MM_PATTERN ? 0 : 8;
}

/* NULL stays NULL. */
static base_status copy_bytes(base_context *context, const void *from, int64_t bytes, void *result) {
    void *copy = from != NULL ? base_alloc(context, bytes, 1) : NULL;
    if (copy != NULL)
        memcpy(copy, from, (size_t)bytes);
    memcpy(result, &copy, sizeof copy);
    return from != NULL && copy == NULL ? BASE_MACHINE : BASE_OK;
}

/* What may be borrowed. On failure `to` has what was copied so far. */
static base_status copy_arrays(base_context *context, const mm_record *from, mm_record *to) {
    base_status status;
    to->row = to->col = to->integer = NULL;
    to->real = NULL;
    BASE_TRY(copy_bytes(context, from->row, from->nnz * 8, &to->row));
    BASE_TRY(copy_bytes(context, from->col, from->nnz * 8, &to->col));
    BASE_TRY(copy_bytes(context, from->real, from->nnz * value_bytes(from), &to->real));
    BASE_TRY(copy_bytes(context, from->integer, from->nnz * 8, &to->integer));
done:
    return status;
}

base_status api_record_own(base_context *context, mmpipe_record *record) {
    mm_record own = record->record;
    if (!record->is_borrowed)
        return BASE_OK;
    const base_status status = copy_arrays(context, &record->record, &own);
    if (status != BASE_OK) {
        free(own.row);
        free(own.col);
        free(own.real);
        free(own.integer);
        return status;
    }
    record->record = own;
    record->is_borrowed = false;
    return BASE_OK;
}

mmpipe_status mmpipe_record_copy(mmpipe_context *context, const mmpipe_record *record, mmpipe_record **copy) {
    base_status status;
    const mm_record *from = &record->record;
    mmpipe_record *made = api_record_new(&context->base);
    if (made == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(api_begin(context));
    mm_record *to = &made->record;
    *to = *from;
    to->digits = to->payload = to->comments = NULL;
    to->digits_start = NULL;
    to->payload_mapped = 0;
    to->payload_descriptor = 0;
    BASE_TRY(copy_arrays(&context->base, from, to));
    if (from->digits != NULL) {
        BASE_TRY(copy_bytes(&context->base, from->digits, from->digits_start[from->nnz], &to->digits));
        BASE_TRY(copy_bytes(&context->base, from->digits_start, (from->nnz + 1) * 8, &to->digits_start));
    }
    if (record->file_name != NULL)
        BASE_TRY(copy_bytes(&context->base, record->file_name, (int64_t)strlen(record->file_name) + 1,
                            &made->file_name));
    BASE_TRY(copy_bytes(&context->base, from->payload, from->payload_bytes, &to->payload));
    if (from->comments != NULL)
        BASE_TRY(
            copy_bytes(&context->base, from->comments, (int64_t)strlen(from->comments) + 1, &to->comments));
done:
    return api_status(api_record_give(status, made, copy));
}

/* ---- from arrays ---- */

static base_status set_shape(base_context *context, mmpipe_shape shape, mm_format format, mm_record *record) {
    if (shape.nrow < 0 || shape.ncol < 0 || (unsigned)shape.field > MMPIPE_COMPLEX ||
        (unsigned)shape.symmetry > MMPIPE_HERMITIAN ||
        (shape.symmetry != MMPIPE_GENERAL && shape.nrow != shape.ncol) ||
        (shape.symmetry == MMPIPE_HERMITIAN && shape.field != MMPIPE_COMPLEX) ||
        (shape.symmetry == MMPIPE_SKEW_SYMMETRIC && shape.field == MMPIPE_PATTERN) ||
        (format == MM_ARRAY && shape.field == MMPIPE_PATTERN))
        return base_fail(context, BASE_USAGE, "there is no such matrix: %lld by %lld, field %d, symmetry %d",
                         (long long)shape.nrow, (long long)shape.ncol, (int)shape.field, (int)shape.symmetry);
    record->format = format;
    record->nrow = shape.nrow;
    record->ncol = shape.ncol;
    record->field = (mm_field)shape.field;
    record->symmetry = (mm_symmetry)shape.symmetry;
    return BASE_OK;
}

static base_status check_entries(base_context *context, const mm_record *record) {
    for (int64_t k = 0; k < record->nnz; k++) {
        const int64_t row = record->row[k], col = record->col[k];
        if (row < 0 || row >= record->nrow || col < 0 || col >= record->ncol)
            return base_fail(context, BASE_USAGE, "entry %lld at (%lld, %lld): the matrix is %lld by %lld",
                             (long long)k, (long long)row, (long long)col, (long long)record->nrow,
                             (long long)record->ncol);
        if (record->symmetry != MM_GENERAL &&
            (row < col || (row == col && record->symmetry == MM_SKEW_SYMMETRIC)))
            return base_fail(context, BASE_USAGE,
                             "entry %lld at (%lld, %lld) is not in the triangle that is stored", (long long)k,
                             (long long)row, (long long)col);
    }
    return BASE_OK;
}

static void set_values(const void *value, mm_record *record) {
    void *own = (void *)(uintptr_t)value;
    if (record->field == MM_INTEGER)
        record->integer = own;
    else if (record->field != MM_PATTERN)
        record->real = own;
}

/* A record for arrays of the caller, which are still to come. *made is to be freed or given also after a
 * failure; NULL where there is no memory. */
static base_status begin_borrowed(mmpipe_context *context, mmpipe_shape shape, mm_format format,
                                  mmpipe_record **made) {
    base_status status;
    *made = api_record_new(&context->base);
    if (*made == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(api_begin(context));
    BASE_TRY(set_shape(&context->base, shape, format, &(*made)->record));
    (*made)->is_borrowed = true;
done:
    return status;
}

mmpipe_status mmpipe_record_from_entries(mmpipe_context *context, mmpipe_shape shape, int64_t nnz,
                                         const int64_t *row, const int64_t *col, const void *value,
                                         mmpipe_owner owner, mmpipe_record **record) {
    base_status status;
    mmpipe_record *made;
    BASE_TRY(begin_borrowed(context, shape, MM_COORDINATE, &made));
    if (nnz < 0 ||
        (nnz > 0 && (row == NULL || col == NULL || (value == NULL && shape.field != MMPIPE_PATTERN))))
        BASE_TRY(
            base_fail(&context->base, BASE_USAGE, "%lld entries, and an array is missing", (long long)nnz));
    made->record.nnz = nnz;
    made->record.row = (int64_t *)(uintptr_t)row;
    made->record.col = (int64_t *)(uintptr_t)col;
    set_values(value, &made->record);
    BASE_TRY(check_entries(&context->base, &made->record));
    if (owner == MMPIPE_COPY)
        BASE_TRY(api_record_own(&context->base, made));
done:
    return api_status(api_record_give(status, made, record));
}

mmpipe_status mmpipe_record_from_array(mmpipe_context *context, mmpipe_shape shape, const void *value,
                                       mmpipe_owner owner, mmpipe_record **record) {
    base_status status;
    mmpipe_record *made;
    BASE_TRY(begin_borrowed(context, shape, MM_ARRAY, &made));
    made->record.nnz = mm_array_length(shape.nrow, shape.ncol, made->record.symmetry);
    if (made->record.nnz < 0 || (made->record.nnz > 0 && value == NULL))
        BASE_TRY(base_fail(&context->base, BASE_USAGE, "an array of %lld by %lld, and its values",
                           (long long)shape.nrow, (long long)shape.ncol));
    set_values(value, &made->record);
    if (owner == MMPIPE_COPY)
        BASE_TRY(api_record_own(&context->base, made));
done:
    return api_status(api_record_give(status, made, record));
}

/* ---- storage ---- */

static mmpipe_status convert(mmpipe_context *context, mmpipe_record *record,
                             base_status (*change)(base_context *, mm_record *, bool *)) {
    base_status status;
    bool changed;
    BASE_TRY(api_begin(context));
    BASE_TRY(api_record_own(&context->base, record));
    BASE_TRY(change(&context->base, &record->record, &changed));
done:
    return api_status(status);
}

mmpipe_status mmpipe_record_to_coordinate(mmpipe_context *context, mmpipe_record *record) {
    return convert(context, record, mm_record_to_coordinate);
}

mmpipe_status mmpipe_record_to_array(mmpipe_context *context, mmpipe_record *record) {
    return convert(context, record, mm_record_to_array);
}

mmpipe_status mmpipe_record_expand(mmpipe_context *context, mmpipe_record *record) {
    return convert(context, record, mm_record_expand);
}

mmpipe_status mmpipe_record_drop_zeros(mmpipe_context *context, mmpipe_record *record) {
    return convert(context, record, mm_record_drop_zeros);
}
