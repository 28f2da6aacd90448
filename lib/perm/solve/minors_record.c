/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/solve/minors_record.h"
#include "base/core/memory.h"
#include "mm/metadata/metadata.h"
#include "mm/metadata/piece.h"
#include "perm/dense/chunks.h"
#include "perm/matrix/multiplicities.h"
#include "perm/matrix/record.h"
#include "perm/minors/minors.h"
#include "perm/plan/estimate.h"
#include "perm/solve/block.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Work for a minor that is computed alone, besides that of its method. */
static const double alone_seconds = 5e-3;

static const char *const family = "minors";

static base_status check(base_context *context, const mm_record *record, const perm_options *options) {
    base_status status;
    mm_piece piece;
    char text[32];
    perm_counts counts = {NULL, NULL};
    const char *reason = NULL;
    BASE_TRY(mm_piece_get(context, record, &piece));
    BASE_TRY(perm_counts_get(context, record, options->row_list, options->column_list, &counts));
    if (record->nrow != record->ncol)
        reason = "it is not square";
    else if (piece.depth > 0)
        reason = "it is a piece of a matrix";
    else if (counts.row != NULL || counts.column != NULL)
        reason = "its lines have multiplicities";
    else if (mm_metadata_get(record, "rounded", text, sizeof text))
        reason = "its entries were rounded (% rounded)";
    if (reason != NULL)
        status = base_fail(context, BASE_FAILED, "the minors of this matrix are not defined: %s", reason);
done:
    perm_counts_free(&counts);
    return status;
}

/* ---- the choice ---- */

static bool has_empty_line(const perm_matrix *matrix) {
    bool column_used[PERM_MINORS_LARGEST] = {false}, empty = false;
    for (int64_t i = 0; i < matrix->n; i++) {
        empty = empty || matrix->start[i] == matrix->start[i + 1];
        for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++)
            column_used[matrix->index[e]] = true;
    }
    for (int64_t i = 0; i < matrix->n; i++)
        empty = empty || !column_used[i];
    return empty;
}

static bool is_exact(const perm_matrix *matrix, const perm_options *options) {
    return options->precision.kind == PERM_PRECISION_EXACT ||
           (options->precision.kind == PERM_PRECISION_ANY && perm_matrix_is_whole(matrix));
}

/* Why they cannot be computed at once; NULL: they can. */
static const char *not_at_once(const perm_matrix *matrix, const perm_options *options) {
    const perm_precision_kind kind = options->precision.kind;
    if (options->kernel != NULL && strncmp(options->kernel, family, strlen(family)) != 0)
        return "another kernel is named";
    if (matrix->n < 1 || matrix->n > PERM_MINORS_LARGEST)
        return "n is too large";
    if (has_empty_line(matrix))
        return "an empty row or column";
    if (kind == PERM_PRECISION_DD || kind == PERM_PRECISION_MPFR)
        return "not of that precision";
    if (!is_exact(matrix, options) && perm_matrix_look(matrix).complex)
        return "complex entries are computed exactly only";
    return NULL;
}

/* Seconds for all minors one by one, as if they were the matrix. */
static base_status price_each(base_context *context, const perm_matrix *matrix, const perm_options *options,
                              double *seconds) {
    const perm_plan_options wanted = {.kernel = options->kernel, .precision = options->precision};
    perm_plan plan;
    base_status status = perm_plan_make(context, matrix, &wanted, &plan);
    *seconds = INFINITY;
    if (status == BASE_OK) {
        *seconds = (double)(matrix->n * matrix->n) * (plan.chosen->seconds + alone_seconds);
        perm_plan_free(&plan);
    }
    return status == BASE_FAILED ? BASE_OK : status;
}

static base_status list(base_context *context, perm_matrix *matrix, const perm_options *options,
                        const char *reason) {
    base_status status = BASE_OK;
    for (const perm_minors_kernel *const *kernel = perm_minors_kernels(); *kernel != NULL; kernel++) {
        perm_minors minors;
        const char *why = reason;
        if (why == NULL) {
            status = perm_minors_init(context, matrix, is_exact(matrix, options), (*kernel)->name, &minors);
            if (status == BASE_MACHINE)
                return status;
            why = status == BASE_OK ? NULL : "not on this processor";
        }
        if (why != NULL) {
            perm_log_line(&options->log, false, "  %-16s %s", (*kernel)->name, why);
        } else {
            perm_log_line(&options->log, false, "  %-16s %10.3g s", (*kernel)->name, minors.seconds);
            perm_minors_free(&minors);
        }
    }
    return BASE_OK;
}

static base_status compute(base_context *context, const mm_sparse *sparse, perm_matrix *matrix,
                           const perm_options *options, perm_value *minor) {
    base_status status = BASE_OK;
    const bool is_named = options->kernel != NULL && strncmp(options->kernel, family, strlen(family)) == 0;
    const char *reason = not_at_once(matrix, options),
               *kernel = is_named && strcmp(options->kernel, family) != 0 ? options->kernel : NULL;
    perm_minors minors = {.problem_count = 0};
    perm_candidate candidate = {.name = family, .method = &perm_dense_method};
    if (options->list) {
        BASE_TRY(list(context, matrix, options, reason));
        goto done;
    }
    if (is_named && reason != NULL) {
        BASE_TRY(base_fail(context, BASE_FAILED, "minors of order %lld are not for %s: %s",
                           (long long)matrix->n - 1, options->kernel, reason));
    }
    double each = INFINITY;
    if (reason == NULL)
        BASE_TRY(perm_minors_init(context, matrix, is_exact(matrix, options), kernel, &minors));
    if (reason != NULL || (!is_named && minors.seconds > PERM_DIGITS_SECONDS))
        BASE_TRY(price_each(context, matrix, options, &each));
    const bool at_once = reason == NULL && (is_named || minors.seconds <= each);
    candidate.seconds = at_once ? minors.seconds : each;
    perm_log_line(&options->log, false, "minors: %.3g s at once%s%s, %.3g s one by one", minors.seconds,
                  reason != NULL ? " not: " : "", reason != NULL ? reason : "", isinf(each) ? 0 : each);
    if (at_once)
        BASE_TRY(perm_estimate_check(context, matrix->n, &candidate, (perm_calibrations){1, 1},
                                     context->threads, options->most_seconds));
    BASE_TRY(at_once ? perm_minors_run(context, &minors, minor)
                     : perm_minors_each(context, sparse, options, minor));
done:
    perm_minors_free(&minors);
    return status;
}

