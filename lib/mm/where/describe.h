/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns about records: what mm-info tells. */
#ifndef MM_WHERE_DESCRIBE_H
#define MM_WHERE_DESCRIBE_H

#include "mm/matrix/statistics.h"
#include "mm/where/where.h"

/* The columns that mm-info has, in order, and their types, for mm_where_compile; a list of their names and of
 * those of mm_describe_further, which ends with NULL. `quick`: without structure and symmetry. */
const mm_where_column *mm_describe_columns(bool quick);
const char *const *mm_describe_names(bool quick);

/* Adds name, sizes, numbers of entries, format, field and symmetry. `counts` are the record's, which need not
 * have its entries any more; with `keep_zeros` explicit zeros are entries, whose number is not known. Of an
 * H2 record, which has no entries, the numbers of entries are not known. Fails with BASE_MACHINE alone. */
base_status mm_describe_record(base_context *context, const mm_record *record, const mm_where_counts *counts,
                               bool keep_zeros, mm_report *report);

/* Adds what a line has only where it is asked for, with the meaning of the names of conditions: n (of a
 * square matrix), density (entries of `matrix` by places; not known of H2 and empty matrices), square and
 * kind. */
void mm_describe_further(const mm_record *record, const mm_sparse *matrix, mm_report *report);

/* Adds bandwidths, degrees, and the range of the values. */
void mm_describe_statistics(const mm_sparse *matrix, const mm_statistics *statistics, mm_report *report);

#endif
