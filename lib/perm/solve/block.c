/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/solve/block.h"
#include "perm/dense/batch.h"
#include "perm/multiplicities/multiplicities.h"
#include "perm/plan/explain.h"

#include <stdlib.h>
#include <string.h>

/* A block that takes so long does not mind a calibration. */
static const double calibrated_seconds = 0.5;

/* Of a block that is solved beside others. */
static const double most_batch_bytes = 64 << 20;

static bool is_on_device(const perm_candidate *candidate) {
    return perm_method_has(candidate->method, PERM_METHOD_ON_DEVICE);
}

/* Shared launches do without the bounds of --certify. */
static bool is_batched(const perm_candidate *candidate, const perm_options *options) {
    return perm_method_has(candidate->method, PERM_METHOD_IS_BATCHED) && !options->certify;
}

/* Only where it goes unnoticed, or is what was asked for. */
static perm_calibrations calibrate(base_context *context, const perm_candidate *chosen,
                                   const perm_options *options) {
    const bool is_long = options->list || (chosen != NULL && chosen->seconds > calibrated_seconds),
               is_there = options->list || (chosen != NULL && is_on_device(chosen));
    return (perm_calibrations){is_long ? perm_calibration(context) : 1,
                               is_long && is_there ? perm_device_calibration(context, options->devices) : 1};
}

/* Among how many cores or devices, and parts, the work divides. The threads of a frontier wait for memory
 * more than for each other. */
static double count_shares(const base_context *context, const perm_candidate *chosen,
                           const perm_solver *solver) {
    const int workers =
        is_on_device(chosen) ? base_devices_count(solver->options->devices->found) : context->threads;
    if (!perm_method_has(chosen->method, PERM_METHOD_SPLITS))
        return 1;
    return (double)workers * (perm_solver_is_split(solver) ? (double)perm_solver_part(solver).count : 1);
}

/* The method of that name, or the first one, whose code is made for a matrix; NULL: there is none. */
static const perm_method *find_emitter(const char *kernel) {
    for (const perm_method *const *method = perm_methods(); *method != NULL; method++)
        if ((*method)->emit != NULL && (kernel == NULL || strcmp(kernel, (*method)->name) == 0))
            return *method;
    return NULL;
}

static base_status emit(base_context *context, const perm_matrix *matrix, const perm_options *options) {
    base_status status;
    char *source = NULL;
    const perm_method *method = find_emitter(options->kernel);
    if (method == NULL)
        BASE_TRY(base_fail(context, BASE_USAGE, "the kernel %s has no source that is made for a matrix",
                           options->kernel));
    BASE_TRY(method->emit(context, matrix, &source));
    BASE_TRY(options->emit(context, options->log.data, source));
done:
    free(source);
    return status;
}

static base_status defer(base_context *context, const perm_matrix *matrix, const perm_solver *solver,
                         int64_t bits) {
    perm_dense_matrix entries;
    if (matrix->n > PERM_DENSE_BATCH_LARGEST)
        return BASE_STOPPED;
    base_status status = perm_dense_matrix_init(context, matrix, &entries);
    if (status == BASE_OK)
        status = solver->options->defer(context, solver->options->batch, &entries, solver->partial_result,
                                        solver->block_result, bits);
    perm_dense_matrix_free(&entries);
    return status;
}

/* What takes long, much memory or a device of its own is left for later, with all threads. */
static bool is_for_batch(const perm_plan *plan, const perm_options *options) {
    const perm_candidate *chosen = plan->chosen;
    return is_batched(chosen, options) ||
           (!is_on_device(chosen) && perm_candidate_seconds_with_digits(chosen) < PERM_PLAN_WORTH_SECONDS &&
            chosen->bytes < most_batch_bytes);
}

base_status perm_solve_block(base_context *context, const perm_matrix *matrix, perm_solver *solver) {
    const perm_options *options = solver->options;
    perm_plan_options wanted = perm_solve_plan_options(context, solver);
    base_status status = BASE_OK;
    perm_plan plan;
    const perm_block block = {.matrix = matrix};
    perm_block_result *block_result =
        perm_partial_result_block(context, solver->partial_result, solver->block_result);
    if (block_result == NULL)
        return BASE_MACHINE;
    perm_plan_init(&plan);
    if (block_result->is_done)
        goto done;
    if (options->emit != NULL) {
        BASE_TRY(emit(context, matrix, options));
        goto done;
    }
    if (perm_solve_is_deferred(context, options)) {
        BASE_TRY(defer(context, matrix, solver, 0));
        block_result->is_done = true;
        goto done;
    }
    BASE_TRY(perm_plan_make(context, matrix, &wanted, &plan));
    const perm_calibrations calibrations = calibrate(context, plan.chosen, options);
    perm_plan_explain(&options->log, &plan, calibrations, perm_solver_part(solver).count);
    if (options->list)
        goto done;
    status = perm_estimate_check(context, matrix->n, plan.chosen, calibrations,
                                 count_shares(context, plan.chosen, solver), options->most_seconds);
    /* Alone it may have more threads. */
    BASE_TRY(status == BASE_FAILED && options->batch != NULL ? BASE_STOPPED : status);
    block_result->cost_seconds = plan.chosen->seconds;
    block_result->bits = perm_solve_choose_bits(matrix, &wanted, &plan);
    if (options->batch != NULL && !is_for_batch(&plan, options))
        BASE_TRY(BASE_STOPPED);
    if (options->batch != NULL && is_batched(plan.chosen, options)) {
        const bool may_repeat = perm_solve_may_repeat(solver, &plan);
        BASE_TRY(defer(context, matrix, solver, may_repeat ? block_result->bits : 0));
        block_result->cost_seconds = plan.chosen->seconds;
        block_result->is_done = true;
        goto done;
    }
    BASE_TRY(perm_solve_run(context, &block, plan.chosen, solver, block_result, 0));
    BASE_TRY(perm_solve_repeat(context, &block, &wanted, &plan, solver, block_result));
    block_result->is_done = true;
done:
    solver->block_result++;
    perm_plan_free(&plan);
    return status;
}

base_status perm_solve_distinct(base_context *context, const perm_distinct *distinct, double seconds,
                                perm_solver *solver) {
    const perm_block block = {.distinct = distinct};
    const perm_candidate candidate = {
        .name = perm_multiplicities_method.name, .method = &perm_multiplicities_method, .seconds = seconds};
    base_status status = BASE_OK;
    perm_block_result *block_result =
        perm_partial_result_block(context, solver->partial_result, solver->block_result);
    if (block_result == NULL)
        return BASE_MACHINE;
    if (block_result->is_done || solver->options->list)
        goto done;
    BASE_TRY(perm_estimate_check(context, distinct->nrow > distinct->ncol ? distinct->nrow : distinct->ncol,
                                 &candidate, calibrate(context, &candidate, solver->options),
                                 count_shares(context, &candidate, solver), solver->options->most_seconds));
    block_result->cost_seconds = seconds;
    BASE_TRY(perm_solve_run(context, &block, &candidate, solver, block_result, 0));
    block_result->is_done = true;
done:
    solver->block_result++;
    return status;
}
