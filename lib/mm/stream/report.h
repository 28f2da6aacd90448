/* Lines about records: tab-separated values under a header line, or one JSON object a record. The keys and
 * their order are the same in both; what is not known is "-" there and null here. */
#ifndef MM_STREAM_REPORT_H
#define MM_STREAM_REPORT_H

#include "base/run/output.h"

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

/* Writes the header before the first line of values; then the line, and begins the next one. */
base_status mm_report_write(base_context *context, mm_report *report, base_output *output);

#endif