/* ---- the record ---- */

/* Rounds values to integers where their bounds leave one integer only; any other value makes the minors real.
 */
static void round_to_integers(mm_field *field, int64_t count, perm_value *minor) {
    bool exact = true;
    if (*field != MM_PATTERN && *field != MM_INTEGER)
        return;
    for (int64_t at = 0; at < count; at++) {
        perm_value_round_to_integer(&minor[at]);
        exact = exact && perm_value_is_exact(&minor[at]);
    }
    *field = exact ? MM_INTEGER : MM_REAL;
}

/* Bounds of the largest error, and of it together with a rounding to doubles. */
static perm_bound bound_errors(const perm_value *minor, int64_t count, bool rounded) {
    const perm_bound rounding = perm_bound_from_double(rounded ? 0x1p-53 : 0);
    perm_bound largest = {0, 0};
    for (int64_t at = 0; at < count; at++) {
        const perm_bound bound =
            perm_bound_add(minor[at].error, perm_bound_multiply(rounding, perm_bound_of(&minor[at])));
        if (perm_bound_at_most(largest, bound))
            largest = bound;
    }
    return largest;
}

/* `minor` by columns. */
static base_status write_minors(base_context *context, const mm_record *record, mm_field field, int64_t n,
                                perm_value *minor, mm_record *result) {
    base_status status;
    perm_matrix matrix = {0};
    perm_value scale;
    perm_bound error[2];
    char *name = NULL, bound[40];
    bool rounded;
    perm_value_init(&scale);
    perm_value_set_integer(&scale, 1);
    round_to_integers(&field, n * n, minor);
    for (int k = 0; k < 2; k++)
        error[k] = bound_errors(minor, n * n, k == 1);
    BASE_TRY(perm_matrix_alloc(context, n, n * n, field, &matrix));
    for (int64_t at = 0; at < n * n; at++) {
        perm_value_move(&matrix.entry[at], &minor[at]);
        matrix.index[at] = at % n;
    }
    for (int64_t j = 0; j <= n; j++)
        matrix.start[j] = j * n;
    perm_matrix_squeeze(&matrix);
    BASE_TRY(perm_matrix_to_record(context, &matrix, (perm_term_options){true}, result, &scale, &rounded));
    if (scale.exponent != 0)
        BASE_TRY(base_fail(context, BASE_FAILED, "the minors leave the range of doubles"));
    BASE_TRY(mm_record_name(context, record, &name));
    BASE_TRY(mm_metadata_set(context, result, "name", "%s", name));
    perm_bound_print(error[rounded], bound);
    if (error[rounded].mantissa != 0)
        BASE_TRY(mm_metadata_set(context, result, "perm.error", "%s", bound));
done:
    free(name);
    perm_matrix_free(&matrix);
    perm_value_free(&scale);
    return status;
}

static base_status multiply(base_context *context, const mm_record *record, int64_t count, mm_field *field,
                            perm_value *minor) {
    perm_value factor;
    mm_field factor_field;
    bool found;
    perm_value_init(&factor);
    base_status status = perm_value_get_factor(context, record, &factor, &factor_field, &found);
    for (int64_t at = 0; status == BASE_OK && found && at < count; at++)
        perm_value_multiply(&minor[at], &factor);
    if (status == BASE_OK && found && factor_field > *field)
        *field = factor_field;
    perm_value_free(&factor);
    return status;
}

base_status perm_minors_record(base_context *context, const mm_record *record, const perm_options *options,
                               mm_record *result) {
    base_status status;
    mm_sparse sparse = {0};
    perm_matrix matrix = {0};
    perm_value *minor = NULL;
    mm_field field = mm_piece_field(record);
    int64_t count = 0;
    perm_solve_begin_limit(context, options);
    BASE_TRY(check(context, record, options));
    BASE_TRY(
        mm_sparse_from_record(context, record, (mm_sparse_options){.orientation = MM_BY_COLUMNS}, &sparse));
    BASE_TRY(perm_matrix_from_sparse(context, &sparse, &matrix));
    matrix.field = field;
    minor = base_alloc(context, sparse.nrow * sparse.nrow, sizeof *minor);
    if (minor == NULL)
        BASE_TRY(BASE_MACHINE);
    for (; count < sparse.nrow * sparse.nrow; count++)
        perm_value_init(&minor[count]);
    BASE_TRY(compute(context, &sparse, &matrix, options, minor));
    if (options->list)
        goto done;
    BASE_TRY(multiply(context, record, count, &field, minor));
    BASE_TRY(write_minors(context, record, field, sparse.nrow, minor, result));
done:
    for (int64_t at = 0; at < count; at++)
        perm_value_free(&minor[at]);
    free(minor);
    perm_matrix_free(&matrix);
    mm_sparse_free(&sparse);
    return perm_solve_end_limit(context, options, status);
}
