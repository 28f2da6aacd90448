/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice among candidates that were priced, or the reason why there is none. */
#include "perm/plan/internal.h"

#include <stdio.h>
#include <string.h>

/* "block of order 3 with 8 entries (real)" */
static void describe(const perm_matrix *matrix, char text[80]) {
    snprintf(text, 80, "block of order %lld with %lld entries (%s)", (long long)matrix->n,
             (long long)matrix->nnz, mm_field_name(matrix->field));
}

/* A method that was refused as a whole, with the kernel that is named: its reason is that of the kernel. */
static const perm_candidate *find_whole(const perm_prices *prices) {
    const perm_plan_options *options = prices->options;
    for (int i = 0; options->kernel != NULL && i < prices->count; i++) {
        const perm_candidate *candidate = &prices->candidate[i];
        if (candidate->seconds == 0 && strcmp(candidate->name, candidate->method->name) == 0 &&
            perm_method_is_called(candidate->method, options->kernel) &&
            perm_method_computes(candidate->method, prices->matrix, options))
            return candidate;
    }
    return NULL;
}

/* The candidate whose reason the message gives. Where no kernel is named, a method that needs equal rows or
 * columns comes last: that a matrix has none explains least. */
static const perm_candidate *find_first(const perm_prices *prices) {
    const perm_candidate *first = NULL;
    for (int i = 0; i < prices->count; i++) {
        const perm_candidate *candidate = &prices->candidate[i];
        if (!perm_candidate_is_meant(candidate, prices->matrix, prices->options))
            continue;
        if (prices->options->kernel != NULL || candidate->method->stage != PERM_STAGE_MULTIPLICITIES)
            return candidate;
        first = candidate;
    }
    return first != NULL ? first : find_whole(prices);
}

static base_status refuse(base_context *context, const perm_plan *plan) {
    const perm_plan_options *options = plan->prices.options;
    const perm_candidate *first = find_first(&plan->prices);
    const order_frontier_cost *cost = perm_frontier_get_cost(plan->frontier);
    char block[80], precision[40];
    describe(plan->prices.matrix, block);
    perm_precision_print(options->precision, precision);
    if (first == NULL && perm_plan_check_kernel(context, options->kernel, false) != BASE_OK)
        return BASE_USAGE;
    if (first == NULL)
        return base_fail(context, BASE_FAILED,
                         "--kernel %s does not compute with %s. Leave out one of them, or see --kernel list",
                         options->kernel, precision);
    if (perm_method_has(first->method, PERM_METHOD_HAS_STATES))
        return base_fail(context, BASE_FAILED,
                         "a %s is too large: %s would need about %.2g transitions between %.2g states (%s)",
                         block, first->name, cost->transitions, cost->states, first->reason);
    if (options->kernel != NULL)
        return base_fail(context, BASE_FAILED,
                         "--kernel %s cannot compute this %s: %s. Leave --kernel out, and perm-gpu chooses",
                         options->kernel, block, first->reason);
    return base_fail(
        context, BASE_FAILED,
        "no kernel with %s can compute this %s (%s: %s). Leave --precision out, and perm-gpu chooses",
        precision, block, first->name, first->reason);
}

base_status perm_plan_choose(base_context *context, perm_plan *plan) {
    plan->chosen = perm_prices_cheapest(&plan->prices, NULL);
    return plan->chosen != NULL || plan->prices.options->list ? BASE_OK : refuse(context, plan);
}
