#include "perm/solve.h"
#include "base/memory.h"
#include "dm/dm.h"
#include "perm/exact.h"
#include "perm/plan.h"
#include "perm/product.h"
#include "perm/reduce.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A value whose bound is larger than this share of it, 1e-12, is computed again with more digits. */
enum { WANTED_BITS = 40 };

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

static bool is_good(const perm_value *value) {
    perm_bound wanted = perm_bound_of(value);
    wanted.exponent -= WANTED_BITS;
    return perm_bound_at_most(value->error, wanted);
}

static base_status run_frontier(base_context *context, const perm_matrix *matrix, const perm_plan *plan,
                                const perm_candidate *way, const perm_options *options, perm_value *value,
                                perm_result *result) {
    base_status status = BASE_OK;
    perm_frontier_stats stats;
    const perm_schedule *schedule = &plan->schedule;
    tell(options, true, "frontier: at most %.4g states, %.4g transitions, %.3g MiB", schedule->bound.states,
         schedule->bound.transitions, way->bytes / 0x1p20);
    BASE_TRY(perm_frontier_run(context, matrix, schedule, way->arithmetic, value, &stats));
    if (way->method == PERM_FRONTIER && !is_good(value)) {
        int64_t bytes;
        BASE_TRY(perm_frontier_state_bytes(context, matrix, schedule, PERM_EXACT, &bytes));
        bool exact = stats.transitions * (double)bytes / 8 < exact_limit &&
                     stats.peak_states * (double)bytes < (double)context->memory_bytes / 2;
        tell(options, true, "frontier: doubles leave too few digits, again %s",
             exact ? "with exact numbers" : "with 113 bits");
        BASE_TRY(perm_frontier_run(context, matrix, schedule, exact ? PERM_EXACT : PERM_QUAD, value, &stats));
    }
    result->states += stats.states;
    result->transitions += stats.transitions;
    result->bytes = stats.peak_bytes > result->bytes ? stats.peak_bytes : result->bytes;
done:
    return status;
}

static base_status run_dense(base_context *context, const perm_matrix *matrix, const char *kernel,
                             perm_value *value) {
    base_status status = BASE_OK;
    perm_dense_matrix entries = {.n = 0};
    perm_dense_result sum;
    perm_value low;
    perm_value_init(&low);
    BASE_TRY(perm_plan_dense_init(context, matrix, &entries));
    BASE_TRY(perm_dense_permanent(context, &entries, kernel, &sum));
    perm_value_set_complex(value, sum.high[0], entries.is_complex ? sum.high[1] : 0);
    perm_value_set_complex(&low, sum.low[0], entries.is_complex ? sum.low[1] : 0);
    perm_value_add(value, &low);
    value->error = perm_bound_from_double(sum.error);
    perm_value_scale(value, sum.exponent);
    perm_value_round(value);
done:
    perm_value_free(&low);
    perm_plan_dense_free(&entries);
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

static base_status run_block(base_context *context, const perm_matrix *matrix, const perm_options *options,
                             perm_value *value, perm_result *result) {
    base_status status = BASE_OK;
    perm_plan plan = {.count = 0};
    BASE_TRY(perm_plan_make(context, matrix, options->kernel, options->list, &plan));
    tell_candidates(matrix, &plan, options);
    if (options->list)
        goto done;
    result->blocks++;
    if (plan.chosen->seconds > result->cost) {
        result->cost = plan.chosen->seconds;
        snprintf(result->method, sizeof result->method, "%s", plan.chosen->name);
    }
    if (plan.chosen->method == PERM_GRAY || plan.chosen->method == PERM_DENSE)
        result->subsets += ldexp(1, (int)matrix->n - 1);
    if (plan.chosen->method == PERM_GRAY)
        BASE_TRY(perm_exact_permanent(context, matrix, plan.chosen->name, value));
    else if (plan.chosen->method == PERM_DENSE)
        BASE_TRY(run_dense(context, matrix, plan.chosen->name, value));
    else
        BASE_TRY(run_frontier(context, matrix, &plan, plan.chosen, options, value, result));
    const perm_candidate *second = second_try(&plan);
    if (plan.chosen->method == PERM_DENSE && !options->kernel && !is_good(value) && second) {
        tell(options, true, "dense: too few digits are left, again by %s", second->name);
        if (second->method == PERM_GRAY)
            BASE_TRY(perm_exact_permanent(context, matrix, second->name, value));
        else
            BASE_TRY(run_frontier(context, matrix, &plan, second, options, value, result));
        snprintf(result->method, sizeof result->method, "%s", second->name);
    }
done:
    perm_plan_free(&plan);
    return status;
}

/* ---- all of them
 * ------------------------------------------------------------------------------------------- */

/* Multiplies `product` by the permanent of a block. */
static base_status solve_block(base_context *context, const mm_sparse *block, const perm_options *options,
                               perm_product *product, perm_result *result) {
    base_status status = BASE_OK;
    perm_matrix matrix = {0}, reduced = {0};
    perm_value factor, value;
    perm_value_init(&factor);
    perm_value_init(&value);
    BASE_TRY(perm_matrix_from_sparse(context, block, &matrix));
    if (!options->raw) {
        BASE_TRY(perm_reduce(context, &matrix, &reduced, &factor));
        perm_product_take(product, &factor);
        if (reduced.n == 0)
            goto done;
    }
    perm_value_set_integer(&value, 1);
    BASE_TRY(run_block(context, options->raw ? &matrix : &reduced, options, &value, result));
    perm_product_take(product, &value);
done:
    perm_value_free(&factor);
    perm_value_free(&value);
    perm_matrix_free(&matrix);
    perm_matrix_free(&reduced);
    return status;
}

base_status perm_solve(base_context *context, const mm_sparse *matrix, const perm_options *options,
                       perm_result *result) {
    base_status status = BASE_OK;
    dm_decomposition parts = {0};
    mm_sparse block = {0};
    perm_product product;
    perm_product_init(&product);
    if (matrix->nrow != matrix->ncol)
        BASE_TRY(base_fail(context, BASE_FAILED, "not square: %lld rows, %lld columns",
                           (long long)matrix->nrow, (long long)matrix->ncol));
    if (options->raw) {
        BASE_TRY(solve_block(context, matrix, options, &product, result));
    } else {
        BASE_TRY(dm_decompose(context, matrix, &parts));
        if (!dm_is_full_rank(&parts)) {
            strcpy(result->method, "structure");
            tell(options, false, "structural rank %lld of %lld: no perfect matching",
                 (long long)parts.structural_rank, (long long)matrix->nrow);
            perm_value_set_integer(&result->value, 0);
            goto done;
        }
        tell(options, false, "%lld blocks, the largest of order %lld", (long long)parts.nblock,
             (long long)parts.largest_block);
        for (int64_t b = 0; b < parts.nblock; b++) {
            BASE_TRY(dm_extract_block(context, matrix, &parts, b, &block));
            BASE_TRY(solve_block(context, &block, options, &product, result));
            mm_sparse_free(&block);
        }
    }
    perm_product_finish(&product, &result->value);
done:
    perm_product_free(&product);
    mm_sparse_free(&block);
    dm_free(&parts);
    return status;
}
