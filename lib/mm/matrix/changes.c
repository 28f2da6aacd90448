/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/matrix/changes.h"
#include "mm/matrix/convert.h"
#include "mm/matrix/transpose.h"
#include "mm/metadata/metadata.h"
#include "mm/metadata/template.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

base_status mm_changes_check(base_context *context, const mm_changes *changes) {
    if (changes->array && changes->coordinate)
        return base_fail(context, BASE_USAGE, "--array and --coordinate contradict each other");
    if (changes->array && changes->pattern)
        return base_fail(context, BASE_USAGE, "--array and --drop-values contradict each other");
    return changes->rename != NULL ? mm_template_check(context, "rename", changes->rename) : BASE_OK;
}

static base_status rename_record(base_context *context, const char *text, mm_record *record, int64_t number) {
    base_status status;
    char *name;
    BASE_TRY(mm_template_expand(context, text, record, number, false, &name));
    BASE_TRY(mm_metadata_set(context, record, "name", "%s", name));
done:
    free(name);
    return status;
}

static bool is_any_asked(const mm_changes *c) {
    return c->coordinate || c->drop_zeros || c->pattern || c->general || c->array || c->transpose || c->sort;
}

bool mm_changes_entries(const mm_changes *changes) {
    return is_any_asked(changes) || changes->format != NULL;
}

bool mm_changes_take_compressed(const mm_changes *changes) {
    return !is_any_asked(changes) && (changes->format == NULL || changes->format->takes_compressed);
}

static int64_t count_diagonal(const mm_record *record) {
    int64_t count = 0;
    for (int64_t k = 0; k < record->nnz; k++)
        count += record->row[k] == record->col[k];
    return count;
}

/* The remark of the first record that the format changes: its name, or the diagonal, as a graph has no loops.
 */
static base_status note_loss(base_context *context, mm_changes *changes, const mm_record *record) {
    base_status status = BASE_OK;
    const mm_file_format *format = changes->format;
    char *name = NULL, written[MM_FORMAT_NAME_BYTES];
    if (format == NULL || changes->remark[0] != '\0')
        goto done;
    const int64_t loops = format->storage == MM_STORES_GRAPH ? count_diagonal(record) : 0;
    if (loops == 0 && format->write_name == NULL)
        goto done;
    BASE_TRY(mm_record_name(context, record, &name));
    if (format->write_name != NULL)
        format->write_name(name, written);
    if (format->write_name != NULL && strcmp(name, written) != 0)
        snprintf(changes->remark, sizeof changes->remark, "the name %.100s is written as %s, others likewise",
                 name, written);
    else if (loops > 0)
        snprintf(changes->remark, sizeof changes->remark,
                 "the diagonal of %.100s is left out (%lld entr%s), others likewise", name, (long long)loops,
                 loops == 1 ? "y" : "ies");
done:
    free(name);
    return status;
}

base_status mm_changes_apply(base_context *context, mm_changes *changes, mm_record *record, int64_t number,
                             bool *changed) {
    const bool told = changes->format != NULL;
    const mm_format_storage storage = told ? changes->format->storage : MM_STORES_RECORDS;
    const bool sparse = storage == MM_STORES_SPARSE || storage == MM_STORES_GRAPH;
    const bool dense = storage == MM_STORES_DENSE;
    const bool general = sparse || dense || storage == MM_STORES_GENERAL;
    const struct {
        bool asked;
        base_status (*change)(base_context *, mm_record *, bool *);
    } steps[] = {
        {changes->coordinate || sparse, mm_record_to_coordinate},
        {changes->drop_zeros, mm_record_drop_zeros},
        {changes->pattern, mm_record_to_pattern},
        {changes->general || (general && storage != MM_STORES_GRAPH), mm_record_expand},
        {changes->array || dense, mm_record_to_array},
        {changes->transpose, mm_record_transpose},
        {changes->sort, mm_record_sort},
    };
    base_status status = BASE_OK;
    *changed = changes->rename != NULL;
    if (changes->strip)
        mm_metadata_strip(record);
    if (changes->rename != NULL)
        BASE_TRY(rename_record(context, changes->rename, record, number));
    if (told && (record->kind == MM_H2 || record->kind == MM_STATE))
        BASE_TRY(base_fail(context, BASE_FAILED, "the format %s holds matrices only", changes->format->name));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        bool step = false;
        if (steps[i].asked)
            BASE_TRY(steps[i].change(context, record, &step));
        *changed = *changed || step;
    }
    if (storage == MM_STORES_GRAPH && record->symmetry != MM_SYMMETRIC)
        BASE_TRY(base_fail(context, BASE_FAILED, "the format %s holds symmetric matrices, and this one is %s",
                           changes->format->name, mm_symmetry_name(record->symmetry)));
    BASE_TRY(note_loss(context, changes, record));
done:
    return status;
}
