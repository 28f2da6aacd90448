/* Columns about records: what mm-info tells. */
#ifndef MM_WHERE_DESCRIBE_H
#define MM_WHERE_DESCRIBE_H

#include "mm/matrix/statistics.h"
#include "mm/stream/report.h"

/* Adds name, sizes, numbers of entries, format, field and symmetry. `matrix` is the record's; with explicit
 * zeros among its entries (`keep_zeros`) their number is not known. Of an H2 record, which has no entries,
 * the numbers of entries are not known. Fails with BASE_MACHINE alone. O(nnz). */
base_status mm_describe_record(base_context *context, const mm_record *record, const mm_sparse *matrix,
                               bool keep_zeros, mm_report *report);

/* Adds bandwidths, degrees, and the range of the values. */
void mm_describe_statistics(const mm_sparse *matrix, const mm_statistics *statistics, mm_report *report);

#endif
