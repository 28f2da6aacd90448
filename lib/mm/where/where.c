/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/where/where.h"
#include "base/core/memory.h"
#include "mm/metadata/metadata.h"
#include "mm/where/internal.h"

#include <fnmatch.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

typedef struct value {
    bool defined;
    bool is_real;        /* then `real` is the number, else `number` */
    where_number number; /* also of conditions: 0 or 1 */
    double real;
    const char *text;
} value;

typedef struct evaluation {
    const mm_where *where;
    const where_node *nodes;
    base_context *context;
    const mm_record *record;
    mm_where_counts counts;
    bool is_counted;
    const mm_report *line; /* with the caller's columns; NULL: none */
    const char *failure;
    char *name;         /* NULL: not asked for yet */
    base_status status; /* of making it */
} evaluation;

/* The first entry from k on that is zero; nnz: there is none. A loop for each kind of number, because this is
 * all that is done for most entries. */
static int64_t find_zero(const mm_record *record, int64_t k) {
    const int64_t nnz = record->nnz;
    const double *real = record->real;
    if (record->integer != NULL)
        while (k < nnz && record->integer[k] != 0)
            k++;
    else if (record->digits != NULL)
        while (k < nnz && strcmp(record->digits + record->digits_start[k], "0") != 0)
            k++;
    else if (real == NULL)
        k = nnz; /* a pattern */
    else if (record->field == MM_COMPLEX)
        while (k < nnz && (real[2 * k] != 0 || real[2 * k + 1] != 0))
            k++;
    else
        while (k < nnz && real[k] != 0)
            k++;
    return k;
}

/* An array stores zeros because it must: they are not counted. */
static int64_t count_in_array(const mm_record *record) {
    int64_t count = 0, row, col, zero = find_zero(record, 0);
    mm_array_first(record, &row, &col);
    for (int64_t k = 0; k < record->nnz; k++) {
        if (k == zero)
            zero = find_zero(record, k + 1);
        else
            count += record->symmetry != MM_GENERAL && row != col ? 2 : 1;
        if (k + 1 < record->nnz)
            mm_array_next(record, &row, &col);
    }
    return count;
}

mm_where_counts mm_where_count(const mm_record *record) {
    const bool is_general = record->symmetry == MM_GENERAL;
    const int64_t nnz = record->nnz, *row = record->row, *col = record->col;
    int64_t zeros = 0, count = nnz;
    if (record->kind == MM_H2 || record->kind == MM_STATE)
        return (mm_where_counts){.nonzeros = nnz}; /* no entries that one could look at */
    if (record->format == MM_ARRAY)
        return (mm_where_counts){.nonzeros = count_in_array(record)};
    if (!is_general)
        for (int64_t k = 0; k < nnz; k++)
            count += row[k] != col[k];
    for (int64_t k = find_zero(record, 0); k < nnz; k = find_zero(record, k + 1))
        zeros += is_general || row[k] == col[k] ? 1 : 2;
    return (mm_where_counts){.nonzeros = count - zeros, .zeros = zeros};
}

static value whole(where_number number) {
    return (value){.defined = true, .number = number};
}
static value text(const char *text) {
    return (value){.defined = true, .text = text};
}

static value real(double number) {
    return (value){.defined = true, .is_real = true, .real = number};
}

static double as_real(const value *number) {
    return number->is_real ? number->real : (double)number->number;
}

/* A column of the line; integers beyond 64 bits stand there as text. */
static value column_of(evaluation *e, const where_node *node) {
    const mm_where_column *column = &e->where->columns[node->number];
    const json_t *item = e->line != NULL ? mm_report_get(e->line, column->name) : NULL;
    if (column->is_text)
        return item != NULL && json_is_string(item) ? text(json_string_value(item)) : (value){0};
    if (item == NULL || json_is_null(item))
        return (value){0};
    if (json_is_integer(item))
        return whole(json_integer_value(item));
    return real(json_is_string(item) ? strtod(json_string_value(item), NULL) : json_real_value(item));
}

static value name_of(evaluation *e) {
    if (e->name == NULL)
        e->status = mm_record_name(e->context, e->record, &e->name);
    return e->status == BASE_OK ? text(e->name) : (value){0};
}

static const mm_where_counts *counts_of(evaluation *e) {
    if (!e->is_counted)
        e->counts = mm_where_count(e->record);
    e->is_counted = true;
    return &e->counts;
}

static value value_of(evaluation *e, const where_node *node) {
    const mm_record *record = e->record;
    const double places = (double)record->nrow * (double)record->ncol;
    switch (node->variable) {
    case WHERE_NROW: return whole(record->nrow);
    case WHERE_NCOL: return whole(record->ncol);
    case WHERE_N: return (value){.defined = record->nrow == record->ncol, .number = record->nrow};
    case WHERE_NNZ: return whole(counts_of(e)->nonzeros);
    case WHERE_STORED: return whole(record->nnz);
    case WHERE_ZEROS: return whole(counts_of(e)->zeros);
    case WHERE_DENSITY: return places > 0 ? real((double)counts_of(e)->nonzeros / places) : (value){0};
    case WHERE_SQUARE: return whole(record->nrow == record->ncol);
    case WHERE_FIELD: return text(mm_field_name(record->field));
    case WHERE_SYMMETRY: return text(mm_symmetry_name(record->symmetry));
    case WHERE_FORMAT: return text(mm_format_name(record->format));
    case WHERE_KIND: return text(mm_kind_name(record->kind));
    case WHERE_NAME: return name_of(e);
    case WHERE_COLUMN: return column_of(e, node);
    case WHERE_NO_VARIABLE: break;
    }
    return (value){0};
}

