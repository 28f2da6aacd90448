/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/solve/solve.h"
#include "base/run/progress.h"
#include "mm/metadata/metadata.h"
#include "mm/metadata/piece.h"
#include "perm/matrix/multiplicities.h"
#include "perm/solve/block.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void perm_result_init(perm_result *result) {
    *result = (perm_result){.blocks = 0};
    perm_value_init(&result->value);
    strcpy(result->method, "reduction");
}

void perm_result_free(perm_result *result) {
    if (result != NULL)
        perm_value_free(&result->value);
}

static base_status solve(base_context *context, const mm_sparse *matrix, const perm_options *options,
                         const perm_counts *counts, perm_partial_result *partial_result) {
    base_status status;
    perm_solver solver = {.options = options, .partial_result = partial_result};
    const bool is_counted = counts != NULL && (counts->row != NULL || counts->column != NULL);
    partial_result->n = matrix->ncol;
    partial_result->nnz = matrix->nnz;
    partial_result->digits = perm_precision_digits(options->precision);
    if (matrix->nrow == matrix->ncol && !is_counted)
        BASE_TRY(perm_solve_square(context, matrix, &solver));
    else
        BASE_TRY(perm_solve_rectangular(context, matrix, counts, &solver));
    partial_result->is_whole = true;
done:
    return status;
}

static void add_rounding(const perm_partial_result *partial_result, perm_value *value) {
    if (partial_result->rounded.mantissa == 0)
        return;
    perm_bound absolute = partial_result->absolute;
    if (absolute.mantissa == 0)
        absolute = perm_bound_add(perm_bound_of(value), value->error);
    const perm_bound perturbation = perm_bound_multiply(partial_result->rounded, absolute),
                     estimate = perm_bound_add(perm_value_estimate(value), perturbation);
    value->error = perm_bound_add(value->error, perturbation);
    perm_value_set_estimate(value, estimate);
    perm_value_round(value);
}

void perm_solve_finish(const perm_partial_result *partial_result, perm_result *result) {
    result->n = partial_result->n;
    result->nnz = partial_result->nnz;
    result->digits = partial_result->digits;
    if (partial_result->is_singular) {
        strcpy(result->method, "structure");
        perm_value_set_integer(&result->value, 0);
        return;
    }
    perm_value_copy(&result->value, &partial_result->factor);
    for (int64_t i = 0; i < partial_result->count; i++) {
        const perm_block_result *block_result = &partial_result->block_result[i];
        perm_value value;
        int counted;
        if (block_result->block_runs == 0)
            continue;
        perm_value_init(&value);
        perm_block_result_value(block_result, &value, &counted);
        perm_value_multiply(&result->value, &value);
        perm_value_free(&value);
        result->blocks++;
        for (int k = 0; k <= counted; k++) {
            const perm_block_run *block_run = &block_result->block_run[k];
            result->states += block_run->states;
            result->transitions += block_run->transitions;
            result->subsets += block_run->subsets;
            result->bytes = block_run->bytes > result->bytes ? block_run->bytes : result->bytes;
        }
        if (block_result->cost_seconds > result->cost) {
            result->cost = block_result->cost_seconds;
            strcpy(result->method, block_result->block_run[counted].method);
        }
    }
    perm_value_divide_factorial(&result->value, partial_result->ones);
    add_rounding(partial_result, &result->value);
    if (partial_result->field == MM_PATTERN || partial_result->field == MM_INTEGER)
        perm_value_round_to_integer(&result->value);
}

base_status perm_solve(base_context *context, const mm_sparse *matrix, const perm_options *options,
                       const perm_counts *counts, perm_result *result) {
    perm_partial_result partial_result;
    perm_partial_result_init(&partial_result);
    partial_result.field = matrix->field;
    base_status status = solve(context, matrix, options, counts, &partial_result);
    if (status == BASE_OK)
        perm_solve_finish(&partial_result, result);
    perm_partial_result_free(&partial_result);
    return status;
}

/* Entries that were rounded `times` times, each time by at most 2^-53 of themselves, change the permanent by
 * at most ((1 + 2^-53)^(n·times) - 1)·perm(|A|). */
