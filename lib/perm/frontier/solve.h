/* A block by dynamic programming over a frontier, on the processor or a device: with more digits where
 * doubles leave too few, and done a second time where work is to be verified. */
#ifndef PERM_FRONTIER_SOLVE_H
#define PERM_FRONTIER_SOLVE_H

#include "perm/solve/block.h"

/* The attempt's sum has one chunk; nothing is done where another part has it. */
base_status perm_solve_frontier(base_context *context, const perm_matrix *matrix, const perm_plan *plan,
                                const perm_candidate *way, const perm_options *options,
                                perm_attempt *attempt);

#endif
