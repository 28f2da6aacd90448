/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/plan/explain.h"

#include <stdio.h>
#include <string.h>

/* "7.8 s", or "7.8 s + 0.1 s for digits". */
static void print_seconds(const perm_candidate *candidate, double seconds, char text[64]) {
    if (candidate->lacking_seconds > 0)
        snprintf(text, 64, "%.3g s + %.3g s for digits", seconds, candidate->lacking_seconds);
    else
        snprintf(text, 64, "%.3g s", seconds);
}

static void explain_block(const perm_log *log, const perm_plan *plan) {
    const perm_matrix *matrix = plan->prices.matrix;
    if (plan->frontier == NULL)
        perm_log_line(log, false, "block of order %lld with %lld entries, of many", (long long)matrix->n,
                      (long long)matrix->nnz);
    else
        perm_log_line(
            log, false,
            "block of order %lld with %lld entries; %s order, frontier %lld wide, about %.3g states",
            (long long)matrix->n, (long long)matrix->nnz, plan->frontier->order.by_columns ? "column" : "row",
            (long long)plan->frontier->order.cost.width, perm_frontier_get_cost(plan->frontier)->states);
}

/* The length of the longest name, so that columns align. */
static int measure_names(const perm_plan *plan) {
    size_t width = 0;
    for (int i = 0; i < plan->prices.count; i++) {
        const size_t length = strlen(plan->prices.candidate[i].name);
        width = length > width ? length : width;
    }
    return (int)width;
}

static void hand_over(const perm_log *log, const perm_plan *plan, const perm_candidate *candidate,
                      perm_calibrations calibrations) {
    const perm_matrix *matrix = plan->prices.matrix;
    const double seconds = candidate->seconds > 0 ? perm_estimate_seconds(candidate, calibrations) : 0;
    log->candidate(log->data, &(perm_log_candidate){matrix->n, matrix->nnz, candidate, seconds,
                                                    candidate == plan->chosen});
}

static void explain_candidate(const perm_log *log, int width, const perm_candidate *candidate, bool is_chosen,
                              perm_calibrations calibrations) {
    char digits[48] = "";
    if (candidate->lacking_seconds > 0)
        snprintf(digits, sizeof digits, "  + %.3g s for digits", candidate->lacking_seconds);
    if (candidate->seconds > 0)
        perm_log_line(log, false, "  %-*s %10.3g s %10.3g MiB%s%s", width, candidate->name,
                      perm_estimate_seconds(candidate, calibrations), candidate->bytes / 0x1p20, digits,
                      is_chosen ? "  chosen" : "");
    else
        perm_log_line(log, false, "  %-*s %s", width, candidate->name, candidate->reason);
}

/* Whether the estimates put two candidates in another order than their prices do. */
static bool is_reversed(const perm_candidate *chosen, const perm_candidate *next,
                        perm_calibrations calibrations) {
    return perm_estimate_seconds(chosen, calibrations) + chosen->lacking_seconds >
           perm_estimate_seconds(next, calibrations) + next->lacking_seconds;
}

/* Whether more was priced than frontiers, which come first. */
static bool has_sums(const perm_prices *prices) {
    for (int i = 0; i < prices->count; i++)
        if (prices->candidate[i].method->stage != PERM_STAGE_FRONTIER)
            return true;
    return false;
}

/* Why the chosen one, rather than the best of other methods. */
static void explain_choice(const perm_log *log, const perm_plan *plan, perm_calibrations calibrations) {
    const perm_candidate *chosen = plan->chosen,
                         *next = perm_prices_cheapest(&plan->prices, plan->chosen->method);
    char first[64], second[64];
    if (next == NULL) {
        perm_log_line(log, false, "  %s: %s", chosen->name,
                      plan->prices.options->kernel != NULL ? "--kernel asks for it"
                      : has_sums(&plan->prices)            ? "no other method can do the same"
                                                           : "too short for a look at other methods");
        return;
    }
    if (perm_prices_weigh(&plan->prices, chosen) == perm_prices_weigh(&plan->prices, next)) {
        perm_log_line(log, false, "  %s rather than %s: both are so short that the first is taken",
                      chosen->name, next->name);
        return;
    }
    const bool by_prices = is_reversed(chosen, next, calibrations);
    print_seconds(chosen, by_prices ? chosen->seconds : perm_estimate_seconds(chosen, calibrations), first);
    print_seconds(next, by_prices ? next->seconds : perm_estimate_seconds(next, calibrations), second);
    perm_log_line(log, false, "  %s rather than %s: %s against %s%s", chosen->name, next->name, first, second,
                  by_prices ? ", by the prices of the machines where they were measured" : "");
}

/* What --part has to do with the choice. */
static void explain_parts(const perm_log *log, const perm_plan *plan, int64_t parts) {
    if (parts <= 1)
        return;
    if (!perm_method_has(plan->chosen->method, PERM_METHOD_SPLITS))
        perm_log_line(log, false, "  %s cannot be split: one of the %lld parts does it", plan->chosen->name,
                      (long long)parts);
    else
        perm_log_line(log, false, "  %s is split into %lld parts, of %.3g s each", plan->chosen->name,
                      (long long)parts, plan->chosen->seconds / (double)parts);
}

void perm_plan_explain(const perm_log *log, const perm_plan *plan, perm_calibrations calibrations,
                       int64_t parts) {
    explain_block(log, plan);
    const int width = measure_names(plan);
    for (int i = 0; i < plan->prices.count; i++) {
        const perm_candidate *candidate = &plan->prices.candidate[i];
        if (log->candidate != NULL)
            hand_over(log, plan, candidate, calibrations);
        else
            explain_candidate(log, width, candidate, candidate == plan->chosen, calibrations);
    }
    if (plan->chosen == NULL)
        return;
    explain_choice(log, plan, calibrations);
    explain_parts(log, plan, parts);
}
