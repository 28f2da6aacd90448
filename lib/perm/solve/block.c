#include "perm/solve/block.h"
#include "perm/plan/estimate.h"
#include "perm/plan/plan.h"
#include "perm/solve/batch.h"
#include "perm/sparse/emit.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What digits are worth to a sum of doubles that has hardly any. */
static const double second_try_seconds = 10;
/* A block that takes so long does not mind a calibration. */
static const double calibrated_seconds = 0.5;

/* Of a block that is solved beside others. */
static const double most_batch_bytes = 64 << 20;

void perm_solve_tell(const perm_options *options, bool detail, const char *format, ...) {
    char line[512];
    va_list arguments;
    if (!options->tell)
        return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    options->tell(options->data, detail, line);
}

/* What --part has to do with the choice. */
static void tell_parts(const perm_plan *plan, const perm_options *options) {
    const long long parts = options->work ? (long long)options->work->part.count : 0;
    if (parts <= 1 || !plan->chosen)
        return;
    if (!perm_plan_can_split(plan->chosen->method))
        perm_solve_tell(options, false, "  %s cannot be split: one of the %lld parts does it",
                        plan->chosen->name, parts);
    else
        perm_solve_tell(options, false, "  %s is split into %lld parts, of %.3g s each", plan->chosen->name,
                        parts, plan->chosen->seconds / (double)parts);
}

static void tell_candidates(const perm_matrix *matrix, const perm_plan *plan, perm_calibrations calibrations,
                            const perm_options *options) {
    if (plan->is_quick)
        perm_solve_tell(options, false, "block of order %lld with %lld entries, of many",
                        (long long)matrix->n, (long long)matrix->nnz);
    else
        perm_solve_tell(
            options, false,
            "block of order %lld with %lld entries; %s order, frontier %lld wide, about %.3g states",
            (long long)matrix->n, (long long)matrix->nnz, plan->order.by_columns ? "column" : "row",
            (long long)plan->order.cost.width,
            plan->schedule.n > 0 ? plan->schedule.expected.states : plan->order.cost.states);
    for (int i = 0; i < plan->count; i++) {
        const perm_candidate *candidate = &plan->candidate[i];
        if (candidate->seconds > 0)
            perm_solve_tell(options, false, "  %-16s %10.3g s %10.3g MiB%s", candidate->name,
                            perm_estimate_seconds(candidate, calibrations), candidate->bytes / 0x1p20,
                            candidate == plan->chosen ? "  chosen" : "");
        else
            perm_solve_tell(options, false, "  %-16s %s", candidate->name, candidate->reason);
    }
}

/* The cheapest method that may have more digits than a sum of doubles, if it is worth it. */
static const perm_candidate *second_try(const perm_plan *plan) {
    const perm_candidate *best = NULL;
    for (int i = 0; i < plan->count; i++) {
        const perm_candidate *candidate = &plan->candidate[i];
        if ((candidate->method == PERM_FRONTIER || candidate->method == PERM_GRAY ||
             candidate->method == PERM_REPEATED) &&
            candidate->seconds > 0 && candidate->seconds < second_try_seconds &&
            (!best || candidate->seconds < best->seconds))
            best = candidate;
    }
    return best;
}

static bool is_split(const perm_solver *solver) {
    return perm_solver_part(solver).count > 1;
}

static bool may_need_second(const perm_solver *solver, const perm_plan *plan) {
    return perm_plan_is_sum_of_doubles(plan->chosen->method) && !solver->options->kernel &&
           solver->options->precision.kind == PERM_PRECISION_ANY;
}

/* Whether a second attempt is needed. Where this is only a part nobody knows yet: then it is made. */
static bool needs_second(const perm_solver *solver, const perm_plan *plan, const perm_leaf *leaf) {
    int counted;
    perm_value value;
    if (!may_need_second(solver, plan))
        return false;
    if (is_split(solver) || leaf->attempts == 2)
        return true;
    perm_value_init(&value);
    perm_leaf_value(leaf, &value, &counted);
    bool good = perm_answer_is_good(&value, leaf->bits);
    perm_value_free(&value);
    return !good;
}

/* Only where it goes unnoticed, or is what was asked for. */
static perm_calibrations calibrate(base_context *context, const perm_candidate *chosen,
                                   const perm_options *options) {
    const bool is_long = options->list || (chosen && chosen->seconds > calibrated_seconds),
               is_there = options->list || (chosen && perm_plan_is_on_device(chosen->method));
    return (perm_calibrations){is_long ? perm_calibration(context) : 1,
                               is_long && is_there ? perm_device_calibration(context, options->devices) : 1};
}

/* Among how many cores or devices, and parts, the work divides. The threads of a frontier wait for memory
 * more than for each other. */
static double count_shares(const base_context *context, const perm_candidate *chosen,
                           const perm_solver *solver) {
    const int workers = perm_plan_is_on_device(chosen->method)
                            ? base_devices_count(solver->options->devices->found)
                            : context->threads;
    if (!perm_plan_can_split(chosen->method))
        return 1;
    return (double)workers * (is_split(solver) ? (double)perm_solver_part(solver).count : 1);
}

static base_status emit(base_context *context, const perm_matrix *matrix, const perm_options *options) {
    char *source;
    base_status status = perm_emit_source(context, matrix, options->kernel, &source);
    if (status == BASE_OK)
        status = options->emit(context, options->data, source);
    free(source);
    return status;
}

