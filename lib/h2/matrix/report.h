/* SPDX-License-Identifier: BSD-3-Clause */
/* What an H² matrix is like, as lines of a report. */
#ifndef H2_MATRIX_REPORT_H
#define H2_MATRIX_REPORT_H

#include "h2/matrix/matrix.h"
#include "mm/stream/report.h"

/* Adds shape, kernel, counts, ranks and memory. */
void h2_report_matrix(mm_report *report, const h2_matrix *matrix);

/* Adds what there is on one level. */
void h2_report_level(mm_report *report, const h2_matrix *matrix, int64_t level);

/* The keys of such lines, that of the record's name before them: of a level, or of a matrix and with what is
 * added on request. A list for mm_report_select, which ends with NULL. */
const char *const *h2_report_names(bool levels);

#endif
