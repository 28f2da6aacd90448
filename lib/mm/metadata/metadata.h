/* SPDX-License-Identifier: BSD-3-Clause */
/* Metadata: comment lines of the form `% key: value` between the banner and the size line.
 *
 * On these lines stand list.h, long lists of indices; origin.h, which row and column of the first matrix a
 * permuted one has; piece.h, which part of a split matrix a record is. The keys of the Collection are kept
 * as they come; ours have the prefix of the program that wrote them (mm-stream(5)). */
#ifndef MM_METADATA_METADATA_H
#define MM_METADATA_METADATA_H

#include "mm/record/record.h"

#include <stddef.h>

/* Copies the value of the first line with this key into `value` (cut to `size` bytes, with a NUL); false if
 * there is none. Blanks around key and value do not count. Cost: one pass over the comments. */
bool mm_metadata_get(const mm_record *record, const char *key, char *value, size_t size);

/* The value in place, of any length; NULL if there is none. Valid until the
 * comments change. */
const char *mm_metadata_find(const mm_record *record, const char *key, size_t *length);

/* Replaces the first line with this key, or appends one. `format` is printf-style;
 * control characters of the value become '?', so that it stays a line. */
base_status mm_metadata_set(base_context *context, mm_record *record, const char *key, const char *format,
                            ...) __attribute__((format(printf, 4, 5)));

/* Appends a line even if the key is there (lines of provenance). */
base_status mm_metadata_add(base_context *context, mm_record *record, const char *key, const char *format,
                            ...) __attribute__((format(printf, 4, 5)));

/* Removes every line with this key. */
void mm_metadata_remove(mm_record *record, const char *key);

/* Removes every comment but the lines that say what the record is: name, scheme, scheme.field. */
void mm_metadata_strip(mm_record *record);

/* The record's name for people, of any length: `% name`, or the file it came from without folders and
 * suffixes; fit for a column of a line (base_control_flatten). The caller releases it. */
base_status mm_record_name(base_context *context, const mm_record *record, char **name);

/* Names a record after the member of the archive `path` that it comes from. */
base_status mm_metadata_name_member(base_context *context, mm_record *record, const char *path,
                                    const char *member);

/* Enters `% name` of the record into the context's place, for messages. */
void mm_metadata_set_place(base_context *context, const mm_record *record);

#endif
