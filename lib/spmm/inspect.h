/* The structure of A as far as products depend on it. */
#ifndef SPMM_INSPECT_H
#define SPMM_INSPECT_H

#include "spmm/spmm.h"

/* Fills in problem->profile. Windows of 128 rows are counted, all of them where there are few, else a sample
 * spread evenly over the rows, from which the rest is estimated; the same matrix gives the same profile.
 * O(nrow + entries of the sample), 4 bytes a column. */
base_status spmm_inspect(base_context *context, spmm_problem *problem);

#endif
