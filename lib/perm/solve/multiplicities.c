/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices with multiplicities, and rectangular ones: one sum at once, or a square matrix (block.h). */
#include "perm/matrix/multiplicities.h"
#include "perm/multiplicities/multiplicities.h"
#include "perm/solve/block.h"

#include <stdlib.h>
#include <string.h>

/* A square matrix of a larger order is not made. */
enum { EXPANDED_MOST = 256 };

/* So short a sum needs nothing better. */
static const double at_once_seconds = 1e-2;

static int64_t order_of(const perm_rectangular *rectangular) {
    return rectangular->nrow > rectangular->ncol ? rectangular->nrow : rectangular->ncol;
}

/* Whether the sum over multiplicities is to be taken at once; the planner weighs it otherwise. */
static bool takes_sum(const perm_options *options, const perm_rectangular *rectangular, double seconds) {
    const perm_precision_kind kind = options->precision.kind;
    if (options->precision.has_decimals)
        return false;
    if (options->kernel != NULL)
        return strcmp(options->kernel, perm_multiplicities_method.name) == 0;
    if (kind != PERM_PRECISION_ANY && kind != PERM_PRECISION_EXACT)
        return false;
    return order_of(rectangular) > EXPANDED_MOST || (seconds < at_once_seconds && !options->list);
}

/* *taken false leaves the work to perm_solve_square. */
static base_status try_sum(base_context *context, const perm_rectangular *rectangular, perm_solver *solver,
                           bool *taken) {
    base_status status;
    perm_distinct distinct = {0};
    perm_multiplicities multiplicities = {.is_ready = false};
    *taken = false;
    BASE_TRY(perm_rectangular_distinct(context, rectangular, &distinct));
    status = perm_multiplicities_init(context, &distinct, &multiplicities);
    if (status == BASE_FAILED && order_of(rectangular) <= EXPANDED_MOST)
        status = BASE_OK;
    else if (status == BASE_OK)
        *taken = takes_sum(solver->options, rectangular, multiplicities.seconds);
    if (status != BASE_OK || !*taken)
        goto done;
    perm_log_line(
        &solver->options->log, false,
        "%lld rows and %lld columns, of which %lld and %lld differ; multiplicities: %.4g terms, %.3g s",
        (long long)rectangular->nrow, (long long)rectangular->ncol, (long long)distinct.nrow,
        (long long)distinct.ncol, multiplicities.terms, multiplicities.seconds);
    BASE_TRY(perm_solve_distinct(context, &distinct, multiplicities.seconds, solver));
    perm_value_set_integer(&solver->partial_result->factor, 1);
done:
    perm_multiplicities_free(&multiplicities);
    perm_distinct_free(&distinct);
    return status;
}

static base_status solve_expanded(base_context *context, const perm_rectangular *rectangular,
                                  perm_solver *solver) {
    base_status status;
    mm_sparse square = {0};
    if (order_of(rectangular) > EXPANDED_MOST)
        return base_fail(context, BASE_FAILED,
                         "%lld rows and %lld columns, counted as often as they stand, are more than the %d "
                         "that methods other than 'multiplicities' take",
                         (long long)rectangular->nrow, (long long)rectangular->ncol, (int)EXPANDED_MOST);
    BASE_TRY(perm_rectangular_expand(context, rectangular, &square));
    BASE_TRY(perm_solve_square(context, &square, solver));
done:
    mm_sparse_free(&square);
    return status;
}

base_status perm_solve_rectangular(base_context *context, const mm_sparse *matrix, const perm_counts *counts,
                                   perm_solver *solver) {
    base_status status;
    perm_rectangular rectangular = {.nrow = 0};
    bool taken = false;
    if (solver->partial_result->rounded.mantissa != 0)
        return base_fail(context, BASE_FAILED,
                         "entries were rounded (%% rounded): the bound is known for square matrices only");
    BASE_TRY(perm_rectangular_make(context, matrix, counts, &rectangular));
    solver->partial_result->is_singular = rectangular.is_zero;
    solver->partial_result->ones = llabs(rectangular.nrow - rectangular.ncol);
    if (rectangular.is_zero)
        goto done;
    if (order_of(&rectangular) > 0)
        BASE_TRY(try_sum(context, &rectangular, solver, &taken));
    if (!taken)
        BASE_TRY(solve_expanded(context, &rectangular, solver));
done:
    perm_rectangular_free(&rectangular);
    return status;
}
