/* SPDX-License-Identifier: BSD-3-Clause */
/* How a line of a report (report.h) is written. A line is a JSON object; `columns` is an array of the keys to
 * write, in order. */
#ifndef MM_STREAM_REPORT_LINE_H
#define MM_STREAM_REPORT_LINE_H

#include "base/run/output.h"

#include <jansson.h>

/* Whether a key is one of the columns; NULL: all are. */
bool mm_report_line_has(const json_t *columns, const char *key);

/* Values with tabs between them, "-" for what is not known. */
base_status mm_report_line_write(base_context *context, const json_t *columns, const json_t *line,
                                 base_output *output);

/* The object, with the keys that are columns, in its own order. */
base_status mm_report_line_write_object(base_context *context, const json_t *columns, const json_t *line,
                                        base_output *output);

#endif
