/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines about records: tab-separated values under a header line, or one JSON object a record. The keys and
 * their order are the same in both; what is not known is "-" there and null here. */
#ifndef MM_STREAM_REPORT_H
#define MM_STREAM_REPORT_H

#include "base/run/output.h"

#include <stddef.h>

typedef struct mm_report mm_report;

/* `header`: whether values get a header line; the parts of a split job put together have one. */
base_status mm_report_open(base_context *context, bool json, bool header, mm_report **report);
void mm_report_close(mm_report *report); /* NULL is allowed */

/* Add a key and its value to the line. Keys are plain ASCII words. Bytes of a text that are not UTF-8 become
 * '?' in JSON. A failure shows when the line is written. */
void mm_report_text(mm_report *report, const char *key, const char *text);
void mm_report_integer(mm_report *report, const char *key, int64_t value);
void mm_report_real(mm_report *report, const char *key, double value); /* NaN, infinity: not known */
void mm_report_unknown(mm_report *report, const char *key);

/* Whether the values that are added from now on are known; otherwise only their keys count. At first, and in
 * each next line, they are. */
void mm_report_set_known(mm_report *report, bool known);

/* From now on a copy of each line that is written is kept for mm_report_take: a state of the run. */
void mm_report_keep_lines(mm_report *report);

/* The lines since the last call, an array of JSON objects, released by the caller; NULL: none. */
base_status mm_report_take(base_context *context, mm_report *report, char **lines);

/* Writes lines that mm_report_take gave, as they were written then. */
base_status mm_report_write_taken(base_context *context, mm_report *report, const char *lines, size_t bytes,
                                  base_output *output);

/* From now on each line ends with the keys file, status and error (without file where the line has it): the
 * place of the record, and 0 and nothing for a line that mm_report_write writes. */
void mm_report_tell_failures(mm_report *report);

/* Adds the key file: the file that the context's record is in. */
void mm_report_file(base_context *context, mm_report *report);

/* Instead of a line about it: name, file, status and error of a record that failed, as the context has them;
 * its other values are not known. What was added to the line before is dropped. In a table whose header does
 * not stand yet the line waits for the first one that has all keys, or for mm_report_end. */
base_status mm_report_fail(base_context *context, mm_report *report, base_output *output);

/* Only these keys, "name,nnz", in this order; a key that a line does not have is not known. BASE_USAGE for a
 * name that is not one of `known`, a list that ends with NULL. */
base_status mm_report_select(base_context *context, mm_report *report, const char *keys,
                             const char *const *known);
void mm_report_omit_header(mm_report *report);

/* Such names with commas between them, in `text`. */
const char *mm_report_list(const char *const *names, char *text, size_t size);

/* The value of a key of the line in hand: a JSON value for mm/where/. NULL: it has no such key. */
struct json_t;
const struct json_t *mm_report_get(const mm_report *report, const char *key);

/* Drops the line in hand. */
void mm_report_drop(mm_report *report);

/* Ends the report after its last line. */
base_status mm_report_end(base_context *context, mm_report *report, base_output *output);

/* Writes the header before the first line of values; then the line, and begins the next one. */
base_status mm_report_write(base_context *context, mm_report *report, base_output *output);

#endif
