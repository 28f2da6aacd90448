/* SPDX-License-Identifier: BSD-3-Clause */
/* What programs tell of a decomposition. */
#ifndef DM_REPORT_H
#define DM_REPORT_H

#include "dm/dm.h"
#include "mm/stream/report.h"

/* Adds structural_rank, dm_blocks, dm_largest_block and the sizes of the coarse parts to the line. */
void dm_report(const dm_decomposition *decomposition, mm_report *report);

#endif
