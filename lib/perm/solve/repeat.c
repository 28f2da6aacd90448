/* SPDX-License-Identifier: BSD-3-Clause */
/* A block whose sum has left too few digits is computed again by a method that has more (block.h). */
#include "perm/solve/block.h"

#include <math.h>
#include <string.h>

/* The cheapest method that has more digits than a sum of doubles, or all of them, if it is worth it. */
static const perm_candidate *find_better(const perm_plan *plan, bool exactly) {
    const unsigned flags = PERM_METHOD_MORE_DIGITS | (exactly ? PERM_METHOD_IS_EXACT : 0);
    const perm_candidate *best = NULL;
    for (int i = 0; i < plan->prices.count; i++) {
        const perm_candidate *candidate = &plan->prices.candidate[i];
        if (candidate != plan->chosen && perm_method_has(candidate->method, flags) &&
            candidate->seconds > 0 &&
            perm_candidate_seconds_with_digits(candidate) < PERM_FEW_DIGITS_SECONDS &&
            (best == NULL ||
             perm_candidate_seconds_with_digits(candidate) < perm_candidate_seconds_with_digits(best)))
            best = candidate;
    }
    return best;
}

int64_t perm_solve_choose_bits(const perm_matrix *matrix, const perm_plan_options *wanted,
                               const perm_plan *plan) {
    const perm_candidate *better = find_better(plan, false);
    const double most =
        perm_matrix_look(matrix).nonnegative ? PERM_DIGITS_SECONDS : PERM_ESTIMATED_DIGITS_SECONDS;
    if (wanted->certify && !perm_matrix_look(matrix).nonnegative)
        return PERM_RESULT_FEW_BITS;
    return !wanted->many && better != NULL && perm_candidate_seconds_with_digits(better) <= most
               ? PERM_RESULT_BITS
               : PERM_RESULT_FEW_BITS;
}

/* A sum that rounds, where nothing is asked for. */
static bool may_have_too_few(const perm_solver *solver, const perm_plan *plan) {
    const perm_method *method = plan->chosen->method;
    return perm_method_has(method, PERM_METHOD_SPLITS) && !perm_method_has(method, PERM_METHOD_IS_EXACT) &&
           solver->options->kernel == NULL && solver->options->precision.kind == PERM_PRECISION_ANY;
}

/* A direct plan has not looked for others. */
bool perm_solve_may_repeat(const perm_solver *solver, const perm_plan *plan) {
    return may_have_too_few(solver, plan) && (plan->frontier == NULL || find_better(plan, false) != NULL);
}

static bool is_good(const perm_sum *sum, int64_t bits) {
    perm_value value;
    perm_value_init(&value);
    perm_sum_finish(sum, &value);
    const bool good = perm_partial_result_is_good(&value, bits);
    perm_value_free(&value);
    return good;
}

/* Whether a second run is needed. */
static bool needs_second(const perm_solver *solver, const perm_plan *plan,
                         const perm_block_result *block_result) {
    return may_have_too_few(solver, plan) &&
           (block_result->block_runs == 2 || !is_good(&block_result->block_run[0].sum, block_result->bits));
}

/* A second plan where the first has been direct, and left too few digits. */
static base_status make_better(base_context *context, const perm_matrix *matrix, perm_plan_options *wanted,
                               perm_plan *plan) {
    perm_plan_free(plan);
    wanted->direct = false;
    return perm_plan_make(context, matrix, wanted, plan);
}

/* Whether a part computes its share of a second run, too: where that takes no longer than its share of the
 * first one, goes unnoticed, or is so short that twelve digits are wanted, which the first run of doubles may
 * well not have. What cannot be split, one part does. */
static bool is_affordable(const perm_plan_options *wanted, const perm_block_result *block_result,
                          const perm_candidate *better) {
    const double parts = (double)wanted->parts, first = block_result->cost_seconds / parts,
                 second = perm_method_has(better->method, PERM_METHOD_SPLITS) ? better->seconds / parts
                                                                              : better->seconds;
    return block_result->bits == PERM_RESULT_BITS ||
           second <= fmax(first, perm_plan_unnoticed_seconds(wanted));
}

/* No part knows how many digits the whole will have. */
static base_status repeat_part(base_context *context, const perm_block *block,
                               const perm_plan_options *wanted, const perm_plan *plan,
                               const perm_solver *solver, perm_block_result *block_result) {
    base_status status = BASE_OK;
    const perm_candidate *better = find_better(plan, false), *exact = find_better(plan, true);
    if (better == NULL)
        goto done;
    const bool is_made = is_affordable(wanted, block_result, better);
    block_result->is_open = !is_made || (exact != NULL && exact != better);
    if (!is_made)
        goto done;
    perm_log_line(&solver->options->log, false, "  this may leave too few digits: also by %s, %.3g s",
                  better->name, better->seconds);
    BASE_TRY(perm_solve_run(context, block, better, solver, block_result, 1));
done:
    return status;
}

/* As solve/block.h says, where all of the work is done here. */
static base_status repeat_whole(base_context *context, const perm_block *block, const perm_plan *plan,
                                const perm_solver *solver, perm_block_result *block_result) {
    base_status status = BASE_OK;
    const perm_log *log = &solver->options->log;
    const perm_block_run *run = block_result->block_run;
    const perm_candidate *better = find_better(plan, false), *exact = find_better(plan, true);
    if (better == NULL) {
        perm_log_line(log, false, "  too few digits are left, but no other method takes %g s or less",
                      (double)PERM_FEW_DIGITS_SECONDS);
        goto done;
    }
    /* A state may have come further. */
    const bool is_exact =
        exact != NULL && block_result->block_runs == 2 && strcmp(run[1].method, exact->name) == 0;
    if (!is_exact) {
        perm_log_line(log, false, "  %s leaves too few digits: again by %s, %.3g s", run[0].method,
                      better->name, better->seconds);
        BASE_TRY(perm_solve_run(context, block, better, solver, block_result, 1));
        if (exact == NULL || exact == better || is_good(&run[1].sum, PERM_RESULT_FEW_BITS))
            goto done;
        block_result->block_runs = 1;
    }
    perm_log_line(log, false, "  too few digits are left: again by %s, %.3g s", exact->name, exact->seconds);
    BASE_TRY(perm_solve_run(context, block, exact, solver, block_result, 1));
done:
    return status;
}

base_status perm_solve_repeat(base_context *context, const perm_block *block, perm_plan_options *wanted,
                              perm_plan *plan, const perm_solver *solver, perm_block_result *block_result) {
    base_status status = BASE_OK;
    const bool is_split = perm_solver_is_split(solver);
    if (is_split ? !may_have_too_few(solver, plan) : !needs_second(solver, plan, block_result))
        goto done;
    if (plan->frontier == NULL)
        BASE_TRY(make_better(context, block->matrix, wanted, plan));
    BASE_TRY(is_split ? repeat_part(context, block, wanted, plan, solver, block_result)
                      : repeat_whole(context, block, plan, solver, block_result));
done:
    return status;
}
