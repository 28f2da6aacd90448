#include "perm/chunks.h"
#include "perm/frontier_device.h"
#include "perm/solve_block.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Exact arithmetic is used for more digits only up to this many word operations; then 113 bits must do. */
static const double exact_limit = 2e10;

/* On a device, or on the processor if it is NULL. */
static base_status run_frontier_on(base_context *context, const perm_matrix *matrix,
                                   const perm_schedule *schedule, perm_arithmetic arithmetic,
                                   base_device *device, perm_value *value, perm_frontier_stats *stats) {
    return device ? perm_frontier_device_run(context, device, matrix, schedule, arithmetic, value, stats)
                  : perm_frontier_run(context, matrix, schedule, arithmetic, value, stats);
}

/* What comes after doubles: exact numbers, on the device if that can hold them, else 113 bits. */
static base_status choose_more_digits(base_context *context, const perm_matrix *matrix,
                                      const perm_schedule *schedule, const perm_frontier_stats *stats,
                                      base_device **device, perm_arithmetic *arithmetic) {
    base_status status;
    perm_frontier_device_cost cost;
    int64_t bytes;
    *arithmetic = PERM_EXACT;
    if (*device) {
        BASE_TRY(perm_frontier_device_price(context, matrix, schedule, PERM_EXACT, &cost));
        if (perm_frontier_device_fits(*device, &cost))
            return BASE_OK;
        *device = NULL;
    }
    BASE_TRY(perm_frontier_state_bytes(context, matrix, schedule, PERM_EXACT, &bytes));
    if (stats->transitions * (double)bytes / 8 >= exact_limit ||
        stats->peak_states * (double)bytes >= (double)context->memory_bytes / 2)
        *arithmetic = PERM_QUAD;
done:
    return status;
}

static base_status run_frontier(base_context *context, const perm_matrix *matrix, const perm_plan *plan,
                                const perm_candidate *way, const perm_options *options, perm_value *value,
                                perm_attempt *attempt) {
    base_status status = BASE_OK;
    perm_frontier_stats stats;
    const perm_schedule *schedule = &plan->schedule;
    const bool is_cuda = way->method == PERM_FRONTIER_CUDA;
    const bool may_repeat =
        way->method == PERM_FRONTIER || (is_cuda && options->precision.kind == PERM_PRECISION_ANY);
    base_device *device = is_cuda ? base_devices_get(options->devices->found, 0) : NULL;
    perm_solve_tell(options, true, "frontier: about %.3g states, %.3g transitions, %.3g MiB",
                    schedule->expected.states, schedule->expected.transitions, way->bytes / 0x1p20);
    BASE_TRY(run_frontier_on(context, matrix, schedule, way->arithmetic, device, value, &stats));
    if (may_repeat && !perm_answer_is_good(value, PERM_ANSWER_BITS)) {
        perm_arithmetic arithmetic;
        BASE_TRY(choose_more_digits(context, matrix, schedule, &stats, &device, &arithmetic));
        perm_solve_tell(options, true, "frontier: doubles leave too few digits, again %s",
                        arithmetic == PERM_EXACT ? "with exact numbers" : "with 113 bits");
        BASE_TRY(run_frontier_on(context, matrix, schedule, arithmetic, device, value, &stats));
    }
    attempt->states = stats.states;
    attempt->transitions = stats.transitions;
    attempt->bytes = stats.peak_bytes;
done:
    return status;
}

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

bool perm_attempt_can_split(const perm_candidate *way) {
    return way->method > PERM_FRONTIER_QUAD && way->method != PERM_FRONTIER_CUDA;
}

static base_status open_chunks(base_context *context, const perm_task *task, const perm_candidate *way,
                               const perm_options *options, perm_chunked *chunked) {
    bool verify = options->work && options->work->verify;
    switch (way->method) {
    case PERM_GRAY: return perm_chunked_exact(context, task->matrix, way->name, verify, chunked);
    case PERM_SPARSE_EXACT:
        return perm_chunked_sparse_exact(context, task->matrix, way->sparse, way->name, verify, chunked);
    case PERM_SPARSE:
        return perm_chunked_sparse(context, task->matrix, way->sparse, way->name, verify, chunked);
    case PERM_DENSE_CUDA:
        return perm_chunked_dense_cuda(context, task->matrix, options->devices->found, chunked);
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
    if (!perm_attempt_can_split(way))
        return 0;
    return way->method == PERM_REPEATED || way->method == PERM_REPEATED_DOUBLE
               ? chunked->chunk_subsets * (double)chunked->chunks
               : ldexp(1, (int)task->matrix->n - 1);
}

/* A method that cannot be split is a chunk. */
static base_status run_whole(base_context *context, const perm_task *task, const perm_candidate *way,
                             const perm_options *options, perm_attempt *attempt) {
    perm_value value;
    if (attempt->sum.left == 0)
        return BASE_OK;
    perm_value_init(&value);
    base_status status = run_frontier(context, task->matrix, task->plan, way, options, &value, attempt);
    if (status == BASE_OK)
        perm_sum_add(&attempt->sum, 0, &value, NULL);
    perm_value_free(&value);
    return status;
}

base_status perm_attempt_run(base_context *context, const perm_task *task, const perm_candidate *way,
                             const perm_solver *solver, perm_leaf *leaf, int number) {
    base_status status = BASE_OK;
    perm_attempt *attempt = &leaf->attempt[number];
    perm_chunked chunked = {.chunks = 1};
    const bool splits = perm_attempt_can_split(way);
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
    if (splits)
        BASE_TRY(perm_chunks_run(context, &chunked,
                                 solver->options->work ? solver->options->work : solver->options->notes,
                                 &attempt->sum));
    else
        BASE_TRY(run_whole(context, task, way, solver->options, attempt));
    BASE_TRY(perm_work_pause(context, solver->options->work));
done:
    perm_chunked_free(&chunked);
    return status;
}