static value real_arithmetic(where_operator action, double left, double right) {
    switch (action) {
    case WHERE_ADD: return real(left + right);
    case WHERE_SUBTRACT: return real(left - right);
    case WHERE_MULTIPLY: return real(left * right);
    default: return real(left / right);
    }
}

static value arithmetic(evaluation *e, where_operator action, where_number left, where_number right) {
    where_number result = 0;
    bool overflow = false;
    switch (action) {
    case WHERE_ADD: overflow = __builtin_add_overflow(left, right, &result); break;
    case WHERE_SUBTRACT: overflow = __builtin_sub_overflow(left, right, &result); break;
    case WHERE_MULTIPLY: overflow = __builtin_mul_overflow(left, right, &result); break;
    default:
        if (right == 0)
            e->failure = "--where divides by zero";
        else if (right == -1)
            overflow = __builtin_sub_overflow((where_number)0, left, &result);
        else
            result = left / right;
    }
    if (overflow)
        e->failure = "--where meets a number beyond 128 bits";
    return whole(result);
}

static bool compare(where_operator action, where_type type, const value *left, const value *right) {
    if (action == WHERE_MATCHES || action == WHERE_MATCHES_NOT)
        return (fnmatch(right->text, left->text, 0) == 0) == (action == WHERE_MATCHES);
    int order = 0;
    if (type == WHERE_TEXT)
        order = strcmp(left->text, right->text);
    else if (left->is_real || right->is_real)
        order = (as_real(left) > as_real(right)) - (as_real(left) < as_real(right));
    else
        order = (left->number > right->number) - (left->number < right->number);
    switch (action) {
    case WHERE_EQUAL: return order == 0;
    case WHERE_NOT_EQUAL: return order != 0;
    case WHERE_LESS: return order < 0;
    case WHERE_LESS_EQUAL: return order <= 0;
    case WHERE_GREATER: return order > 0;
    default: return order >= 0;
    }
}

/* The parser bounds the height of the tree and so this recursion. */
static value evaluate(evaluation *e, int index) {
    const where_node *node = &e->nodes[index];
    if (node->action == WHERE_LITERAL)
        return (value){.defined = true,
                       .is_real = node->is_real,
                       .number = node->number,
                       .real = node->real,
                       .text = node->text};
    if (node->action == WHERE_VALUE_OF)
        return value_of(e, node);

    value left = evaluate(e, node->left);
    if (node->action == WHERE_NOT)
        return whole(left.number == 0);
    if ((node->action == WHERE_AND && left.number == 0) || (node->action == WHERE_OR && left.number != 0))
        return left;
    if (node->action == WHERE_NEGATE) {
        value negated = left.is_real ? real(-left.real) : arithmetic(e, WHERE_SUBTRACT, 0, left.number);
        negated.defined = left.defined;
        return negated;
    }

    value right = evaluate(e, node->right);
    if (node->action == WHERE_AND || node->action == WHERE_OR)
        return right;
    if (!left.defined || !right.defined) /* no number; and as a condition, false */
        return (value){.defined = node->type == WHERE_CONDITION};
    if (node->action >= WHERE_ADD && (left.is_real || right.is_real))
        return real_arithmetic(node->action, as_real(&left), as_real(&right));
    if (node->action >= WHERE_ADD)
        return arithmetic(e, node->action, left.number, right.number);
    return whole(compare(node->action, e->nodes[node->left].type, &left, &right));
}

base_status mm_where_compile(base_context *context, const char *text, const mm_where_column *columns,
                             mm_where **result) {
    static const mm_where_column none[] = {{0}};
    base_status status = BASE_OK;
    *result = NULL;
    mm_where *where = base_alloc_zero(context, 1, sizeof *where);
    if (where == NULL)
        BASE_TRY(BASE_MACHINE);
    where->columns = columns != NULL ? columns : none;
    BASE_TRY(mm_where_parse(context, text, where));
    *result = where;
    where = NULL;
done:
    mm_where_free(where);
    return status;
}

base_status mm_where_test(base_context *context, const mm_where *where, const mm_record *record,
                          const mm_where_counts *counts, const mm_report *line, bool *holds) {
    evaluation e = {.where = where,
                    .nodes = where->nodes,
                    .context = context,
                    .record = record,
                    .is_counted = counts != NULL,
                    .line = line};
    if (counts != NULL)
        e.counts = *counts;
    *holds = evaluate(&e, where->root).number != 0;
    free(e.name);
    if (e.status != BASE_OK)
        return e.status;
    return e.failure != NULL ? base_fail(context, BASE_FAILED, "%s", e.failure) : BASE_OK;
}

void mm_where_free(mm_where *where) {
    if (where == NULL)
        return;
    for (int64_t i = 0; i < where->count; i++)
        free(where->nodes[i].text);
    free(where->nodes);
    free(where);
}

bool mm_name_matches(const char *pattern, const char *name) {
    const char *slash = strrchr(name, '/');
    if (strcmp(pattern, name) == 0 || fnmatch(pattern, name, 0) == 0)
        return true;
    return slash != NULL && strchr(pattern, '/') == NULL && mm_name_matches(pattern, slash + 1);
}