/* Devices that are asked for, or that the stream has been worth, are started. */
perm_plan_options perm_solve_plan_options(base_context *context, const perm_solver *solver) {
    const perm_options *options = solver->options;
    const base_device_choice choice = options->devices ? options->devices->choice : BASE_DEVICE_CPU;
    const bool worth = options->spent && options->spent->seconds > PERM_PLAN_WORTH_SECONDS;
    return (perm_plan_options){.kernel = options->kernel,
                               .precision = options->precision,
                               .list = options->list,
                               .parts = perm_solver_part(solver).count,
                               .started = choice == BASE_DEVICE_CUDA || (choice == BASE_DEVICE_AUTO && worth),
                               .many = choice != BASE_DEVICE_CPU && worth && !solver->has_integers &&
                                       perm_plan_finds_devices(context, options->devices),
                               .quick = true,
                               .devices = options->devices};
}

/* A second one where the first has been quick, and left too few digits. */
static base_status make_better(base_context *context, const perm_matrix *matrix, perm_plan_options *wanted,
                               perm_plan *plan) {
    perm_plan_free(plan);
    wanted->quick = false;
    return perm_plan_make(context, matrix, wanted, plan);
}

static base_status defer(base_context *context, const perm_matrix *matrix, const perm_solver *solver,
                         int64_t bits) {
    perm_dense_matrix entries;
    if (matrix->n > PERM_PLAN_SHARED_LARGEST)
        return BASE_STOPPED;
    base_status status = perm_plan_dense_init(context, matrix, &entries);
    if (status == BASE_OK)
        status =
            perm_batch_defer(context, solver->options->batch, &entries, solver->answer, solver->leaf, bits);
    perm_plan_dense_free(&entries);
    return status;
}

/* What takes long, much memory or a device of its own is left for later, with all threads. */
static bool is_for_batch(const perm_plan *plan) {
    const perm_candidate *chosen = plan->chosen;
    return chosen->method == PERM_DENSE_CUDA ||
           (!perm_plan_is_on_device(chosen->method) && chosen->seconds < PERM_PLAN_WORTH_SECONDS &&
            chosen->bytes < most_batch_bytes);
}

base_status perm_solve_block(base_context *context, const perm_matrix *matrix, perm_solver *solver) {
    const perm_options *options = solver->options;
    perm_plan_options wanted = perm_solve_plan_options(context, solver);
    base_status status = BASE_OK;
    perm_plan plan = {.count = 0};
    const perm_task task = {matrix, &plan, NULL};
    perm_leaf *leaf = perm_answer_leaf(context, solver->answer, solver->leaf);
    if (!leaf)
        return BASE_MACHINE;
    if (leaf->is_done)
        goto done;
    if (options->emit) {
        BASE_TRY(emit(context, matrix, options));
        goto done;
    }
    if (perm_solve_is_deferred(context, options)) {
        BASE_TRY(defer(context, matrix, solver, 0));
        leaf->is_done = true;
        goto done;
    }
    BASE_TRY(perm_plan_make(context, matrix, &wanted, &plan));
    const perm_calibrations calibrations = calibrate(context, plan.chosen, options);
    tell_candidates(matrix, &plan, calibrations, options);
    tell_parts(&plan, options);
    if (options->list)
        goto done;
    BASE_TRY(perm_estimate_check(context, matrix->n, plan.chosen, calibrations,
                                 count_shares(context, plan.chosen, solver), options->most_seconds));
    const perm_candidate *second = second_try(&plan);
    leaf->cost_seconds = plan.chosen->seconds;
    leaf->bits = !wanted.many && second && second->seconds <= PERM_DIGITS_SECONDS ? PERM_ANSWER_BITS
                                                                                  : PERM_ANSWER_FEW_BITS;
    if (options->batch && !is_for_batch(&plan))
        BASE_TRY(BASE_STOPPED);
    if (options->batch && plan.chosen->method == PERM_DENSE_CUDA) {
        const bool may_need = (second || plan.is_quick) && may_need_second(solver, &plan);
        BASE_TRY(defer(context, matrix, solver, may_need ? leaf->bits : 0));
        leaf->cost_seconds = plan.chosen->seconds;
        leaf->is_done = true;
        goto done;
    }
    BASE_TRY(perm_attempt_run(context, &task, plan.chosen, solver, leaf, 0));
    const bool needs = needs_second(solver, &plan, leaf);
    if (needs && plan.is_quick) {
        BASE_TRY(make_better(context, matrix, &wanted, &plan));
        second = second_try(&plan);
    }
    if (second && needs) {
        perm_solve_tell(options, true, "%s: too few digits are left, again by %s", leaf->attempt[0].method,
                        second->name);
        BASE_TRY(perm_attempt_run(context, &task, second, solver, leaf, 1));
    }
    leaf->is_done = true;
done:
    solver->leaf++;
    perm_plan_free(&plan);
    return status;
}

base_status perm_solve_lines(base_context *context, const perm_lines *lines, double seconds,
                             perm_solver *solver) {
    const perm_task task = {.lines = lines};
    const perm_candidate way = {.name = "repeated", .method = PERM_REPEATED, .seconds = seconds};
    base_status status = BASE_OK;
    perm_leaf *leaf = perm_answer_leaf(context, solver->answer, solver->leaf);
    if (!leaf)
        return BASE_MACHINE;
    if (leaf->is_done || solver->options->list)
        goto done;
    BASE_TRY(perm_estimate_check(context, lines->nrow > lines->ncol ? lines->nrow : lines->ncol, &way,
                                 calibrate(context, &way, solver->options),
                                 count_shares(context, &way, solver), solver->options->most_seconds));
    leaf->cost_seconds = seconds;
    BASE_TRY(perm_attempt_run(context, &task, &way, solver, leaf, 0));
    leaf->is_done = true;
done:
    solver->leaf++;
    return status;
}
