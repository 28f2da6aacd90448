#include "perm/solve.h"
#include "base/progress.h"
#include "dm/dm.h"
#include "mm/metadata.h"
#include "perm/chunks.h"
#include "perm/plan.h"
#include "perm/product.h"
#include "perm/reduce.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Exact arithmetic is used for that only up to this many word operations; then 113 bits must do. */
static const double exact_limit = 2e10;

/* What a dense result without enough digits is worth. */
static const double second_try_seconds = 10;

void perm_result_init(perm_result *result) {
    *result = (perm_result){.blocks = 0};
    perm_value_init(&result->value);
    strcpy(result->method, "reduction");
}

void perm_result_free(perm_result *result) {
    if (result)
        perm_value_free(&result->value);
}

__attribute__((format(printf, 3, 4))) static void tell(const perm_options *options, bool detail,
                                                       const char *format, ...) {
    char line[512];
    va_list arguments;
    if (!options->tell)
        return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    options->tell(options->data, detail, line);
}

/* ---- one block
 * --------------------------------------------------------------------------------------------- */

static base_status run_frontier(base_context *context, const perm_matrix *matrix, const perm_plan *plan,
                                const perm_candidate *way, const perm_options *options, perm_value *value,
                                perm_attempt *attempt) {
    base_status status = BASE_OK;
    perm_frontier_stats stats;
    const perm_schedule *schedule = &plan->schedule;
    tell(options, true, "frontier: at most %.4g states, %.4g transitions, %.3g MiB", schedule->bound.states,
         schedule->bound.transitions, way->bytes / 0x1p20);
    BASE_TRY(perm_frontier_run(context, matrix, schedule, way->arithmetic, value, &stats));
    if (way->method == PERM_FRONTIER && !perm_answer_is_good(value)) {
        int64_t bytes;
        BASE_TRY(perm_frontier_state_bytes(context, matrix, schedule, PERM_EXACT, &bytes));
        bool exact = stats.transitions * (double)bytes / 8 < exact_limit &&
                     stats.peak_states * (double)bytes < (double)context->memory_bytes / 2;
        tell(options, true, "frontier: doubles leave too few digits, again %s",
             exact ? "with exact numbers" : "with 113 bits");
        BASE_TRY(perm_frontier_run(context, matrix, schedule, exact ? PERM_EXACT : PERM_QUAD, value, &stats));
    }
    attempt->states = stats.states;
    attempt->transitions = stats.transitions;
    attempt->bytes = stats.peak_bytes;
done:
    return status;
}

static void tell_candidates(const perm_matrix *matrix, const perm_plan *plan, const perm_options *options) {
    tell(options, false,
         "block of order %lld with %lld entries; %s order, frontier %lld wide, at most %.4g states",
         (long long)matrix->n, (long long)matrix->nnz, plan->order.by_columns ? "column" : "row",
         (long long)plan->order.cost.width, plan->order.cost.states);
    for (int i = 0; i < plan->count; i++) {
        const perm_candidate *candidate = &plan->candidate[i];
        if (candidate->seconds > 0)
            tell(options, false, "  %-16s %10.3g s %10.3g MiB%s", candidate->name, candidate->seconds,
                 candidate->bytes / 0x1p20, candidate == plan->chosen ? "  chosen" : "");
        else
            tell(options, false, "  %-16s %s", candidate->name, candidate->reason);
    }
}

/* The cheapest method that may have more digits than the dense one, if it is worth it. */
static const perm_candidate *second_try(const perm_plan *plan) {
    const perm_candidate *best = NULL;
    for (int i = 0; i < plan->count; i++) {
        const perm_candidate *candidate = &plan->candidate[i];
        if ((candidate->method == PERM_FRONTIER || candidate->method == PERM_GRAY) &&
            candidate->seconds > 0 && candidate->seconds < second_try_seconds &&
            (!best || candidate->seconds < best->seconds))
            best = candidate;
    }
    return best;
}

/* What a matrix is being solved with. */
typedef struct solver {
    const perm_options *options;
    perm_answer *answer;
    int64_t leaf; /* number of the next one */
} solver;

static base_part part_of(const solver *solver) {
    return solver->options->work ? solver->options->work->part : (base_part){0, 0};
}

