/* SPDX-License-Identifier: BSD-3-Clause */
#include "dm/report.h"

void dm_report(const dm_decomposition *decomposition, mm_report *report) {
    mm_report_integer(report, "structural_rank", decomposition->structural_rank);
    mm_report_integer(report, "dm_blocks", decomposition->nblock);
    mm_report_integer(report, "dm_largest_block", decomposition->largest_block);
    mm_report_integer(report, "dm_horizontal_nrow", decomposition->horizontal_nrow);
    mm_report_integer(report, "dm_horizontal_ncol", decomposition->horizontal_ncol);
    mm_report_integer(report, "dm_square", decomposition->square_order);
    mm_report_integer(report, "dm_vertical_nrow", decomposition->vertical_nrow);
    mm_report_integer(report, "dm_vertical_ncol", decomposition->vertical_ncol);
}
