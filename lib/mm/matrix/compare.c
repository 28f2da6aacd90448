/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/matrix/compare.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "mm/matrix/convert.h"
#include "mm/record/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the steps of one comparison share. */
typedef struct comparer {
    base_context *context;
    const mm_compare_options *options;
    mm_comparison *found;
} comparer;

void mm_comparison_init(mm_comparison *comparison) {
    memset(comparison, 0, sizeof *comparison);
}

void mm_comparison_free(mm_comparison *comparison) {
    if (comparison == NULL)
        return;
    for (int64_t k = 0; k < comparison->first_count; k++) {
        free(comparison->first[k].left);
        free(comparison->first[k].right);
    }
    free(comparison->first);
    mm_comparison_init(comparison);
}

static base_status add_difference(comparer *c, const char *what, int64_t row, int64_t col, const char *left,
                                  const char *right) {
    mm_comparison *found = c->found;
    base_status status = BASE_OK;
    mm_difference difference = {what, row, col, NULL, NULL};
    if (found->count++ >= c->options->shown)
        return BASE_OK;
    BASE_TRY(
        base_reserve(c->context, &found->first, &found->capacity, found->first_count + 1, sizeof difference));
    difference.left = base_copy_text(c->context, left, (int64_t)strlen(left));
    difference.right = base_copy_text(c->context, right, (int64_t)strlen(right));
    if (difference.left == NULL || difference.right == NULL) {
        free(difference.left);
        free(difference.right);
        BASE_TRY(BASE_MACHINE);
    }
    found->first[found->first_count++] = difference;
done:
    return status;
}

static base_status compare_words(comparer *c, const char *what, const char *left, const char *right) {
    return strcmp(left, right) == 0 ? BASE_OK : add_difference(c, what, 0, 0, left, right);
}

static base_status compare_counts(comparer *c, const char *what, int64_t left, int64_t right) {
    char texts[2][24];
    if (left == right)
        return BASE_OK;
    snprintf(texts[0], sizeof texts[0], "%lld", (long long)left);
    snprintf(texts[1], sizeof texts[1], "%lld", (long long)right);
    return add_difference(c, what, 0, 0, texts[0], texts[1]);
}

/* ---- what stands before the entries */

static base_status compare_sizes(comparer *c, const mm_record *left, const mm_record *right) {
    char texts[2][48];
    snprintf(texts[0], sizeof texts[0], "%lldx%lld", (long long)left->nrow, (long long)left->ncol);
    snprintf(texts[1], sizeof texts[1], "%lldx%lld", (long long)right->nrow, (long long)right->ncol);
    return compare_words(c, "size", texts[0], texts[1]);
}

/* The next comment line that is not of provenance, copied without newline; false at the end. */
static bool next_comment(const char **comments, char *line, size_t size) {
    while (*comments != NULL && **comments) {
        const char *start = *comments, *word = start + strspn(start, "% \t");
        size_t length = strcspn(start, "\n");
        *comments = start + length + (start[length] == '\n');
        if (strncmp(word, "by:", 3) == 0)
            continue;
        snprintf(line, size, "%.*s", (int)length, start);
        return true;
    }
    return false;
}

static base_status compare_comments(comparer *c, const char *left, const char *right) {
    char lines[2][1024];
    base_status status = BASE_OK;
    for (;;) {
        bool has_left = next_comment(&left, lines[0], sizeof lines[0]);
        bool has_right = next_comment(&right, lines[1], sizeof lines[1]);
        if (!has_left && !has_right)
            break;
        BASE_TRY(compare_words(c, "metadata", has_left ? lines[0] : "-", has_right ? lines[1] : "-"));
    }
done:
    return status;
}

/* ---- entries */

typedef struct position {
    int64_t col, row, k;
} position;

static int compare_positions(const position *a, const position *b) {
    int by_col = (a->col > b->col) - (a->col < b->col);
    return by_col ? by_col : (a->row > b->row) - (a->row < b->row);
}

static int compare_for_sort(const void *a, const void *b) {
    return compare_positions(a, b);
}

