#include "perm/chunks/chunks.h"
#include "perm/frontier/solve.h"
#include "perm/solve/block.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static base_status open_repeated(base_context *context, const perm_task *task, bool rounded,
                                 perm_chunked *chunked) {
    base_status status;
    perm_lines lines = {0};
    if (task->lines)
        return perm_chunked_repeated(context, task->lines, chunked);
    BASE_TRY(perm_lines_from_matrix(context, task->matrix, &lines));
    perm_lines_group(&lines);
    BASE_TRY((rounded ? perm_chunked_repeated_double : perm_chunked_repeated)(context, &lines, chunked));
done:
    perm_lines_free(&lines);
    return status;
}

static base_status open_chunks(base_context *context, const perm_task *task, const perm_candidate *way,
                               const perm_options *options, perm_chunked *chunked) {
    const perm_work *work = options->work ? options->work : options->notes;
    const bool verify = work && work->verify;
    switch (way->method) {
    case PERM_GRAY: return perm_chunked_exact(context, task->matrix, way->name, verify, chunked);
    case PERM_SPARSE_EXACT:
        return perm_chunked_sparse_exact(context, task->matrix, way->sparse, way->name, verify, chunked);
    case PERM_SPARSE:
        return perm_chunked_sparse(context, task->matrix, way->sparse, way->name, verify, chunked);
    case PERM_DENSE_CUDA:
        return perm_chunked_dense_cuda(context, task->matrix, options->devices->found, chunked);
    case PERM_PAIRS_CUDA:
        return perm_chunked_pairs_cuda(context, task->matrix, options->devices->found, chunked);
    case PERM_TENSOR_CUDA:
        return perm_chunked_tensor_cuda(context, task->matrix, options->devices->found, chunked);
    case PERM_EXACT_CUDA:
        return perm_chunked_exact_cuda(context, task->matrix, way->skips, options->devices->found, verify,
                                       chunked);
    case PERM_TWOFOLD_CUDA:
        return perm_chunked_twofold_cuda(context, task->matrix, options->devices->found, chunked);
    case PERM_SPARSE_CUDA:
        return perm_chunked_sparse_cuda(context, task->matrix, way->sparse, way->way, options->devices->found,
                                        chunked);
    case PERM_TWOFOLD: return perm_chunked_twofold(context, task->matrix, way->name, verify, chunked);
    case PERM_ARBITRARY: return perm_chunked_arbitrary(context, task->matrix, way->bits, verify, chunked);
    case PERM_REPEATED:
    case PERM_REPEATED_DOUBLE:
        return open_repeated(context, task, way->method == PERM_REPEATED_DOUBLE, chunked);
    default: return perm_chunked_dense(context, task->matrix, way->name, verify, chunked);
    }
}

static double count_subsets(const perm_task *task, const perm_candidate *way, const perm_chunked *chunked) {
    if (!perm_plan_can_split(way->method))
        return 0;
    return way->method == PERM_REPEATED || way->method == PERM_REPEATED_DOUBLE
               ? chunked->chunk_subsets * (double)chunked->chunks
               : ldexp(1, (int)task->matrix->n - 1);
}

base_status perm_attempt_run(base_context *context, const perm_task *task, const perm_candidate *way,
                             const perm_solver *solver, perm_leaf *leaf, int number) {
    base_status status = BASE_OK;
    perm_attempt *attempt = &leaf->attempt[number];
    perm_chunked chunked = {.chunks = 1};
    const bool splits = perm_plan_can_split(way->method);
    if (splits)
        BASE_TRY(open_chunks(context, task, way, solver->options, &chunked));
    if (number >= leaf->attempts) {
        snprintf(attempt->method, sizeof attempt->method, "%s", way->name);
        attempt->subsets = count_subsets(task, way, &chunked);
        BASE_TRY(perm_sum_start(context, &attempt->sum, chunked.chunks, perm_solver_part(solver),
                                solver->answer->record + solver->leaf));
        if (splits)
            chunked.prepare(chunked.method, &attempt->sum);
        leaf->attempts = number + 1;
    } else if (strcmp(attempt->method, way->name) != 0 || attempt->sum.chunks != chunked.chunks) {
        BASE_TRY(base_fail(context, BASE_USAGE,
                           "the state was computed by %s, which is not the choice here (%s)", attempt->method,
                           way->name));
    }
    const int64_t left = attempt->sum.left;
    if (splits)
        BASE_TRY(perm_chunks_run(context, &chunked,
                                 solver->options->work ? solver->options->work : solver->options->notes,
                                 &attempt->sum));
    else
        BASE_TRY(perm_solve_frontier(context, task->matrix, task->plan, way, solver->options, attempt));
    /* Not where there was nothing left: a time limit that is short would stop here each time. */
    if (left > 0)
        BASE_TRY(perm_work_pause(context, solver->options->work));
done:
    perm_chunked_free(&chunked);
    return status;
}
