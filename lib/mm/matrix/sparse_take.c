/* SPDX-License-Identifier: BSD-3-Clause */
/* A record's own arrays become those of a matrix: entries are sorted where they are, by columns with cycles
 * of exchanges, then inside each column. */
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "mm/matrix/sparse.h"

#include <stdlib.h>
#include <string.h>

/* An entry of at most two words of value, and where it goes. */
typedef struct entry {
    int64_t row, col;
    uint64_t value[2];
} entry;

typedef struct arrays {
    int64_t *row, *col;
    uint64_t *value; /* NULL: there are none */
    int words;       /* of a value */
} arrays;

static inline entry get(const arrays *a, int64_t k) {
    entry e = {a->row[k], a->col[k], {0, 0}};
    for (int w = 0; w < a->words; w++)
        e.value[w] = a->value[a->words * k + w];
    return e;
}

static inline void put(const arrays *a, int64_t k, const entry *e) {
    a->row[k] = e->row;
    a->col[k] = e->col;
    for (int w = 0; w < a->words; w++)
        a->value[a->words * k + w] = e->value[w];
}

/* Moves every entry to its column: next[j] is the first place of column j whose entry is not its own. */
static void sort_by_columns(base_context *context, const arrays *a, const int64_t *start, int64_t *next,
                            int64_t ncol) {
    for (int64_t j = 0; j < ncol; j++) {
        /* Entries that came here before count as this column's. */
        mm_sparse_tell(context, start, ncol, j);
        while (next[j] < start[j + 1]) {
            entry e = get(a, next[j]);
            while (e.col != j) {
                const int64_t to = next[e.col]++;
                const entry other = get(a, to);
                put(a, to, &e);
                e = other;
            }
            put(a, next[j]++, &e);
        }
    }
}

static int compare_rows(const void *left, const void *right) {
    const int64_t a = ((const entry *)left)->row, b = ((const entry *)right)->row;
    return (a > b) - (a < b);
}

static bool is_sorted(const int64_t *row, int64_t count) {
    for (int64_t k = 1; k < count; k++)
        if (row[k - 1] > row[k])
            return false;
    return true;
}

/* Of the columns that are not sorted; `room` for the longest of them. */
static void sort_columns(base_context *context, const arrays *a, const int64_t *start, int64_t ncol,
                         entry *room) {
    for (int64_t j = 0; j < ncol; j++) {
        const int64_t count = start[j + 1] - start[j];
        mm_sparse_tell(context, start, ncol, j);
        if (is_sorted(a->row + start[j], count))
            continue;
        for (int64_t k = 0; k < count; k++)
            room[k] = get(a, start[j] + k);
        qsort(room, (size_t)count, sizeof *room, compare_rows);
        for (int64_t k = 0; k < count; k++)
            put(a, start[j] + k, &room[k]);
    }
}

static int64_t longest_unsorted(const arrays *a, const int64_t *start, int64_t ncol) {
    int64_t longest = 0;
    for (int64_t j = 0; j < ncol; j++) {
        const int64_t count = start[j + 1] - start[j];
        if (count > longest && !is_sorted(a->row + start[j], count))
            longest = count;
    }
    return longest;
}

bool mm_sparse_can_take(const mm_record *record) {
    if (record->kind != MM_MATRIX || record->format != MM_COORDINATE || record->digits != NULL ||
        record->memory != NULL)
        return false;
    for (int64_t k = 0; record->symmetry != MM_GENERAL && k < record->nnz; k++)
        if (record->row[k] < record->col[k])
            return false;
    return true;
}

/* How many entries each column has, in start[j + 1]; whether the columns come in order. */
static bool count_columns(const mm_record *record, int64_t *start) {
    bool in_order = true;
    for (int64_t k = 0; k < record->nnz; k++) {
        start[record->col[k] + 1]++;
        in_order = in_order && (k == 0 || record->col[k - 1] <= record->col[k]);
    }
    for (int64_t j = 0; j < record->ncol; j++)
        start[j + 1] += start[j];
    return in_order;
}

base_status mm_sparse_sort_record(base_context *context, mm_record *record, int64_t *start) {
    base_status status = BASE_OK;
    int64_t *next = NULL;
    entry *room = NULL;
    const arrays a = {record->row, record->col,
                      record->integer != NULL ? (uint64_t *)record->integer : (uint64_t *)record->real,
                      mm_sparse_value_words(record->field)};
    const bool in_order = count_columns(record, start);
    base_progress_start(context, "sort", (in_order ? 1 : 2) * (double)record->nnz, "entries");
    if (!in_order) {
        next = base_alloc(context, record->ncol, sizeof *next);
        if (next == NULL)
            BASE_TRY(BASE_MACHINE);
        memcpy(next, start, (size_t)record->ncol * sizeof *next);
        sort_by_columns(context, &a, start, next, record->ncol);
    }
    const int64_t longest = longest_unsorted(&a, start, record->ncol);
    if (longest > 0) {
        room = base_alloc(context, longest, sizeof *room);
        if (room == NULL)
            BASE_TRY(BASE_MACHINE);
        sort_columns(context, &a, start, record->ncol, room);
    }
done:
    base_progress_finish(context);
    free(next);
    free(room);
    return status;
}

