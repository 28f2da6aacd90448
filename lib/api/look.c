/* SPDX-License-Identifier: BSD-3-Clause */
/* What a record is made of, and its metadata. */
#include "api/internal.h"
#include "base/core/memory.h"
#include "mm/metadata/metadata.h"

#include <string.h>

mmpipe_kind mmpipe_record_kind(const mmpipe_record *record) {
    return (mmpipe_kind)record->record.kind;
}

mmpipe_format mmpipe_record_format(const mmpipe_record *record) {
    return (mmpipe_format)record->record.format;
}

mmpipe_shape mmpipe_record_shape(const mmpipe_record *record) {
    const mm_record *own = &record->record;
    return (mmpipe_shape){own->nrow, own->ncol, (mmpipe_field)own->field, (mmpipe_symmetry)own->symmetry};
}

int64_t mmpipe_record_nnz(const mmpipe_record *record) {
    return record->record.nnz;
}

const int64_t *mmpipe_record_row(const mmpipe_record *record) {
    return record->record.row;
}

const int64_t *mmpipe_record_col(const mmpipe_record *record) {
    return record->record.col;
}

const double *mmpipe_record_real(const mmpipe_record *record) {
    return record->record.real;
}

const int64_t *mmpipe_record_integer(const mmpipe_record *record) {
    return record->record.integer;
}

const char *mmpipe_record_digits(const mmpipe_record *record, int64_t k) {
    const mm_record *own = &record->record;
    return own->digits != NULL && k >= 0 && k < own->nnz ? own->digits + own->digits_start[k] : NULL;
}

const char *mmpipe_record_comments(const mmpipe_record *record) {
    return record->record.comments;
}

mmpipe_status mmpipe_record_name(mmpipe_context *context, const mmpipe_record *record, char **name) {
    base_status status;
    *name = NULL;
    BASE_TRY(api_begin(context));
    if (record->file_name == NULL || mm_metadata_find(&record->record, "name", &(size_t){0}) != NULL)
        BASE_TRY(mm_record_name(&context->base, &record->record, name));
    else if ((*name = base_copy_text(&context->base, record->file_name,
                                     (int64_t)strlen(record->file_name))) == NULL)
        BASE_TRY(BASE_MACHINE);
done:
    return api_status(status);
}

mmpipe_status mmpipe_record_get(mmpipe_context *context, const mmpipe_record *record, const char *key,
                                char **value) {
    base_status status;
    size_t length;
    *value = NULL;
    BASE_TRY(api_begin(context));
    const char *text = mm_metadata_find(&record->record, key, &length);
    if (text == NULL)
        goto done;
    *value = base_copy_text(&context->base, text, (int64_t)length);
    if (*value == NULL)
        BASE_TRY(BASE_MACHINE);
done:
    return api_status(status);
}

mmpipe_status mmpipe_record_set(mmpipe_context *context, mmpipe_record *record, const char *key,
                                const char *value) {
    base_status status;
    BASE_TRY(api_begin(context));
    if (key[0] == '\0' || strpbrk(key, ":\n\r") != NULL)
        BASE_TRY(base_fail(&context->base, BASE_USAGE, "'%s' is no key of a comment", key));
    if (value == NULL)
        mm_metadata_remove(&record->record, key);
    else
        BASE_TRY(mm_metadata_set(&context->base, &record->record, key, "%s", value));
done:
    return api_status(status);
}
