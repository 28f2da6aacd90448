#include "perm/solve_block.h"
#include "perm/batch.h"
#include "perm/chunks.h"
#include "perm/emit.h"
#include "perm/estimate.h"
#include "perm/frontier_device.h"
#include "perm/plan.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Exact arithmetic is used for that only up to this many word operations; then 113 bits must do. */
static const double exact_limit = 2e10;

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

static void tell_candidates(const perm_matrix *matrix, const perm_plan *plan, perm_calibrations calibrations,
                            const perm_options *options) {
    perm_solve_tell(options, false,
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

static base_part part_of(const perm_solver *solver) {
    return solver->options->work ? solver->options->work->part : (base_part){0, 0};
}

static bool is_split(const perm_solver *solver) {
    return part_of(solver).count > 1;
}

/* What is to be computed: a matrix with its plan, or lines. */
typedef struct task {
    const perm_matrix *matrix;
    const perm_plan *plan;
    const perm_lines *lines;
} task;

static base_status open_repeated(base_context *context, const task *task, bool rounded,
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

static bool can_split(const perm_candidate *way) {
    return way->method > PERM_FRONTIER_QUAD && way->method != PERM_FRONTIER_CUDA;
}

static base_status open_chunks(base_context *context, const task *task, const perm_candidate *way,
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

static double count_subsets(const task *task, const perm_candidate *way, const perm_chunked *chunked) {
    if (!can_split(way))
        return 0;
    return way->method == PERM_REPEATED || way->method == PERM_REPEATED_DOUBLE
               ? chunked->chunk_subsets * (double)chunked->chunks
               : ldexp(1, (int)task->matrix->n - 1);
}

/* A method that cannot be split is a chunk. */
static base_status run_whole(base_context *context, const task *task, const perm_candidate *way,
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

/* Begins with an attempt or goes on with one from a state, until this part's share of it is done. */
static base_status run_attempt(base_context *context, const task *task, const perm_candidate *way,
                               const perm_solver *solver, perm_leaf *leaf, int number) {
    base_status status = BASE_OK;
    perm_attempt *attempt = &leaf->attempt[number];
    perm_chunked chunked = {.chunks = 1};
    const bool splits = can_split(way);
    if (splits)
        BASE_TRY(open_chunks(context, task, way, solver->options, &chunked));
    if (number >= leaf->attempts) {
        snprintf(attempt->method, sizeof attempt->method, "%s", way->name);
        attempt->subsets = count_subsets(task, way, &chunked);
        BASE_TRY(perm_sum_start(context, &attempt->sum, chunked.chunks, part_of(solver),
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
    if (!can_split(chosen))
        return 1;
    return (double)workers * (is_split(solver) ? (double)part_of(solver).count : 1);
}

static base_status emit(base_context *context, const perm_matrix *matrix, const perm_options *options) {
    char *source;
    base_status status = perm_emit_source(context, matrix, options->kernel, &source);
    if (status == BASE_OK)
        status = options->emit(context, options->data, source);
    free(source);
    return status;
}

/* Devices that are asked for, or that the stream has been worth. */
static bool is_started(const perm_options *options) {
    return options->devices && (options->devices->choice == BASE_DEVICE_CUDA ||
                                (options->devices->choice == BASE_DEVICE_AUTO && options->spent &&
                                 options->spent->seconds > PERM_PLAN_WORTH_SECONDS));
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
    const perm_plan_options wanted = {.kernel = options->kernel,
                                      .precision = options->precision,
                                      .list = options->list,
                                      .started = is_started(options),
                                      .devices = options->devices};
    base_status status = BASE_OK;
    perm_plan plan = {.count = 0};
    const task task = {matrix, &plan, NULL};
    perm_leaf *leaf = perm_answer_leaf(context, solver->answer, solver->leaf);
    if (!leaf)
        return BASE_MACHINE;
    if (leaf->is_done)
        goto done;
    if (options->emit) {
        BASE_TRY(emit(context, matrix, options));
        goto done;
    }
    if (options->batch && options->kernel && strcmp(options->kernel, "dense-cuda") == 0) {
        BASE_TRY(perm_batch_defer(context, options->batch, matrix, solver->answer, solver->leaf, 0));
        leaf->is_done = true;
        goto done;
    }
    BASE_TRY(perm_plan_make(context, matrix, &wanted, &plan));
    const perm_calibrations calibrations = calibrate(context, plan.chosen, options);
    tell_candidates(matrix, &plan, calibrations, options);
    if (options->list)
        goto done;
    BASE_TRY(perm_estimate_check(context, matrix->n, plan.chosen, calibrations,
                                 count_shares(context, plan.chosen, solver), options->most_seconds));
    const perm_candidate *second = second_try(&plan);
    leaf->cost_seconds = plan.chosen->seconds;
    leaf->bits = second && second->seconds <= PERM_DIGITS_SECONDS ? PERM_ANSWER_BITS : PERM_ANSWER_FEW_BITS;
    if (options->batch && !is_for_batch(&plan))
        BASE_TRY(BASE_STOPPED);
    if (options->batch && plan.chosen->method == PERM_DENSE_CUDA) {
        BASE_TRY(perm_batch_defer(context, options->batch, matrix, solver->answer, solver->leaf,
                                  second && may_need_second(solver, &plan) ? leaf->bits : 0));
        leaf->cost_seconds = plan.chosen->seconds;
        leaf->is_done = true;
        goto done;
    }
    BASE_TRY(run_attempt(context, &task, plan.chosen, solver, leaf, 0));
    if (second && needs_second(solver, &plan, leaf)) {
        perm_solve_tell(options, true, "%s: too few digits are left, again by %s", plan.chosen->name,
                        second->name);
        BASE_TRY(run_attempt(context, &task, second, solver, leaf, 1));
    }
    leaf->is_done = true;
done:
    solver->leaf++;
    perm_plan_free(&plan);
    return status;
}

base_status perm_solve_lines(base_context *context, const perm_lines *lines, double seconds,
                             perm_solver *solver) {
    const task task = {.lines = lines};
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
    BASE_TRY(run_attempt(context, &task, &way, solver, leaf, 0));
    leaf->is_done = true;
done:
    solver->leaf++;
    return status;
}
