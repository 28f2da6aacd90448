/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice of a kernel for a product: all are priced, and the cheapest one that fits is taken, but for
 * those that reproduce a publication to compare with (spmm_kernel_publication), which are taken by name.
 * Prices of kernels depend on the matrix and the machine's kind only, never on a clock; product/tune.h
 * measures instead. What surrounds a product, such as the start of a device and copies, is added
 * (handling.h).
 *
 * Nobody knows how many matrices a stream has. So a device is started when the processors' losses so far,
 * with that on the matrix at hand, reach what the start takes: a stream then takes at most twice what it
 * would if its length were known (ski rental; Karlin, Manasse, Rudolph, Sleator, Algorithmica 3, 1988).
 * Before devices are looked for, losses are those against one that computes in no time: too large, but never
 * more than what the processors took, so that twice is the most all the same. A single matrix must be worth
 * the start alone. Each matrix later goes where it takes less. */
#ifndef SPMM_PLAN_PLAN_H
#define SPMM_PLAN_PLAN_H

#include "spmm/plan/handling.h"

typedef struct spmm_candidate {
    const spmm_kernel *kernel;
    int variant;          /* of a kernel's, by price: 0 is the cheapest */
    double above_seconds; /* as spmm_problem has it for this variant */
    spmm_price price;
    double total_seconds;    /* of the products wanted, from host memory to host memory, with what they need
                                once; what the choice is made by */
    double start_seconds;    /* in them, what a device takes once for a stream */
    bool is_divided;         /* it exceeds the memory of a device */
    double measured_seconds; /* of one product, by product/tune.h; 0: not measured */
} spmm_candidate;

enum { SPMM_MOST_CANDIDATES = 64 };

typedef struct spmm_plan {
    spmm_candidate candidate[SPMM_MOST_CANDIDATES]; /* in the order of the table, then other variants */
    int count;
    const spmm_candidate *chosen;
} spmm_plan;

/* What people read: the kernel's name, and /2 for its second variant. */
void spmm_candidate_name(const spmm_candidate *candidate, char name[48]);

/* Fails with BASE_USAGE when there is no kernel of that name; NULL is right. */
base_status spmm_plan_check_kernel(base_context *context, const char *name);

/* Prices every kernel for products with A that are handled so. `name`: the kernel wanted, which is there, or
 * NULL. BASE_FAILED, with the reason, when it or everything does not fit. */
base_status spmm_plan_make(base_context *context, const spmm_machine *machine, const spmm_problem *problem,
                           const char *name, const spmm_handling *handling, spmm_plan *plan);

/* Prices alone; chosen stays NULL. */
void spmm_plan_price(const spmm_machine *machine, const spmm_problem *problem, const spmm_handling *handling,
                     spmm_plan *plan);

/* Adds the next variant of a candidate's kernel, by price. NULL: there is none, or no room. */
spmm_candidate *spmm_plan_add_variant(const spmm_machine *machine, const spmm_problem *problem,
                                      const spmm_handling *handling, const spmm_candidate *candidate,
                                      spmm_plan *plan);

/* Seconds by which the processors' kernel that was chosen exceeds the cheapest of a started device, or, where
 * none of these is priced, one that takes no time beside its copies; 0: by none, or a device's was chosen. */
double spmm_plan_loss(const spmm_plan *plan, const spmm_problem *problem, const spmm_handling *handling);

/* The cheapest of the priced ones that fit, of devices one that is not divided if there is any, but for those
 * that reproduce a publication; or the one of that name. NULL: none fits, or has that name. */
const spmm_candidate *spmm_plan_choose(const spmm_plan *plan, const char *name);

/* What is compared where very many products begin and end on the device: seconds of one, and those that its
 * preparation takes beyond ten products, as if fifty shared them. */
double spmm_plan_weigh(const spmm_price *price);

/* Bytes that a product moves at least: A once, the rows of B that are used, C once. */
double spmm_least_bytes(const spmm_problem *problem);

#endif