/* ---- mirrored entries ---- */

/* Moves the entries of each column, whose rows are on or below the diagonal, to the end of the place that it
 * has with the mirrored ones: from the last column on, since no place begins before the old one. */
static void spread_columns(const mm_sparse *matrix, const int64_t *place, int words) {
    double *real = matrix->real;
    int64_t *integer = matrix->integer;
    for (int64_t j = matrix->ncol - 1; j >= 0; j--) {
        const int64_t from = matrix->start[j], count = matrix->start[j + 1] - from, to = place[j + 1] - count;
        const size_t bytes = (size_t)count * sizeof *matrix->index;
        memmove(matrix->index + to, matrix->index + from, bytes);
        if (real != NULL)
            memmove(real + words * to, real + words * from, (size_t)words * bytes);
        if (integer != NULL)
            memmove(integer + to, integer + from, bytes);
    }
}

/* The value of place p at its mirrored place q. */
static base_status mirror_value(base_context *context, mm_symmetry symmetry, const mm_sparse *matrix,
                                int64_t p, int64_t q) {
    const bool negate = symmetry == MM_SKEW_SYMMETRIC;
    if (matrix->integer != NULL) {
        if (negate && matrix->integer[p] == INT64_MIN)
            return base_fail(context, BASE_FAILED, "a mirrored entry exceeds 64 bits");
        matrix->integer[q] = negate ? -matrix->integer[p] : matrix->integer[p];
    } else if (matrix->field == MM_COMPLEX) {
        matrix->real[2 * q] = negate ? -matrix->real[2 * p] : matrix->real[2 * p];
        matrix->real[2 * q + 1] =
            negate || symmetry == MM_HERMITIAN ? -matrix->real[2 * p + 1] : matrix->real[2 * p + 1];
    } else if (matrix->real != NULL) {
        matrix->real[q] = negate ? -matrix->real[p] : matrix->real[p];
    }
    return BASE_OK;
}

/* While j ascends, the rows that the mirrored entries of column j put into other columns do, too: next[i] is
 * the place of the next one in column i. */
static base_status fill_mirrored(base_context *context, mm_symmetry symmetry, const mm_sparse *matrix,
                                 const int64_t *place, int64_t *next) {
    base_status status = BASE_OK;
    memcpy(next, place, (size_t)matrix->ncol * sizeof *next);
    for (int64_t j = 0; j < matrix->ncol; j++) {
        const int64_t count = matrix->start[j + 1] - matrix->start[j];
        for (int64_t p = place[j + 1] - count; p < place[j + 1]; p++) {
            const int64_t i = matrix->index[p];
            if (i == j)
                continue;
            matrix->index[next[i]] = j;
            BASE_TRY(mirror_value(context, symmetry, matrix, p, next[i]++));
        }
    }
done:
    return status;
}

base_status mm_sparse_expand(base_context *context, mm_symmetry symmetry, mm_sparse *matrix) {
    base_status status;
    const int64_t ncol = matrix->ncol, *start = matrix->start;
    const int words = mm_sparse_value_words(matrix->field);
    int64_t *place = base_alloc_zero(context, ncol + 1, sizeof *place);
    int64_t *next = base_alloc(context, ncol, sizeof *next);
    if (place == NULL || next == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t j = 0; j < ncol; j++) {
        place[j + 1] += start[j + 1] - start[j];
        for (int64_t p = start[j]; p < start[j + 1]; p++)
            place[matrix->index[p] + 1] += matrix->index[p] != j;
    }
    for (int64_t j = 0; j < ncol; j++)
        place[j + 1] += place[j];
    matrix->nnz = place[ncol];
    BASE_TRY(base_resize(context, &matrix->index, matrix->nnz, sizeof *matrix->index));
    if (matrix->real != NULL)
        BASE_TRY(base_resize(context, &matrix->real, words * matrix->nnz, sizeof *matrix->real));
    if (matrix->integer != NULL)
        BASE_TRY(base_resize(context, &matrix->integer, matrix->nnz, sizeof *matrix->integer));
    spread_columns(matrix, place, words);
    BASE_TRY(fill_mirrored(context, symmetry, matrix, place, next));
    free(matrix->start);
    matrix->start = place;
    place = NULL;
done:
    free(place);
    free(next);
    return status;
}
