/* SPDX-License-Identifier: BSD-3-Clause */
/* Upper bounds of permanents, by rows and by columns (matrix.h). */
#include "base/core/memory.h"
#include "perm/matrix/matrix.h"

#include <math.h>
#include <stdlib.h>

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int descending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Most rows are short, and a call of qsort takes longer than to sort them. */
static void sort_descending(double *size, int64_t count) {
    enum { SHORT = 32 };
    if (count > SHORT) {
        qsort(size, (size_t)count, sizeof *size, descending);
        return;
    }
    for (int64_t k = 1; k < count; k++) {
        const double moved = size[k];
        int64_t to = k;
        for (; to > 0 && size[to - 1] < moved; to--)
            size[to] = size[to - 1];
        size[to] = moved;
    }
}

/* What bounds of rows and columns are computed from. Sizes are logarithms of absolute values. */
typedef struct bound_work {
    mm_sparse columns;
    double *entry;              /* nnz: sizes of the entries */
    double *by_row, *by_column; /* nnz: the same with the scales, in the order of rows and of columns */
    double *weight;             /* n: g(k) - g(k-1) with g(k) = (k!)^(1/k), k from 1 */
    int64_t *next;              /* n */
} bound_work;

static void free_bound_work(bound_work *work) {
    mm_sparse_free(&work->columns);
    free(work->entry);
    free(work->weight);
    free(work->next);
}

static base_status make_bound_work(base_context *context, const perm_matrix *matrix, bound_work *work) {
    base_status status = BASE_OK;
    const mm_sparse pattern = perm_matrix_pattern(matrix);
    const int64_t n = matrix->n;
    double before = 0;
    work->entry = base_alloc(context, 3 * matrix->nnz, sizeof *work->entry);
    work->weight = base_alloc(context, n, sizeof *work->weight);
    work->next = base_alloc(context, n, sizeof *work->next);
    if (work->entry == NULL || work->weight == NULL || work->next == NULL)
        BASE_TRY(BASE_MACHINE);
    work->by_row = work->entry + matrix->nnz;
    work->by_column = work->by_row + matrix->nnz;
    BASE_TRY(mm_sparse_reorient(context, &pattern, MM_BY_ROWS, &work->columns));
    for (int64_t e = 0; e < matrix->nnz; e++)
        work->entry[e] = perm_bound_log2(perm_bound_of(&matrix->entry[e]));
    int64_t longest = 0;
    for (int64_t i = 0; i < n; i++) {
        longest = larger(longest, matrix->start[i + 1] - matrix->start[i]);
        longest = larger(longest, work->columns.start[i + 1] - work->columns.start[i]);
    }
    for (int64_t k = 1; k <= longest; k++) {
        const double g = exp(lgamma((double)k + 1) / (double)k);
        work->weight[k - 1] = g - before;
        before = g;
    }
done:
    return status;
}

/* log2 of Σ size(k)·weight(k) over a row's sizes in descending order, which are sorted here; -1e300 for an
 * empty row. */
static double row_bound_log2(double *size, int64_t count, const double *weight) {
    double sum = 0;
    if (count == 0)
        return -1e300;
    sort_descending(size, count);
    for (int64_t k = 0; k < count; k++)
        sum += exp2(size[k] - size[0]) * weight[k];
    return size[0] + log2(sum) + 1e-9;
}

static double product_bound_log2(const int64_t *start, double *size, int64_t n, const double *weight) {
    double product = 0;
    for (int64_t i = 0; i < n; i++)
        product += row_bound_log2(size + start[i], start[i + 1] - start[i], weight);
    return product + 1e-12 * fabs(product);
}

/* Of the matrix with its rows and columns multiplied by powers of two. */
static double scaled_bound_log2(const perm_matrix *matrix, const int64_t *row, const int64_t *column,
                                bound_work *work) {
    const int64_t n = matrix->n;
    double scale = 0;
    for (int64_t i = 0; i < n; i++) {
        work->next[i] = work->columns.start[i];
        scale += (double)(row[i] + column[i]);
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = matrix->start[i]; e < matrix->start[i + 1]; e++) {
            double shift = (double)(row[i] + column[matrix->index[e]]);
            work->by_row[e] = work->entry[e] + shift;
            work->by_column[work->next[matrix->index[e]]++] = work->by_row[e];
        }
    double by_rows = product_bound_log2(matrix->start, work->by_row, n, work->weight);
    double by_columns = product_bound_log2(work->columns.start, work->by_column, n, work->weight);
    return (by_rows < by_columns ? by_rows : by_columns) - scale;
}

/* Without scaling where the bound is at most `enough`. */
static base_status bound_log2(base_context *context, const perm_matrix *matrix, double enough,
                              double *bound) {
    base_status status = BASE_OK;
    const int64_t n = matrix->n;
    bound_work work = {.entry = NULL};
    int64_t *scale = base_alloc_zero(context, 2 * n, sizeof *scale);
    BASE_TRY(scale != NULL ? BASE_OK : BASE_MACHINE);
    BASE_TRY(make_bound_work(context, matrix, &work));
    *bound = scaled_bound_log2(matrix, scale, scale + n, &work);
    if (*bound <= enough)
        goto done;
    /* Rows and columns may be of very different sizes: before they are scaled neither product is of much use.
     */
    BASE_TRY(perm_matrix_equilibrate(context, matrix, scale, scale + n));
    *bound = fmin(scaled_bound_log2(matrix, scale, scale + n, &work), *bound);
done:
    free(scale);
    free_bound_work(&work);
    return status;
}

base_status perm_matrix_bound_log2(base_context *context, const perm_matrix *matrix, double *bound) {
    return bound_log2(context, matrix, -INFINITY, bound);
}

base_status perm_matrix_bound_log2_enough(base_context *context, const perm_matrix *matrix, double enough,
                                          double *bound) {
    return bound_log2(context, matrix, enough, bound);
}

base_status perm_matrix_bound_minors_log2(base_context *context, const perm_matrix *matrix, double *bound) {
    return bound_log2(context, matrix, INFINITY, bound);
}