/* The positions of a general coordinate record, by columns. */
static base_status sort_positions(base_context *context, const mm_record *record, position **sorted) {
    base_status status = BASE_OK;
    bool in_order = true;
    position *list = base_alloc(context, record->nnz, sizeof *list);
    if (list == NULL)
        return BASE_MACHINE;
    for (int64_t k = 0; k < record->nnz; k++) {
        list[k] = (position){record->col[k], record->row[k], k};
        in_order = in_order && (k == 0 || compare_positions(&list[k - 1], &list[k]) < 0);
    }
    if (!in_order) {
        base_progress_start(context, "sort", 0, NULL);
        qsort(list, (size_t)record->nnz, sizeof *list, compare_for_sort);
        base_progress_finish(context);
    }
    for (int64_t k = 1; k < record->nnz; k++)
        if (compare_positions(&list[k - 1], &list[k]) == 0)
            BASE_TRY(base_fail(context, BASE_FAILED, "two entries at row %lld, column %lld",
                               (long long)list[k].row + 1, (long long)list[k].col + 1));
    *sorted = list;
    list = NULL;
done:
    free(list);
    return status;
}

/* One position; NULL stands for no entry there. */
static base_status compare_entry(comparer *c, int64_t row, int64_t col, const mm_value *left,
                                 const mm_value *right) {
    const mm_value zero = {.kind = MM_VALUE_INTEGER};
    const mm_value *a = left != NULL ? left : &zero, *b = right != NULL ? right : &zero;
    bool must_be_entry = c->options->pattern || c->options->keep_zeros;
    char texts[2][512] = {"-", "-"};
    mm_distance distance = {0};
    if (left != NULL && right != NULL && (c->options->pattern || mm_value_equal(a, b)))
        return BASE_OK;
    if (!c->options->pattern) {
        mm_value_distance(a, b, c->options->rtol, c->options->atol, &distance);
        c->found->largest_absolute = fmax(c->found->largest_absolute, distance.absolute);
        c->found->largest_relative = fmax(c->found->largest_relative, distance.relative);
    }
    bool tolerant = c->options->rtol > 0 || c->options->atol > 0;
    if (tolerant && !(must_be_entry && !(left != NULL && right != NULL)) && distance.within)
        return BASE_OK;
    if (c->found->count < c->options->shown) {
        if (left != NULL)
            mm_value_print(left, texts[0], sizeof texts[0]);
        if (right != NULL)
            mm_value_print(right, texts[1], sizeof texts[1]);
    }
    return add_difference(c, left != NULL && right != NULL ? "value" : "entry", row + 1, col + 1, texts[0],
                          texts[1]);
}

static base_status prepare(base_context *context, const mm_compare_options *options, mm_record *record) {
    bool changed = false;
    base_status status = BASE_OK;
    BASE_TRY(mm_record_expand(context, record, &changed));
    BASE_TRY(mm_record_to_coordinate(context, record, &changed));
    if (!options->keep_zeros)
        BASE_TRY(mm_record_drop_zeros(context, record, &changed));
done:
    return status;
}

/* Entries in the order of their positions, as `a` and `b` list them. */
static base_status compare_sorted(comparer *c, const mm_record *left, const position *a,
                                  const mm_record *right, const position *b) {
    base_status status = BASE_OK;
    int64_t told = 0;
    base_progress_start(c->context, "compare", (double)(left->nnz + right->nnz), "entries");
    for (int64_t i = 0, j = 0; i < left->nnz || j < right->nnz;) {
        int order = i == left->nnz ? 1 : j == right->nnz ? -1 : compare_positions(&a[i], &b[j]);
        const position *at = order <= 0 ? &a[i] : &b[j];
        mm_value values[2];
        if (order <= 0)
            values[0] = mm_value_of(left, a[i++].k);
        if (order >= 0)
            values[1] = mm_value_of(right, b[j++].k);
        if (i + j - told >= 1024) {
            base_progress_add(c->context, i + j - told);
            told = i + j;
        }
        BASE_TRY(compare_entry(c, at->row, at->col, order <= 0 ? &values[0] : NULL,
                               order >= 0 ? &values[1] : NULL));
    }
done:
    base_progress_finish(c->context);
    return status;
}

