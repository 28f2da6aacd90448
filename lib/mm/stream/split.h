/* SPDX-License-Identifier: BSD-3-Clause */
/* A file for each record: --split 'DIR/{name}.mtx'. */
#ifndef MM_STREAM_SPLIT_H
#define MM_STREAM_SPLIT_H

#include "mm/stream/writer.h"

typedef struct mm_split mm_split;

/* `text` is a template (metadata/template.h), which must outlive the split; form, level and format are those
 * of writer.h. Fails with BASE_USAGE on a template that gives all records one name. */
base_status mm_split_open(base_context *context, const char *text, base_form form, int level,
                          const mm_file_format *format, mm_split **split);

/* Writes the record to its file, which appears when it is complete and replaces an older one, and leaves the
 * record empty. Fails with BASE_FAILED when this run has written a file of that name. */
base_status mm_split_put(base_context *context, mm_split *split, mm_record *record);

void mm_split_close(mm_split *split); /* NULL is allowed */

#endif
