/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_device(const spmm_kernel *kernel) {
    return strcmp(kernel->device, "cuda") == 0;
}

double spmm_least_bytes(const spmm_problem *problem) {
    const double number = (double)spmm_format_bytes(spmm_format_of(problem->precision));
    return spmm_count_a_bytes(problem) + problem->profile.columns_used * (double)problem->n * number +
           spmm_count_c_bytes(problem);
}

double spmm_plan_weigh(const spmm_price *price) {
    return price->seconds + fmax(0, price->prepare_seconds - 10 * price->seconds) / 50;
}

static void price(const spmm_machine *machine, const spmm_problem *problem, const spmm_handling *handling,
                  spmm_candidate *candidate) {
    spmm_price *price = &candidate->price;
    if (is_device(candidate->kernel) && machine->device == NULL)
        snprintf(price->reason, sizeof price->reason, "%s",
                 machine->no_device != NULL ? machine->no_device : "no device");
    else if (!is_device(candidate->kernel) && machine->device_only)
        snprintf(price->reason, sizeof price->reason, "not on the device that is asked for");
    else
        candidate->kernel->price(candidate->kernel, machine, problem, price);
    const int shares = spmm_kernel_shares(candidate->kernel, machine);
    price->seconds /= shares;
    candidate->is_divided =
        is_device(candidate->kernel) && machine->memory_bytes > 0 && price->bytes > machine->memory_bytes;
    candidate->total_seconds = spmm_plan_weigh(price);
    if (handling->products == 0 || price->seconds == 0)
        return;
    const double seconds = (double)handling->products * price->seconds + price->prepare_seconds;
    if (!is_device(candidate->kernel)) {
        candidate->total_seconds = spmm_handling_cpu_seconds(problem, handling, seconds);
        return;
    }
    const bool as_record = shares == 1 && !candidate->is_divided &&
                           spmm_kernel_makes_records(candidate->kernel, problem, problem->power);
    candidate->start_seconds = spmm_handling_start_seconds(problem, handling);
    candidate->total_seconds =
        candidate->start_seconds + spmm_handling_device_seconds(problem, handling, as_record, seconds);
}

void spmm_plan_price(const spmm_machine *machine, const spmm_problem *problem, const spmm_handling *handling,
                     spmm_plan *plan) {
    plan->count = 0;
    plan->chosen = NULL;
    for (const spmm_kernel *const *kernel = spmm_kernels();
         *kernel != NULL && plan->count < SPMM_MOST_CANDIDATES; kernel++) {
        plan->candidate[plan->count] = (spmm_candidate){.kernel = *kernel};
        price(machine, problem, handling, &plan->candidate[plan->count++]);
    }
}

void spmm_candidate_name(const spmm_candidate *candidate, char name[48]) {
    if (candidate->variant > 0)
        snprintf(name, 48, "%s/%d", candidate->kernel->name, candidate->variant + 1);
    else
        snprintf(name, 48, "%s", candidate->kernel->name);
}

spmm_candidate *spmm_plan_add_variant(const spmm_machine *machine, const spmm_problem *problem,
                                      const spmm_handling *handling, const spmm_candidate *candidate,
                                      spmm_plan *plan) {
    if (!is_device(candidate->kernel) || candidate->price.seconds == 0 || plan->count == SPMM_MOST_CANDIDATES)
        return NULL;
    spmm_problem next = *problem;
    next.above_seconds = candidate->price.seconds * spmm_kernel_shares(candidate->kernel, machine);
    spmm_candidate *added = &plan->candidate[plan->count];
    *added = (spmm_candidate){
        .kernel = candidate->kernel, .variant = candidate->variant + 1, .above_seconds = next.above_seconds};
    price(machine, &next, handling, added);
    if (added->price.seconds == 0)
        return NULL;
    plan->count++;
    return added;
}

static bool is_called(const spmm_kernel *kernel, const char *name) {
    return strcmp(spmm_kernel_name(name), kernel->name) == 0;
}

base_status spmm_plan_check_kernel(base_context *context, const char *name) {
    if (name == NULL)
        return BASE_OK;
    for (const spmm_kernel *const *kernel = spmm_kernels(); *kernel != NULL; kernel++)
        if (is_called(*kernel, name))
            return BASE_OK;
    return base_fail(context, BASE_USAGE, "there is no kernel '%s'%s; --kernel list prints their names", name,
                     strcmp(name, "all") == 0 ? " (all goes with --bench)" : "");
}

static bool is_wanted(const spmm_candidate *c, const char *name) {
    return c->price.seconds > 0 &&
           (name != NULL ? is_called(c->kernel, name) : spmm_kernel_publication(c->kernel) == NULL);
}

/* The price is that of a product in one piece; the blocks of a divided one are sent and packed anew each
 * time.
 */
const spmm_candidate *spmm_plan_choose(const spmm_plan *plan, const char *name) {
    const spmm_candidate *best = NULL, *const end = plan->candidate + plan->count;
    bool is_whole = false;
    for (const spmm_candidate *c = plan->candidate; c < end; c++)
        is_whole = is_whole || (is_device(c->kernel) && !c->is_divided && is_wanted(c, name));
    for (const spmm_candidate *c = plan->candidate; c < end; c++)
        if (is_wanted(c, name) && !(c->is_divided && is_whole) &&
            (best == NULL || c->total_seconds < best->total_seconds))
            best = c;
    return best;
}

double spmm_plan_loss(const spmm_plan *plan, const spmm_problem *problem, const spmm_handling *handling) {
    double least = INFINITY;
    if (plan->chosen == NULL || is_device(plan->chosen->kernel) || handling->products == 0)
        return 0;
    for (const spmm_candidate *c = plan->candidate; c < plan->candidate + plan->count; c++)
        if (is_device(c->kernel) && is_wanted(c, NULL))
            least = fmin(least, c->total_seconds - c->start_seconds);
    if (isinf(least))
        least = spmm_handling_device_seconds(problem, handling, true, 0);
    return fmax(0, plan->chosen->total_seconds - least);
}

/* The last of the candidates that were asked for. */
static const spmm_candidate *find_unfit(const spmm_plan *plan, const char *name) {
    const spmm_candidate *unfit = NULL;
    for (const spmm_candidate *c = plan->candidate; c < plan->candidate + plan->count; c++)
        if (name == NULL || is_called(c->kernel, name))
            unfit = c;
    return unfit;
}

base_status spmm_plan_make(base_context *context, const spmm_machine *machine, const spmm_problem *problem,
                           const char *name, const spmm_handling *handling, spmm_plan *plan) {
    plan->chosen = NULL;
    if (machine->prefers_device) {
        spmm_machine there = *machine;
        there.device_only = true;
        spmm_plan_price(&there, problem, handling, plan);
        plan->chosen = spmm_plan_choose(plan, name);
    }
    if (plan->chosen == NULL) {
        spmm_plan_price(machine, problem, handling, plan);
        plan->chosen = spmm_plan_choose(plan, name);
    }
    if (plan->chosen != NULL)
        return BASE_OK;
    const spmm_candidate *unfit = find_unfit(plan, name);
    return base_fail(context, BASE_FAILED, "kernel %s: %s", unfit->kernel->name, unfit->price.reason);
}
