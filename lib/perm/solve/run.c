/* SPDX-License-Identifier: BSD-3-Clause */
/* One method at work on one block: a task for it, its chunks, the sum that they leave (block.h). */
#include "base/run/progress.h"
#include "perm/matrix/dense_matrix.h"
#include "perm/solve/block.h"
#include "perm/solve/error_sampler.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static perm_task make_task(const perm_block *block, const perm_candidate *candidate,
                           const perm_options *options) {
    perm_work *notes = options->work != NULL ? options->work : options->notes;
    return (perm_task){.matrix = block->matrix,
                       .distinct = block->distinct,
                       .candidate = candidate,
                       .precision = options->precision,
                       .certify = options->certify,
                       .devices = options->devices != NULL ? options->devices->found : NULL,
                       .work = options->work,
                       .notes = notes,
                       .verify = notes != NULL && notes->verify,
                       .log = options->log};
}

static double count_terms(const perm_task *task, const perm_chunked *chunked) {
    if (!perm_method_has(task->candidate->method, PERM_METHOD_SPLITS))
        return 0;
    return chunked->terms > 0 ? chunked->terms : ldexp(1, (int)task->matrix->n - 1);
}

/* What a sum must know before chunks are added. */
static base_status prepare(base_context *context, const perm_task *task, const perm_chunked *chunked,
                           bool certify, perm_sum *sum) {
    base_status status = BASE_OK;
    perm_dense_matrix entries = {.n = 0};
    chunked->prepare(chunked->method, sum);
    if (certify || chunked->sampled_seconds == 0)
        goto done;
    BASE_TRY(perm_dense_matrix_init(context, task->matrix, &entries));
    BASE_TRY(
        perm_error_sample_take(context, &entries, chunked->kernel, chunked->sampled_seconds, &sum->sample));
done:
    perm_dense_matrix_free(&entries);
    return status;
}

base_status perm_solve_run(base_context *context, const perm_block *block, const perm_candidate *candidate,
                           const perm_solver *solver, perm_block_result *block_result, int number) {
    base_status status = BASE_OK;
    perm_block_run *block_run = &block_result->block_run[number];
    perm_chunked chunked = {.chunks = 1};
    const perm_task task = make_task(block, candidate, solver->options);
    const perm_method *method = candidate->method;
    const bool splits = perm_method_has(method, PERM_METHOD_SPLITS);
    const double start = base_processor_seconds();
    if (splits)
        BASE_TRY(method->open(context, &task, &chunked));
    if (number >= block_result->block_runs) {
        snprintf(block_run->method, sizeof block_run->method, "%s", candidate->name);
        block_run->subsets = count_terms(&task, &chunked);
        BASE_TRY(perm_sum_start(context, &block_run->sum, chunked.chunks, perm_solver_part(solver),
                                solver->partial_result->record + solver->block_result));
        if (splits)
            BASE_TRY(prepare(context, &task, &chunked, solver->options->certify, &block_run->sum));
        block_result->block_runs = number + 1;
    } else if (strcmp(perm_kernel_name(block_run->method), candidate->name) != 0 ||
               block_run->sum.chunks != chunked.chunks) {
        BASE_TRY(base_fail(context, BASE_USAGE,
                           "the state was computed by %s, which is not the choice here (%s)",
                           block_run->method, candidate->name));
    }
    const int64_t left = block_run->sum.left;
    if (splits)
        BASE_TRY(perm_chunks_run(context, &chunked, task.notes, &block_run->sum));
    else
        BASE_TRY(method->run(context, &task, block_run));
    perm_log_line(&task.log, true, "  %s took %.3g s of processor time", candidate->name,
                  base_processor_seconds() - start);
    /* Not where there was nothing left: a time limit that is short would stop here each time. */
    if (left > 0)
        BASE_TRY(perm_work_pause(context, solver->options->work));
done:
    perm_chunked_free(&chunked);
    return status;
}
