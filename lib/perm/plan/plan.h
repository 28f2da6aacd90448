/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice of a method for one irreducible block: an order is searched, the methods are priced, and the
 * cheapest one that fits the memory and the wanted precision is taken. Prices depend on the matrix and this
 * processor's instruction set only, never on a clock.
 *
 * The room: methods.c lists the methods, plan.c prices them stage by stage, devices.c decides whether devices
 * are looked for, choose.c takes the cheapest or says why there is none; names.c knows what --kernel may say,
 * size.c what is too large for all. estimate.h turns prices into seconds of this machine, for messages and
 * limits only: nothing that depends on a clock chooses a method. explain.h says what was weighed. Prices lie
 * with the methods. */
#ifndef PERM_PLAN_PLAN_H
#define PERM_PLAN_PLAN_H

#include "perm/frontier/pricing.h"
#include "perm/method/prices.h"

typedef struct perm_plan {
    perm_prices prices;
    const perm_frontier_choice *frontier; /* NULL: nothing was looked for */
    const perm_candidate *chosen;
} perm_plan;

/* One core's price of what is worth the start of a device. */
#define PERM_PLAN_WORTH_SECONDS 0.5

/* All methods, in the order in which they are priced and listed, ended by NULL. */
const perm_method *const *perm_methods(void);

/* The one of that name; NULL: there is none, or it is the name of a kernel or a family. */
const perm_method *perm_method_find(const char *name);

/* What a block that is one of many takes of a device for the sum of dense/dense.h, where that is so little
 * that nothing else is worth looking for; else 0. */
double perm_plan_direct_seconds(base_context *context, int64_t n, mm_field field,
                                const perm_plan_options *options);

/* Whether there are devices that can be used; looks for them. */
bool perm_plan_finds_devices(base_context *context, base_device_search *devices);

/* Fails with BASE_FAILED for a block that is too large for every method by its order and the degrees of its
 * lines. O(entries) time, O(n) memory. */
base_status perm_plan_check_size(base_context *context, const mm_sparse *block);

/* Fails with BASE_USAGE when there is no kernel of that name; `minors`: nor one of minors/minors.h. NULL is
 * none. */
base_status perm_plan_check_kernel(base_context *context, const char *name, bool minors);

/* Fails with BASE_FAILED when nothing that is asked for fits, with the reason and the estimates; with
 * BASE_USAGE when there is no such kernel. */
base_status perm_plan_make(base_context *context, const perm_matrix *matrix, const perm_plan_options *options,
                           perm_plan *plan);
void perm_plan_init(perm_plan *plan); /* nothing is chosen: it may be freed */
void perm_plan_free(perm_plan *plan); /* NULL is allowed; leaves it as init does */

#endif
