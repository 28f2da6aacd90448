/* Lines about records that are no matrices of entries, in the table that has those. */
#ifndef MM_DESCRIBE_H
#define MM_DESCRIBE_H

#include "mm/record.h"
#include "mm/report.h"

/* Adds the keys of mm-info's lines, unknown but for name, sizes, stored numbers, format, field and symmetry.
 * `quick`: without those of the structure. */
void mm_describe_other(const base_context *context, const mm_record *record, bool quick, mm_report *report);

#endif