static bool is_split(const solver *solver) {
    return part_of(solver).count > 1;
}

static base_status open_chunks(base_context *context, const perm_matrix *matrix, const perm_candidate *way,
                               const perm_options *options, perm_chunked *chunked) {
    bool verify = options->work && options->work->verify;
    if (way->method == PERM_GRAY)
        return perm_chunked_exact(context, matrix, way->name, verify, chunked);
    return perm_chunked_dense(context, matrix, way->name, verify, chunked);
}

/* A method that cannot be split is a chunk. */
static base_status run_whole(base_context *context, const perm_matrix *matrix, const perm_plan *plan,
                             const perm_candidate *way, const perm_options *options, perm_attempt *attempt) {
    perm_value value;
    if (attempt->sum.left == 0)
        return BASE_OK;
    perm_value_init(&value);
    base_status status = run_frontier(context, matrix, plan, way, options, &value, attempt);
    if (status == BASE_OK)
        perm_sum_add(&attempt->sum, 0, &value, NULL);
    perm_value_free(&value);
    return status;
}

/* Begins with an attempt or goes on with one from a state, until this part's share of it is done. */
static base_status run_attempt(base_context *context, const perm_matrix *matrix, const perm_plan *plan,
                               const perm_candidate *way, const solver *solver, perm_leaf *leaf, int number) {
    base_status status = BASE_OK;
    perm_attempt *attempt = &leaf->attempt[number];
    perm_chunked chunked = {.chunks = 1};
    const bool splits = way->method == PERM_GRAY || way->method == PERM_DENSE;
    if (splits)
        BASE_TRY(open_chunks(context, matrix, way, solver->options, &chunked));
    if (number >= leaf->attempts) {
        snprintf(attempt->method, sizeof attempt->method, "%s", way->name);
        attempt->subsets = splits ? ldexp(1, (int)matrix->n - 1) : 0;
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
        BASE_TRY(perm_chunks_run(context, &chunked, solver->options->work, &attempt->sum));
    else
        BASE_TRY(run_whole(context, matrix, plan, way, solver->options, attempt));
    BASE_TRY(perm_work_pause(context, solver->options->work));
done:
    perm_chunked_free(&chunked);
    return status;
}

/* Whether a second attempt is needed. Where this is only a part nobody knows yet: then it is made. */
static bool needs_second(const solver *solver, const perm_plan *plan, const perm_leaf *leaf) {
    int counted;
    perm_value value;
    if (plan->chosen->method != PERM_DENSE || solver->options->kernel)
        return false;
    if (is_split(solver) || leaf->attempts == 2)
        return true;
    perm_value_init(&value);
    perm_leaf_value(leaf, &value, &counted);
    bool good = perm_answer_is_good(&value);
    perm_value_free(&value);
    return !good;
}

static base_status check_time(base_context *context, const perm_matrix *matrix, const perm_candidate *chosen,
                              const solver *solver) {
    const double most = solver->options->most_seconds;
    double seconds = chosen->seconds;
    if (chosen->method == PERM_DENSE || chosen->method == PERM_GRAY)
        seconds /= (double)context->threads * (is_split(solver) ? (double)part_of(solver).count : 1);
    if (most <= 0 || seconds <= most)
        return BASE_OK;
    return base_fail(context, BASE_FAILED,
                     "a block of order %lld would take %s about %.3g seconds, %.3g are allowed",
                     (long long)matrix->n, chosen->name, seconds, most);
}

static base_status run_block(base_context *context, const perm_matrix *matrix, solver *solver) {
    const perm_options *options = solver->options;
    base_status status = BASE_OK;
    perm_plan plan = {.count = 0};
    perm_leaf *leaf = perm_answer_leaf(context, solver->answer, solver->leaf);
    if (!leaf)
        return BASE_MACHINE;
    if (leaf->is_done)
        goto done;
    BASE_TRY(perm_plan_make(context, matrix, options->kernel, options->list, &plan));
    tell_candidates(matrix, &plan, options);
    if (options->list)
        goto done;
    BASE_TRY(check_time(context, matrix, plan.chosen, solver));
    leaf->cost_seconds = plan.chosen->seconds;
    BASE_TRY(run_attempt(context, matrix, &plan, plan.chosen, solver, leaf, 0));
    const perm_candidate *second = second_try(&plan);
    if (second && needs_second(solver, &plan, leaf)) {
        tell(options, true, "dense: too few digits are left, again by %s", second->name);
        BASE_TRY(run_attempt(context, matrix, &plan, second, solver, leaf, 1));
    }
    leaf->is_done = true;
done:
    solver->leaf++;
    perm_plan_free(&plan);
    return status;
}

/* ---- all of them
 * ------------------------------------------------------------------------------------------- */

/* Multiplies `product` by what reduction takes out of a block, and solves the rest of it. */
static base_status solve_block(base_context *context, const mm_sparse *block, solver *solver,
                               perm_product *product) {
    base_status status = BASE_OK;
    const bool raw = solver->options->raw;
    perm_matrix matrix = {0}, reduced = {0};
    perm_value factor;
    perm_value_init(&factor);
    BASE_TRY(perm_matrix_from_sparse(context, block, &matrix));
    if (!raw) {
        BASE_TRY(perm_reduce(context, &matrix, &reduced, &factor));
        perm_product_take(product, &factor);
    }
    if (raw || reduced.n > 0)
        BASE_TRY(run_block(context, raw ? &matrix : &reduced, solver));
done:
    perm_value_free(&factor);
    perm_matrix_free(&matrix);
    perm_matrix_free(&reduced);
    return status;
}

static base_status solve_blocks(base_context *context, const mm_sparse *matrix, solver *solver,
                                perm_product *product) {
    base_status status = BASE_OK;
    const perm_options *options = solver->options;
    dm_decomposition parts = {0};
    mm_sparse block = {0};
    BASE_TRY(dm_decompose(context, matrix, &parts));
    if (!dm_is_full_rank(&parts)) {
        solver->answer->is_singular = true;
        tell(options, false, "structural rank %lld of %lld: no perfect matching",
             (long long)parts.structural_rank, (long long)matrix->nrow);
        goto done;
    }
    tell(options, false, "%lld blocks, the largest of order %lld", (long long)parts.nblock,
         (long long)parts.largest_block);
    for (int64_t b = 0; b < parts.nblock; b++) {
        BASE_TRY(dm_extract_block(context, matrix, &parts, b, &block));
        BASE_TRY(solve_block(context, &block, solver, product));
        mm_sparse_free(&block);
    }
done:
    mm_sparse_free(&block);
    dm_free(&parts);
    return status;
}

static base_status solve(base_context *context, const mm_sparse *matrix, const perm_options *options,
                         perm_answer *answer) {
    base_status status = BASE_OK;
    solver solver = {options, answer, 0};
    perm_product product;
    perm_product_init(&product);
    answer->n = matrix->ncol;
    answer->nnz = matrix->nnz;
    if (matrix->nrow != matrix->ncol)
        BASE_TRY(base_fail(context, BASE_FAILED, "not square: %lld rows, %lld columns",
                           (long long)matrix->nrow, (long long)matrix->ncol));
    BASE_TRY(options->raw ? solve_block(context, matrix, &solver, &product)
                          : solve_blocks(context, matrix, &solver, &product));
    perm_product_finish(&product, &answer->factor);
    answer->is_whole = true;
done:
    perm_product_free(&product);
    return status;
}

static void add_rounding(const perm_answer *answer, perm_value *value) {
    if (answer->rounded.mantissa == 0)
        return;
    perm_bound absolute = answer->absolute;
    if (absolute.mantissa == 0)
        absolute = perm_bound_add(perm_bound_of(value), value->error);
    value->error = perm_bound_add(value->error, perm_bound_multiply(answer->rounded, absolute));
    perm_value_round(value);
}

void perm_solve_finish(const perm_answer *answer, perm_result *result) {
    result->n = answer->n;
    result->nnz = answer->nnz;
    if (answer->is_singular) {
        strcpy(result->method, "structure");
        perm_value_set_integer(&result->value, 0);
        return;
    }
    perm_value_copy(&result->value, &answer->factor);
    for (int64_t i = 0; i < answer->count; i++) {
        const perm_leaf *leaf = &answer->leaf[i];
        perm_value value;
        int counted;
        if (leaf->attempts == 0)
            continue;
        perm_value_init(&value);
        perm_leaf_value(leaf, &value, &counted);
        perm_value_multiply(&result->value, &value);
        perm_value_free(&value);
        result->blocks++;
        for (int k = 0; k <= counted; k++) {
            const perm_attempt *attempt = &leaf->attempt[k];
            result->states += attempt->states;
            result->transitions += attempt->transitions;
            result->subsets += attempt->subsets;
            result->bytes = attempt->bytes > result->bytes ? attempt->bytes : result->bytes;
        }
        if (leaf->cost_seconds > result->cost) {
            result->cost = leaf->cost_seconds;
            strcpy(result->method, leaf->attempt[counted].method);
        }
    }
    add_rounding(answer, &result->value);
}

base_status perm_solve(base_context *context, const mm_sparse *matrix, const perm_options *options,
                       perm_result *result) {
    perm_answer answer;
    perm_answer_init(&answer);
    base_status status = solve(context, matrix, options, &answer);
    if (status == BASE_OK)
        perm_solve_finish(&answer, result);
    perm_answer_free(&answer);
    return status;
}

/* Entries that were rounded `times` times, each time by at most 2^-53 of themselves, change the permanent by
 * at most ((1 + 2^-53)^(n·times) - 1)·perm(|A|). */
static base_status count_rounding(base_context *context, const mm_sparse *sparse, double times,
                                  perm_answer *answer) {
    base_status status;
    perm_matrix matrix = {0};
    double log2_bound = 0;
    BASE_TRY(perm_matrix_from_sparse(context, sparse, &matrix));
    answer->rounded = perm_bound_from_double(expm1(1.01 * times * (double)matrix.n * 0x1p-53));
    answer->absolute = (perm_bound){0, 0};
    if (!perm_matrix_look(&matrix).nonnegative) {
        BASE_TRY(perm_matrix_bound_log2(context, &matrix, &log2_bound));
        double whole = ceil(log2_bound);
        answer->absolute = perm_bound_from_double(whole < -1e200 ? 0 : exp2(log2_bound - whole));
        answer->absolute.exponent += answer->absolute.mantissa == 0 ? 0 : (int64_t)whole;
    }
done:
    perm_matrix_free(&matrix);
    return status;
}

/* A block of a matrix without a perfect matching, which need not be square. */
static bool is_marked_singular(const mm_record *record) {
    char singular[8];
    return mm_metadata_get(record, "dm.singular", singular, sizeof singular) && strcmp(singular, "1") == 0;
}

base_status perm_solve_part(base_context *context, const mm_record *record, const perm_options *options,
                            perm_answer *answer) {
    base_status status = BASE_OK;
    const double start = base_clock_seconds();
    char rounded[32];
    mm_sparse matrix = {0};
    if (options->work)
        BASE_TRY(perm_work_begin(context, options->work, record, answer));
    if (answer->is_whole)
        goto done;
    BASE_TRY(
        mm_sparse_from_record(context, record, (mm_sparse_options){.orientation = MM_BY_COLUMNS}, &matrix));
    if (is_marked_singular(record)) {
        answer->n = matrix.ncol;
        answer->nnz = matrix.nnz;
        answer->is_whole = answer->is_singular = true;
    } else {
        if (mm_metadata_get(record, "rounded", rounded, sizeof rounded))
            BASE_TRY(count_rounding(context, &matrix, strtod(rounded, NULL), answer));
        BASE_TRY(solve(context, &matrix, options, answer));
    }
    answer->seconds += base_clock_seconds() - start;
done:
    mm_sparse_free(&matrix);
    if (options->work) {
        base_status ended = perm_work_end(context, options->work, status != BASE_OK);
        status = status == BASE_OK ? ended : status;
    }
    return status;
}

base_status perm_solve_record(base_context *context, const mm_record *record, const perm_options *options,
                              perm_result *result) {
    perm_answer answer;
    if (options->answer)
        return options->answer(context, options->data, record, result);
    perm_answer_init(&answer);
    base_status status = perm_solve_part(context, record, options, &answer);
    if (status == BASE_OK)
        perm_solve_finish(&answer, result);
    perm_answer_free(&answer);
    return status;
}