static base_status count_rounding(base_context *context, const mm_sparse *sparse, double times,
                                  perm_partial_result *partial_result) {
    base_status status;
    perm_matrix matrix = {0};
    double log2_bound = 0;
    BASE_TRY(perm_matrix_from_sparse(context, sparse, &matrix));
    partial_result->rounded = perm_bound_from_double(expm1(1.01 * times * (double)matrix.n * 0x1p-53));
    partial_result->absolute = (perm_bound){0, 0};
    if (!perm_matrix_look(&matrix).nonnegative) {
        BASE_TRY(perm_matrix_bound_log2(context, &matrix, &log2_bound));
        double whole = ceil(log2_bound);
        partial_result->absolute = perm_bound_from_double(whole < -1e200 ? 0 : exp2(log2_bound - whole));
        partial_result->absolute.exponent += partial_result->absolute.mantissa == 0 ? 0 : (int64_t)whole;
    }
done:
    perm_matrix_free(&matrix);
    return status;
}

void perm_solve_begin_limit(base_context *context, const perm_options *options) {
    context->deadline_seconds =
        options->limit_seconds > 0 ? base_clock_seconds() + options->limit_seconds : 0;
}

/* A record that is left for later, in a batch, stops too, and has not failed. */
base_status perm_solve_end_limit(base_context *context, const perm_options *options, base_status status) {
    const bool is_over = base_is_overdue(context);
    context->deadline_seconds = 0;
    if (status != BASE_STOPPED || !is_over || !options->keep_going || options->batch != NULL)
        return status;
    context->error.status = BASE_FAILED;
    return BASE_FAILED;
}

/* A block of a matrix without a perfect matching, which need not be square. */
static bool is_marked_singular(const mm_record *record) {
    char singular[8];
    return mm_metadata_get(record, "dm.singular", singular, sizeof singular) && strcmp(singular, "1") == 0;
}

base_status perm_solve_part(base_context *context, const mm_record *record, const perm_options *options,
                            perm_partial_result *partial_result) {
    base_status status = BASE_OK;
    const double start = base_clock_seconds();
    char rounded[32];
    mm_sparse matrix = {0};
    perm_counts counts = {NULL, NULL};
    perm_solve_begin_limit(context, options);
    if (options->work != NULL)
        BASE_TRY(perm_work_begin(context, options->work, record, partial_result));
    partial_result->field = mm_piece_field(record);
    if (partial_result->is_whole)
        goto done;
    BASE_TRY(
        mm_sparse_from_record(context, record, (mm_sparse_options){.orientation = MM_BY_COLUMNS}, &matrix));
    BASE_TRY(perm_counts_get(context, record, options->row_list, options->column_list, &counts));
    if (is_marked_singular(record) && counts.row == NULL && counts.column == NULL) {
        partial_result->n = matrix.ncol;
        partial_result->nnz = matrix.nnz;
        partial_result->is_whole = partial_result->is_singular = true;
    } else {
        const bool is_rounded = mm_metadata_get(record, "rounded", rounded, sizeof rounded);
        if (is_rounded && options->precision.has_decimals)
            BASE_TRY(base_fail(context, BASE_FAILED,
                               "entries were rounded (%% rounded): not the decimals that were written"));
        if (is_rounded)
            BASE_TRY(count_rounding(context, &matrix, strtod(rounded, NULL), partial_result));
        BASE_TRY(solve(context, &matrix, options, &counts, partial_result));
    }
    partial_result->seconds += base_clock_seconds() - start;
done:
    perm_counts_free(&counts);
    mm_sparse_free(&matrix);
    status = perm_solve_end_limit(context, options, status);
    if (options->work != NULL) {
        base_status ended = perm_work_end(context, options->work, status != BASE_OK);
        status = status == BASE_OK ? ended : status;
    }
    return status;
}

base_status perm_solve_record(base_context *context, const mm_record *record, const perm_options *options,
                              perm_result *result) {
    perm_partial_result partial_result;
    if (options->compute != NULL)
        return options->compute(context, options->log.data, record, result);
    perm_partial_result_init(&partial_result);
    base_status status = perm_solve_part(context, record, options, &partial_result);
    if (options->cost_history != NULL)
        perm_cost_history_add(options->cost_history, &partial_result);
    if (status == BASE_OK)
        perm_solve_finish(&partial_result, result);
    perm_partial_result_free(&partial_result);
    return status;
}
