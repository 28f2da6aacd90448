/* SPDX-License-Identifier: BSD-3-Clause */
#include "perm/matrix/distinct.h"
#include "base/core/memory.h"

#include <stdlib.h>

static base_status alloc_distinct(base_context *context, int64_t nrow, int64_t ncol,
                                  perm_distinct *distinct) {
    const int64_t count = nrow * ncol;
    *distinct = (perm_distinct){nrow, ncol, base_alloc(context, count, sizeof *distinct->entry),
                                base_alloc(context, nrow, sizeof *distinct->row_count),
                                base_alloc(context, ncol, sizeof *distinct->column_count)};
    for (int64_t at = 0; distinct->entry != NULL && at < count; at++)
        perm_value_init(&distinct->entry[at]);
    if (distinct->entry == NULL || distinct->row_count == NULL || distinct->column_count == NULL) {
        perm_distinct_free(distinct);
        return BASE_MACHINE;
    }
    for (int64_t i = 0; i < nrow; i++)
        distinct->row_count[i] = 1;
    for (int64_t j = 0; j < ncol; j++)
        distinct->column_count[j] = 1;
    return BASE_OK;
}

void perm_distinct_free(perm_distinct *distinct) {
    if (distinct == NULL)
        return;
    for (int64_t at = 0; distinct->entry != NULL && at < distinct->nrow * distinct->ncol; at++)
        perm_value_free(&distinct->entry[at]);
    free(distinct->entry);
    free(distinct->row_count);
    free(distinct->column_count);
    *distinct = (perm_distinct){0};
}

base_status perm_distinct_from_sparse(base_context *context, const mm_sparse *matrix,
                                      perm_distinct *distinct) {
    base_status status;
    perm_matrix square = {0};
    mm_sparse padded = *matrix;
    const int64_t n = matrix->nrow > matrix->ncol ? matrix->nrow : matrix->ncol;
    if (matrix->nrow > PERM_DISTINCT_MOST || matrix->ncol > PERM_DISTINCT_MOST)
        return base_fail(context, BASE_FAILED, "the matrix has more than %d rows or columns",
                         PERM_DISTINCT_MOST);
    padded.nrow = padded.ncol = n;
    padded.start = base_alloc(context, n + 1, sizeof *padded.start);
    if (padded.start == NULL)
        return BASE_MACHINE;
    for (int64_t j = 0; j <= n; j++)
        padded.start[j] = matrix->start[j < matrix->ncol ? j : matrix->ncol];
    BASE_TRY(perm_matrix_from_sparse(context, &padded, &square));
    BASE_TRY(alloc_distinct(context, matrix->nrow, matrix->ncol, distinct));
    for (int64_t j = 0; j < matrix->ncol; j++)
        for (int64_t e = square.start[j]; e < square.start[j + 1]; e++)
            perm_value_move(&distinct->entry[j * matrix->nrow + square.index[e]], &square.entry[e]);
done:
    free(padded.start);
    perm_matrix_free(&square);
    return status;
}

base_status perm_distinct_from_matrix(base_context *context, const perm_matrix *matrix,
                                      perm_distinct *distinct) {
    const base_status status = alloc_distinct(context, matrix->n, matrix->n, distinct);
    for (int64_t i = 0; status == BASE_OK && i < matrix->n; i++)
        for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++)
            perm_value_copy(&distinct->entry[matrix->index[e] * matrix->n + i], &matrix->entry[e]);
    return status;
}

static bool are_equal(const perm_value *a, const perm_value *b) {
    if (perm_value_is_zero(a) || perm_value_is_zero(b))
        return perm_value_is_zero(a) && perm_value_is_zero(b);
    perm_value difference, minus_one;
    perm_value_init(&difference);
    perm_value_init(&minus_one);
    perm_value_set_integer(&minus_one, -1);
    perm_value_copy(&difference, a);
    perm_value_multiply(&difference, &minus_one);
    perm_value_add(&difference, b);
    const bool equal = perm_value_is_zero(&difference);
    perm_value_free(&difference);
    perm_value_free(&minus_one);
    return equal;
}

/* Compares two rows, which are `step` apart and their entries `stride`; or two columns. */
static bool are_equal_at(const perm_distinct *distinct, int64_t a, int64_t b, int64_t step, int64_t stride,
                         int64_t length) {
    for (int64_t at = 0; at < length; at++)
        if (!are_equal(&distinct->entry[a * step + at * stride], &distinct->entry[b * step + at * stride]))
            return false;
    return true;
}

/* A hash of where a row, or column, has entries other than 0: equal ones have equal hashes. */
static uint64_t hash_pattern(const perm_distinct *distinct, int64_t a, int64_t step, int64_t stride,
                             int64_t length) {
    uint64_t hash = 0;
    for (int64_t at = 0; at < length; at++)
        if (!perm_value_is_zero(&distinct->entry[a * step + at * stride]))
            hash = (hash ^ (uint64_t)at) * 0x9e3779b97f4a7c15U + 1;
    return hash;
}

/* Marks the rows, or columns, that are equal to an earlier one, whose count gains theirs. The hashes are for
 * sparse matrices of thousands of columns, where most pairs differ only far down. */
static void group(const perm_distinct *distinct, int64_t number, int64_t length, int64_t step, int64_t stride,
                  int64_t *count, bool *dropped) {
    uint64_t hash[PERM_DISTINCT_MOST];
    for (int64_t b = 0; b < number; b++) {
        dropped[b] = false;
        hash[b] = hash_pattern(distinct, b, step, stride, length);
        for (int64_t a = 0; a < b && !dropped[b]; a++)
            if (hash[a] == hash[b] && !dropped[a] && are_equal_at(distinct, a, b, step, stride, length)) {
                dropped[b] = true;
                count[a] += count[b];
            }
    }
}

/* Leaves the rows and columns that are not dropped. */
static void compact(perm_distinct *distinct, const bool *row_dropped, const bool *column_dropped) {
    int64_t to = 0, nrow = 0, ncol = 0;
    for (int64_t j = 0; j < distinct->ncol; j++)
        for (int64_t i = 0; i < distinct->nrow; i++) {
            perm_value *entry = &distinct->entry[j * distinct->nrow + i];
            if (row_dropped[i] || column_dropped[j])
                perm_value_free(entry);
            else
                distinct->entry[to++] = *entry;
        }
    for (int64_t i = 0; i < distinct->nrow; i++)
        if (!row_dropped[i])
            distinct->row_count[nrow++] = distinct->row_count[i];
    for (int64_t j = 0; j < distinct->ncol; j++)
        if (!column_dropped[j])
            distinct->column_count[ncol++] = distinct->column_count[j];
    distinct->nrow = nrow;
    distinct->ncol = ncol;
}

void perm_distinct_group(perm_distinct *distinct) {
    bool row_dropped[PERM_DISTINCT_MOST] = {false}, column_dropped[PERM_DISTINCT_MOST] = {false};
    group(distinct, distinct->nrow, distinct->ncol, 1, distinct->nrow, distinct->row_count, row_dropped);
    group(distinct, distinct->ncol, distinct->nrow, distinct->nrow, 1, distinct->column_count,
          column_dropped);
    compact(distinct, row_dropped, column_dropped);
}
