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

#endif
