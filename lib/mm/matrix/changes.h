/* SPDX-License-Identifier: BSD-3-Clause */
/* What mm-cat may do to a record, in one order whatever the order of the options. */
#ifndef MM_MATRIX_CHANGES_H
#define MM_MATRIX_CHANGES_H

#include "mm/formats/formats.h"

typedef struct mm_changes {
    bool coordinate, drop_zeros, pattern, general, array, transpose, sort;
    bool strip;                   /* comments, which alone is no change */
    const char *rename;           /* a template (metadata/template.h); NULL: the name stays */
    const mm_file_format *format; /* also into what this holds; NULL: into nothing else */
    char remark[256]; /* set by mm_changes_apply: of the first name or diagonal that the format cannot hold */
} mm_changes;

/* Fails with BASE_USAGE where two of them contradict each other. */
base_status mm_changes_check(base_context *context, const mm_changes *changes);

/* Whether they change more than comments, and so need the entries. */
bool mm_changes_entries(const mm_changes *changes);

/* Whether general matrices may have places instead of row and col (record/places.h); others get these where a
 * change needs them. */
bool mm_changes_take_compressed(const mm_changes *changes);

/* Makes them; `number` is the record's in the output. A graph (MM_STORES_GRAPH) fails with BASE_FAILED where
 * the record is not stored as symmetric.
 */
base_status mm_changes_apply(base_context *context, mm_changes *changes, mm_record *record, int64_t number,
                             bool *changed);

#endif
