/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said of a plan: for --explain and --kernel list. */
#ifndef PERM_PLAN_EXPLAIN_H
#define PERM_PLAN_EXPLAIN_H

#include "perm/plan/estimate.h"

/* A line for the block; a line for each candidate with its estimate, its memory and what the digits are worth
 * that it lacks, or with the reason why it does not fit; a line that says why the chosen one was preferred.
 * `parts`: that the work is split into. O(candidates). */
void perm_plan_explain(const perm_log *log, const perm_plan *plan, perm_calibrations calibrations,
                       int64_t parts);

#endif
