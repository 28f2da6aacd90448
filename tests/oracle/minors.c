/* SPDX-License-Identifier: BSD-3-Clause */
/* Minors of drawn matrices through the library: each against the exact permanent of what is left. */
#include "mm/metadata/metadata.h"
#include "perm/solve/minors_record.h"
#include "tests/oracle/run.h"
#include "tests/support/tap.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER_MOST = 7 /* n^2 references of a matrix */ };

/* What is asked for: a kernel, or the choice; and an arithmetic. */
typedef struct way {
    const char *kernel, *precision;
} way;

static const way ways[] = {{NULL, NULL},     {"minors", NULL}, {"minors-portable", NULL},
                           {NULL, "double"}, {NULL, "dd"},     {"minors", "exact"}};
enum { WAYS = sizeof ways / sizeof *ways };

static bool is_taken(const oracle_matrix *matrix) {
    return matrix->nrow == matrix->ncol && matrix->nrow >= 1 && matrix->nrow <= ORDER_MOST &&
           !matrix->is_counted && !matrix->has_factors;
}

/* The matrix without row i and column j. */
static void leave_out(const oracle_matrix *matrix, int i, int j, oracle_matrix *rest) {
    *rest = (oracle_matrix){.field = matrix->field, .nrow = matrix->nrow - 1, .ncol = matrix->ncol - 1};
    for (int k = 0; k < rest->nrow; k++)
        rest->row_count[k] = rest->col_count[k] = 1;
    for (int k = 0; k < matrix->count; k++) {
        oracle_entry entry = matrix->entry[k];
        if (entry.row == i || entry.col == j)
            continue;
        entry.row -= entry.row > i;
        entry.col -= entry.col > j;
        rest->entry[rest->count++] = entry;
    }
}

static const char *check_entry(const oracle_number *permanent, const mm_sparse *minors, int i, int j,
                               const char *bound) {
    char text[24] = "0";
    const char *digits = text;
    double number[2] = {0, 0};
    for (int64_t e = minors->start[j]; e < minors->start[j + 1]; e++) {
        if (minors->index[e] != i)
            continue;
        if (minors->digits != NULL)
            digits = minors->digits[e];
        else if (minors->field == MM_INTEGER)
            snprintf(text, sizeof text, "%" PRId64, minors->integer[e]);
        else if (minors->field == MM_PATTERN)
            strcpy(text, "1");
        else
            memcpy(number, &minors->real[(minors->field == MM_COMPLEX ? 2 : 1) * e],
                   (minors->field == MM_COMPLEX ? 2 : 1) * sizeof *number);
    }
    return minors->field < MM_REAL ? oracle_check_text(permanent, digits, "0", "0", PERM_DIGITS_ALL)
                                   : oracle_check_double(permanent, number, bound);
}

/* What is wrong with the minors; NULL: nothing. */
static const char *check(base_context *context, const oracle_matrix *matrix, const mm_record *result) {
    static oracle_matrix rest;
    const char *wrong = NULL;
    char bound[64] = "0";
    mm_sparse minors = {0};
    if (mm_sparse_from_record(context, result, (mm_sparse_options){.orientation = MM_BY_COLUMNS}, &minors) !=
        BASE_OK)
        return "the minors cannot be read";
    mm_metadata_get(result, "perm.error", bound, sizeof bound);
    for (int i = 0; i < matrix->nrow && wrong == NULL; i++)
        for (int j = 0; j < matrix->ncol && wrong == NULL; j++) {
            oracle_number *permanent = oracle_number_new();
            leave_out(matrix, i, j, &rest);
            oracle_permanent(&rest, false, permanent);
            wrong = check_entry(permanent, &minors, i, j, bound);
            oracle_number_free(permanent);
        }
    mm_sparse_free(&minors);
    return wrong;
}

static void run_way(base_context *context, const oracle_matrix *matrix, const mm_record *record,
                    const char *name, const way *way, oracle_tally *tally) {
    perm_options options = {.kernel = way->kernel};
    mm_record result;
    mm_record_init(&result);
    base_status status = perm_precision_choose(context, way->precision, false, false, &options.precision);
    if (status == BASE_OK)
        status = perm_minors_record(context, record, &options, &result);
    const char *wrong = status == BASE_OK       ? check(context, matrix, &result)
                        : status == BASE_FAILED ? NULL
                                                : "failed";
    tally->wrong += wrong != NULL;
    tally->refused += wrong == NULL && status != BASE_OK;
    tally->right += wrong == NULL && status == BASE_OK;
    if (wrong != NULL)
        oracle_tell(matrix, name, tally->name, wrong, status == BASE_OK ? "-" : context->error.cause);
    mm_record_free(&result);
}

void oracle_run_minors(base_context *context, uint64_t seed, int64_t count) {
    static oracle_matrix matrix;
    static char names[WAYS][64];
    oracle_tally tallies[WAYS];
    for (int k = 0; k < WAYS; k++) {
        snprintf(names[k], sizeof *names, "--minors --kernel %s --precision %s",
                 ways[k].kernel != NULL ? ways[k].kernel : "any",
                 ways[k].precision != NULL ? ways[k].precision : "any");
        tallies[k] = (oracle_tally){.name = names[k]};
    }
    for (int64_t k = 0; k < count; k++) {
        base_random random;
        mm_record record;
        char name[24];
        base_random_init(&random, seed, (uint64_t)k);
        oracle_draw(&random, &matrix);
        if (!is_taken(&matrix))
            continue;
        if (oracle_to_record(context, &matrix, oracle_name(k, name), &record) != BASE_OK)
            abort();
        for (int way = 0; way < WAYS; way++)
            run_way(context, &matrix, &record, name, &ways[way], &tallies[way]);
        mm_record_free(&record);
    }
    for (int k = 0; k < WAYS; k++)
        tap_ok(tallies[k].wrong == 0 && (tallies[k].right > 0 || count < 250),
               "%s: %" PRId64 " right, %" PRId64 " wrong, %" PRId64 " refused", tallies[k].name,
               tallies[k].right, tallies[k].wrong, tallies[k].refused);
}
