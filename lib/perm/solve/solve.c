#include "perm/solve/solve.h"
#include "base/run/progress.h"
#include "dm/dm.h"
#include "mm/metadata/metadata.h"
#include "mm/metadata/piece.h"
#include "perm/matrix/multiplicities.h"
#include "perm/matrix/reduce.h"
#include "perm/plan/plan.h"
#include "perm/solve/block.h"
#include "perm/value/product.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void perm_result_init(perm_result *result) {
    *result = (perm_result){.blocks = 0};
    perm_value_init(&result->value);
    strcpy(result->method, "reduction");
}

void perm_result_free(perm_result *result) {
    if (result)
        perm_value_free(&result->value);
}

/* Multiplies `product` by what reduction takes out of a block, and solves the rest of it. */
static base_status solve_block(base_context *context, const mm_sparse *block, perm_solver *solver,
                               perm_product *product) {
    base_status status = BASE_OK;
    bool raw = solver->options->raw || perm_reduce_would_nothing(block), taken = false;
    perm_matrix matrix = {0}, reduced = {0};
    perm_value factor;
    perm_value_init(&factor);
    if (!solver->options->list)
        BASE_TRY(perm_plan_check_size(context, block));
    solver->has_integers = block->field == MM_PATTERN || block->field == MM_INTEGER;
    if (raw)
        BASE_TRY(perm_solve_quick(context, block, solver, &taken));
    if (taken)
        goto done;
    BASE_TRY(perm_matrix_from_sparse(context, block, &matrix));
    /* Real entries that were scaled to integers need not be computed exactly. */
    if (solver->answer->field > matrix.field)
        matrix.field = solver->answer->field;
    if (solver->options->precision.has_decimals) {
        perm_matrix_take_decimals(&matrix, &factor);
        perm_product_take(product, &factor);
    }
    if (!raw) {
        BASE_TRY(perm_reduce(context, &matrix, &reduced, &factor));
        perm_product_take(product, &factor);
    }
    if (raw || reduced.n > 0)
        BASE_TRY(perm_solve_block(context, raw ? &matrix : &reduced, solver));
done:
    perm_value_free(&factor);
    perm_matrix_free(&matrix);
    perm_matrix_free(&reduced);
    return status;
}

static base_status solve_blocks(base_context *context, const mm_sparse *matrix, perm_solver *solver,
                                perm_product *product) {
    base_status status = BASE_OK;
    const perm_options *options = solver->options;
    dm_decomposition parts = {0};
    mm_sparse block = {0};
    BASE_TRY(dm_decompose(context, matrix, &parts));
    if (!dm_is_full_rank(&parts)) {
        solver->answer->is_singular = true;
        perm_solve_tell(options, false, "structural rank %lld of %lld: no perfect matching",
                        (long long)parts.structural_rank, (long long)matrix->nrow);
        goto done;
    }
    perm_solve_tell(options, false, "%lld blocks, the largest of order %lld", (long long)parts.nblock,
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

base_status perm_solve_square(base_context *context, const mm_sparse *matrix, perm_solver *solver) {
    base_status status;
    perm_product product;
    perm_product_init(&product);
    BASE_TRY(solver->options->raw ? solve_block(context, matrix, solver, &product)
                                  : solve_blocks(context, matrix, solver, &product));
    perm_product_finish(&product, &solver->answer->factor);
done:
    perm_product_free(&product);
    return status;
}

static base_status solve(base_context *context, const mm_sparse *matrix, const perm_options *options,
                         const perm_counts *counts, perm_answer *answer) {
    base_status status;
    perm_solver solver = {.options = options, .answer = answer};
    const bool is_counted = counts && (counts->row || counts->column);
    answer->n = matrix->ncol;
    answer->nnz = matrix->nnz;
    answer->digits = perm_precision_digits(options->precision);
    if (matrix->nrow == matrix->ncol && !is_counted)
        BASE_TRY(perm_solve_square(context, matrix, &solver));
    else
        BASE_TRY(perm_solve_shape(context, matrix, counts, &solver));
    answer->is_whole = true;
done:
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
    result->digits = answer->digits;
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
    perm_value_divide_factorial(&result->value, answer->ones);
    add_rounding(answer, &result->value);
    if (answer->field == MM_PATTERN || answer->field == MM_INTEGER)
        perm_value_settle(&result->value);
}

base_status perm_solve(base_context *context, const mm_sparse *matrix, const perm_options *options,
                       const perm_counts *counts, perm_result *result) {
    perm_answer answer;
    perm_answer_init(&answer);
    answer.field = matrix->field;
    base_status status = solve(context, matrix, options, counts, &answer);
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
    perm_counts counts = {NULL, NULL};
    if (options->work)
        BASE_TRY(perm_work_begin(context, options->work, record, answer));
    answer->field = mm_piece_field(record);
    if (answer->is_whole)
        goto done;
    BASE_TRY(
        mm_sparse_from_record(context, record, (mm_sparse_options){.orientation = MM_BY_COLUMNS}, &matrix));
    BASE_TRY(perm_counts_get(context, record, options->row_list, options->column_list, &counts));
    if (is_marked_singular(record) && !counts.row && !counts.column) {
        answer->n = matrix.ncol;
        answer->nnz = matrix.nnz;
        answer->is_whole = answer->is_singular = true;
    } else {
        const bool is_rounded = mm_metadata_get(record, "rounded", rounded, sizeof rounded);
        if (is_rounded && options->precision.has_decimals)
            BASE_TRY(base_fail(context, BASE_FAILED,
                               "entries were rounded (%% rounded): not the decimals that were written"));
        if (is_rounded)
            BASE_TRY(count_rounding(context, &matrix, strtod(rounded, NULL), answer));
        BASE_TRY(solve(context, &matrix, options, &counts, answer));
    }
    answer->seconds += base_clock_seconds() - start;
done:
    perm_counts_free(&counts);
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
    if (options->spent)
        perm_spent_add(options->spent, &answer);
    if (status == BASE_OK)
        perm_solve_finish(&answer, result);
    perm_answer_free(&answer);
    return status;
}
