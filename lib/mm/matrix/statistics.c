/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/matrix/statistics.h"
#include "base/core/memory.h"
#include "base/run/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void note_degree(mm_degrees *degrees, int64_t degree, bool first) {
    if (first || degree < degrees->least)
        degrees->least = degree;
    if (degree > degrees->most)
        degrees->most = degree;
    degrees->empty += degree == 0;
}

static base_status find_degrees(base_context *context, const mm_sparse *matrix, mm_statistics *statistics) {
    int64_t *row_degree = base_alloc_zero(context, matrix->nrow, sizeof *row_degree);
    if (row_degree == NULL)
        return BASE_MACHINE;
    for (int64_t p = 0; p < matrix->nnz; p++)
        row_degree[matrix->index[p]]++;
    for (int64_t i = 0; i < matrix->nrow; i++)
        note_degree(&statistics->rows, row_degree[i], i == 0);
    for (int64_t j = 0; j < matrix->ncol; j++)
        note_degree(&statistics->columns, matrix->start[j + 1] - matrix->start[j], j == 0);
    free(row_degree);
    return BASE_OK;
}

/* Indices ascend, so a column's first and last entries are its outermost. */
static void find_bandwidths(const mm_sparse *matrix, mm_statistics *statistics) {
    for (int64_t j = 0; j < matrix->ncol; j++) {
        int64_t first = matrix->start[j], end = matrix->start[j + 1];
        if (first == end)
            continue;
        if (j - matrix->index[first] > statistics->upper_bandwidth)
            statistics->upper_bandwidth = j - matrix->index[first];
        if (matrix->index[end - 1] - j > statistics->lower_bandwidth)
            statistics->lower_bandwidth = matrix->index[end - 1] - j;
        for (int64_t p = first; p < end && matrix->index[p] <= j; p++)
            statistics->diagonal += matrix->index[p] == j;
    }
}

/* Compares decimal texts without leading zeros; `magnitude`: without their signs. */
static int compare_digits(const char *a, const char *b, bool magnitude) {
    bool a_negative = *a == '-', b_negative = *b == '-';
    a += a_negative;
    b += b_negative;
    if (!magnitude && a_negative != b_negative)
        return a_negative ? -1 : 1;
    size_t a_length = strlen(a), b_length = strlen(b);
    int order = a_length != b_length ? (a_length < b_length ? -1 : 1) : strcmp(a, b);
    return !magnitude && a_negative ? -order : order;
}

static uint64_t magnitude_of(int64_t value) {
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* Whether the value at p comes before that at q. */
typedef bool comparison(const mm_sparse *matrix, int64_t p, int64_t q);

static bool is_less_text(const mm_sparse *matrix, int64_t p, int64_t q) {
    return compare_digits(matrix->digits[p], matrix->digits[q], false) < 0;
}

static bool is_smaller_text(const mm_sparse *matrix, int64_t p, int64_t q) {
    return compare_digits(matrix->digits[p], matrix->digits[q], true) < 0;
}

static bool is_less_integer(const mm_sparse *matrix, int64_t p, int64_t q) {
    return matrix->integer[p] < matrix->integer[q];
}

static bool is_smaller_integer(const mm_sparse *matrix, int64_t p, int64_t q) {
    return magnitude_of(matrix->integer[p]) < magnitude_of(matrix->integer[q]);
}

static bool is_less_real(const mm_sparse *matrix, int64_t p, int64_t q) {
    return matrix->real[p] < matrix->real[q];
}

static bool is_smaller_real(const mm_sparse *matrix, int64_t p, int64_t q) {
    return fabs(matrix->real[p]) < fabs(matrix->real[q]);
}

static bool is_smaller_complex(const mm_sparse *matrix, int64_t p, int64_t q) {
    return hypot(matrix->real[2 * p], matrix->real[2 * p + 1]) <
           hypot(matrix->real[2 * q], matrix->real[2 * q + 1]);
}

/* The first entries that are least and greatest; -1 without entries. */
static void find_extremes(const mm_sparse *matrix, comparison *is_less, int64_t *least, int64_t *greatest) {
    *least = *greatest = matrix->nnz > 0 ? 0 : -1;
    for (int64_t p = 1; p < matrix->nnz; p++) {
        if (is_less(matrix, p, *least))
            *least = p;
        if (is_less(matrix, *greatest, p))
            *greatest = p;
    }
}

static void find_range(const mm_sparse *matrix, mm_statistics *statistics) {
    comparison *is_less = is_less_real, *is_smaller = is_smaller_real;
    statistics->least = statistics->greatest = statistics->smallest = statistics->largest = -1;
    if (matrix->field == MM_PATTERN)
        return;
    if (matrix->digits != NULL)
        is_less = is_less_text, is_smaller = is_smaller_text;
    else if (matrix->integer != NULL)
        is_less = is_less_integer, is_smaller = is_smaller_integer;
    else if (matrix->field == MM_COMPLEX)
        is_smaller = is_smaller_complex;
    if (matrix->field != MM_COMPLEX)
        find_extremes(matrix, is_less, &statistics->least, &statistics->greatest);
    find_extremes(matrix, is_smaller, &statistics->smallest, &statistics->largest);
}

base_status mm_statistics_find(base_context *context, const mm_sparse *matrix, mm_statistics *statistics) {
    *statistics = (mm_statistics){0};
    find_bandwidths(matrix, statistics);
    find_range(matrix, statistics);
    return find_degrees(context, matrix, statistics);
}

static bool is_mirrored(const mm_sparse *a, int64_t p, int64_t q) {
    if (a->digits != NULL)
        return strcmp(a->digits[p], a->digits[q]) == 0;
    if (a->integer != NULL)
        return a->integer[p] == a->integer[q];
    if (a->field == MM_COMPLEX)
        return a->real[2 * p] == a->real[2 * q] && a->real[2 * p + 1] == -a->real[2 * q + 1];
    return a->real == NULL || a->real[p] == a->real[q];
}

/* While j ascends, the places where column i may have its row j ascend, too: next[i]. */
base_status mm_symmetry_measure(base_context *context, const mm_sparse *matrix, mm_symmetry_shares *shares) {
    base_status status = BASE_OK;
    const int64_t *start = matrix->start, *index = matrix->index;
    int64_t off_diagonal = 0, mirrored = 0, equal = 0, *next = NULL;
    *shares = (mm_symmetry_shares){NAN, NAN};
    if (matrix->nrow != matrix->ncol)
        goto done;
    next = base_alloc(context, matrix->ncol, sizeof *next);
    if (next == NULL)
        BASE_TRY(BASE_MACHINE);
    memcpy(next, start, (size_t)matrix->ncol * sizeof *next);
    base_progress_start(context, "symmetry", (double)matrix->nnz, "entries");
    for (int64_t j = 0; j < matrix->ncol; j++) {
        mm_sparse_tell(context, start, matrix->ncol, j);
        for (int64_t p = start[j]; p < start[j + 1]; p++) {
            const int64_t i = index[p];
            if (i == j)
                continue;
            off_diagonal++;
            while (next[i] < start[i + 1] && index[next[i]] < j)
                next[i]++;
            if (next[i] < start[i + 1] && index[next[i]] == j) {
                mirrored++;
                equal += is_mirrored(matrix, p, next[i]);
            }
        }
    }
    base_progress_finish(context);
    shares->pattern = off_diagonal > 0 ? (double)mirrored / (double)off_diagonal : 1;
    shares->numerical = off_diagonal > 0 ? (double)equal / (double)off_diagonal : 1;
done:
    free(next);
    return status;
}