static base_status compare_matrices(comparer *c, mm_record *left, mm_record *right) {
    position *a = NULL, *b = NULL;
    base_status status = BASE_OK;
    BASE_TRY(prepare(c->context, c->options, left));
    BASE_TRY(prepare(c->context, c->options, right));
    BASE_TRY(sort_positions(c->context, left, &a));
    BASE_TRY(sort_positions(c->context, right, &b));
    BASE_TRY(compare_sorted(c, left, a, right, b));
done:
    free(a);
    free(b);
    return status;
}

/* Entry by entry as they are stored; both records have the same format, symmetry and number of entries. */
static base_status compare_stored(comparer *c, const mm_record *left, const mm_record *right) {
    int64_t row = 0, col = 0;
    base_status status = BASE_OK;
    bool array = left->format == MM_ARRAY;
    if (array)
        mm_array_first(left, &row, &col);
    for (int64_t k = 0; k < left->nnz; k++) {
        if (!array) {
            row = left->row[k];
            col = left->col[k];
            if (row != right->row[k] || col != right->col[k]) {
                char texts[2][48];
                snprintf(texts[0], sizeof texts[0], "%lld %lld", (long long)row + 1, (long long)col + 1);
                snprintf(texts[1], sizeof texts[1], "%lld %lld", (long long)right->row[k] + 1,
                         (long long)right->col[k] + 1);
                BASE_TRY(add_difference(c, "order", 0, 0, texts[0], texts[1]));
                continue;
            }
        }
        mm_value values[2] = {mm_value_of(left, k), mm_value_of(right, k)};
        BASE_TRY(compare_entry(c, row, col, &values[0], &values[1]));
        if (array)
            mm_array_next(left, &row, &col);
    }
done:
    return status;
}

static base_status compare_storage(comparer *c, const mm_record *left, const mm_record *right) {
    base_status status = BASE_OK;
    BASE_TRY(compare_words(c, "format", mm_format_name(left->format), mm_format_name(right->format)));
    if (!c->options->pattern)
        BASE_TRY(compare_words(c, "field", mm_field_name(left->field), mm_field_name(right->field)));
    BASE_TRY(
        compare_words(c, "symmetry", mm_symmetry_name(left->symmetry), mm_symmetry_name(right->symmetry)));
    if (left->format == right->format)
        BASE_TRY(compare_counts(c, "entries", left->nnz, right->nnz));
    if (left->format == right->format && left->symmetry == right->symmetry && left->nnz == right->nnz)
        BASE_TRY(compare_stored(c, left, right));
done:
    return status;
}

static base_status compare_payloads(comparer *c, const mm_record *left, const mm_record *right) {
    base_status status = BASE_OK;
    BASE_TRY(compare_counts(c, "payload", left->payload_bytes, right->payload_bytes));
    if (left->payload_bytes == right->payload_bytes &&
        memcmp(left->payload, right->payload, (size_t)left->payload_bytes) != 0)
        BASE_TRY(add_difference(c, "payload", 0, 0, "-", "-"));
done:
    return status;
}

base_status mm_compare(base_context *context, mm_record *left, mm_record *right,
                       const mm_compare_options *options, mm_comparison *comparison) {
    comparer c = {context, options, comparison};
    base_status status = BASE_OK;
    BASE_TRY(compare_words(&c, "kind", mm_kind_name(left->kind), mm_kind_name(right->kind)));
    if (options->metadata)
        BASE_TRY(compare_comments(&c, left->comments, right->comments));
    if (left->kind != right->kind)
        goto done;
    if (left->kind == MM_H2 || left->kind == MM_STATE) {
        BASE_TRY(compare_payloads(&c, left, right));
        goto done;
    }
    BASE_TRY(compare_sizes(&c, left, right));
    if (left->nrow != right->nrow || left->ncol != right->ncol)
        goto done;
    if (options->storage)
        BASE_TRY(compare_storage(&c, left, right));
    else
        BASE_TRY(compare_matrices(&c, left, right));
done:
    return status;
}

base_status mm_compare_missing(base_context *context, bool is_left, const mm_compare_options *options,
                               mm_comparison *comparison) {
    comparer c = {context, options, comparison};
    return add_difference(&c, "record", 0, 0, is_left ? "+" : "-", is_left ? "-" : "+");
}
