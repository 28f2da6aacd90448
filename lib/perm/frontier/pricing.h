/* SPDX-License-Identifier: BSD-3-Clause */
/* The order in which the frontier methods process the rows of a block, which is searched before they are
 * priced. */
#ifndef PERM_FRONTIER_PRICING_H
#define PERM_FRONTIER_PRICING_H

#include "perm/frontier/frontier.h"
#include "perm/method/prices.h"

typedef struct perm_frontier_choice {
    order_frontier order;
    perm_schedule schedule;     /* empty when the frontier is too wide */
    perm_arithmetic arithmetic; /* to begin with, where none is asked for */
    double more_seconds;        /* of exact numbers or 113 bits, the cheaper; 0: neither fits */
} perm_frontier_choice;

/* Searches an order in at most so many steps; *choice belongs to the prices. */
base_status perm_frontier_choose(base_context *context, int64_t step_limit, perm_prices *prices,
                                 const perm_frontier_choice **choice);

/* Counts the states that are expected, where a schedule bounds them only. */
base_status perm_frontier_expect(base_context *context, perm_prices *prices);

/* What it takes, or would take if it were not too wide. */
const order_frontier_cost *perm_frontier_get_cost(const perm_frontier_choice *choice);

/* What was chosen for a block; NULL without memory. For the methods of this room. */
perm_frontier_choice *perm_frontier_get_choice(base_context *context, perm_prices *prices);

/* Whether doubles come first and may leave too few digits: sums of both signs cancel. */
bool perm_frontier_may_need_more(const perm_matrix *matrix, const perm_frontier_choice *choice,
                                 const perm_candidate *candidate);

/* What more digits take after doubles (more_seconds; 0: nothing fits) is what the digits are worth that the
 * method lacks. */
void perm_frontier_add_more(double more_seconds, perm_candidate *candidate);

/* What more digits take after a frontier on this device: its exact numbers if it can hold them, else what
 * they take on the processor. 0: nothing fits. */
double perm_frontier_device_more(const base_device *device, const perm_frontier_choice *choice);

/* Does a task: perm_method.run. The candidate has prepared the perm_frontier_choice; its parameter is the
 * first arithmetic. With more digits where doubles leave too few, and a second time where it is verified. */
base_status perm_frontier_task(base_context *context, const perm_task *task, perm_block_run *block_run);

#endif
