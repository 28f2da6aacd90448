/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparse matrices of records. */
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "mm/matrix/sparse.h"
#include "mm/record/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOLD_ENTRIES = 65536 }; /* so many at a time are told of as done */

/* A walk over all entries of a record with the symmetry expanded. */
typedef struct entries {
    const mm_record *record;
    bool keep_zeros;
    int64_t next;     /* stored entry to come */
    int64_t row, col; /* of the stored entry; of an array also the position of the walk */
    bool mirror;      /* its mirror image is to come */
} entries;

static void entries_start(entries *walk, const mm_record *record, bool keep_zeros) {
    *walk = (entries){.record = record, .keep_zeros = keep_zeros};
    if (record->format == MM_ARRAY)
        mm_array_first(record, &walk->row, &walk->col);
}

/* The next entry: its place, the stored entry *k it comes from, and whether it is that one's mirror image. */
static inline bool entries_next(entries *walk, int64_t *row, int64_t *col, int64_t *k, bool *mirrored) {
    const mm_record *record = walk->record;
    if (walk->mirror) {
        walk->mirror = false;
        *row = walk->col;
        *col = walk->row;
        *k = walk->next - 1;
        *mirrored = true;
        return true;
    }
    for (; walk->next < record->nnz; walk->next++) {
        if (record->format == MM_COORDINATE) {
            walk->row = record->row[walk->next];
            walk->col = record->col[walk->next];
        } else if (walk->next > 0) {
            mm_array_next(record, &walk->row, &walk->col);
        }
        /* An array stores its zeros because it must, so they are never explicit zeros. */
        if (mm_entry_is_zero(record, walk->next) && (record->format == MM_ARRAY || !walk->keep_zeros))
            continue;
        *row = walk->row;
        *col = walk->col;
        *k = walk->next++;
        *mirrored = false;
        walk->mirror = record->symmetry != MM_GENERAL && walk->row != walk->col;
        return true;
    }
    return false;
}

static base_status prepare_negated_digits(base_context *context, const mm_record *record, mm_sparse *matrix) {
    if (matrix->digits == NULL || record->symmetry != MM_SKEW_SYMMETRIC)
        return BASE_OK;
    matrix->negated_digits = base_alloc(context, record->digits_start[record->nnz] + record->nnz, 1);
    return matrix->negated_digits != NULL ? BASE_OK : BASE_MACHINE;
}

/* -text at *room, which moves behind it. */
static const char *negate_digits(const char *text, char **room) {
    char *result = *room;
    *room += sprintf(result, "%s%s", text[0] == '-' ? "" : "-", text[0] == '-' ? text + 1 : text) + 1;
    return result;
}

static base_status refuse_infinite(base_context *context, int64_t k) {
    return base_fail(context, BASE_FAILED, "entry %lld is infinite", (long long)k + 1);
}

/* Whether a real or complex entry is. */
static bool is_finite(const mm_record *record, int64_t k) {
    return record->field == MM_REAL ? isfinite(record->real[k])
                                    : isfinite(record->real[2 * k]) && isfinite(record->real[2 * k + 1]);
}

static base_status store_value(base_context *context, const mm_record *record, int64_t k, bool mirrored,
                               mm_sparse *matrix, int64_t to, char **room) {
    bool negate = mirrored && record->symmetry == MM_SKEW_SYMMETRIC;
    switch (record->field) {
    case MM_PATTERN: break;
    case MM_INTEGER:
        if (matrix->digits != NULL) {
            const char *text = record->digits + record->digits_start[k];
            matrix->digits[to] = negate ? negate_digits(text, room) : text;
        } else if (negate && record->integer[k] == INT64_MIN) {
            return base_fail(context, BASE_FAILED, "the mirror image of entry %lld exceeds 64 bits",
                             (long long)k + 1);
        } else {
            matrix->integer[to] = negate ? -record->integer[k] : record->integer[k];
        }
        break;
    case MM_REAL:
        if (!is_finite(record, k))
            return refuse_infinite(context, k);
        matrix->real[to] = negate ? -record->real[k] : record->real[k];
        break;
    case MM_COMPLEX:
        if (!is_finite(record, k))
            return refuse_infinite(context, k);
        matrix->real[2 * to] = negate ? -record->real[2 * k] : record->real[2 * k];
        matrix->real[2 * to + 1] = negate || (mirrored && record->symmetry == MM_HERMITIAN)
                                       ? -record->real[2 * k + 1]
                                       : record->real[2 * k + 1];
        break;
    }
    return BASE_OK;
}

/* Most records store each entry that counts, once. */
static bool is_plain(const mm_record *record) {
    return record->format == MM_COORDINATE && record->symmetry == MM_GENERAL && record->digits == NULL;
}

static void count_plain(const mm_record *record, mm_sparse_options options, mm_sparse *matrix) {
    const int64_t *major = options.orientation == MM_BY_ROWS ? record->row : record->col;
    for (int64_t k = 0; k < record->nnz; k++) {
        const bool counts = options.keep_zeros || !mm_entry_is_zero(record, k);
        matrix->start[major[k]] += counts;
        matrix->nnz += counts;
    }
}

static base_status fill_plain(base_context *context, const mm_record *record, mm_sparse_options options,
                              mm_sparse *matrix) {
    const bool by_rows = options.orientation == MM_BY_ROWS;
    const int64_t *major = by_rows ? record->row : record->col, *minor = by_rows ? record->col : record->row;
    const size_t bytes = 8 * (size_t)mm_sparse_value_words(record->field);
    const void *from = record->integer != NULL ? (const void *)record->integer : record->real;
    void *to = mm_sparse_values(matrix);
    for (int64_t k = 0; k < record->nnz; k++) {
        if (k > 0 && k % TOLD_ENTRIES == 0)
            base_progress_add(context, TOLD_ENTRIES);
        if (!options.keep_zeros && mm_entry_is_zero(record, k))
            continue;
        if (record->real != NULL && !is_finite(record, k))
            return refuse_infinite(context, k);
        const int64_t place = matrix->start[major[k]]++;
        matrix->index[place] = minor[k];
        mm_sparse_copy_value(to, place, from, k, bytes);
    }
    return BASE_OK;
}

/* Counts the entries of each column or row. */
static void count(const mm_record *record, mm_sparse_options options, mm_sparse *matrix) {
    const bool by_rows = options.orientation == MM_BY_ROWS;
    int64_t row, col, k;
    bool mirrored;
    entries walk;
    matrix->nnz = 0;
    if (is_plain(record)) {
        count_plain(record, options, matrix);
        return;
    }
    entries_start(&walk, record, options.keep_zeros);
    while (entries_next(&walk, &row, &col, &k, &mirrored)) {
        matrix->start[by_rows ? row : col]++;
        matrix->nnz++;
    }
}

static base_status fill(base_context *context, const mm_record *record, mm_sparse_options options,
                        mm_sparse *matrix) {
    base_status status = BASE_OK;
    bool by_rows = options.orientation == MM_BY_ROWS;
    int64_t majors = by_rows ? record->nrow : record->ncol, row, col, k;
    bool mirrored;
    entries walk;
    char *room = matrix->negated_digits;
    mm_sparse_begin_fill(matrix->start, majors);
    if (is_plain(record)) {
        BASE_TRY(fill_plain(context, record, options, matrix));
        goto done;
    }
    entries_start(&walk, record, options.keep_zeros);
    while (entries_next(&walk, &row, &col, &k, &mirrored)) {
        if (k > 0 && k % TOLD_ENTRIES == 0 && !mirrored)
            base_progress_add(context, TOLD_ENTRIES);
        int64_t to = matrix->start[by_rows ? row : col]++;
        matrix->index[to] = by_rows ? col : row;
        BASE_TRY(store_value(context, record, k, mirrored, matrix, to, &room));
    }
done:
    mm_sparse_end_fill(matrix->start, majors);
    return status;
}

typedef enum sorting { UNSORTED, SORTED, SORTED_AND_DISTINCT } sorting;

static sorting look_at_indices(const mm_sparse *matrix, int64_t majors) {
    sorting found = SORTED_AND_DISTINCT;
    for (int64_t j = 0; j < majors; j++)
        for (int64_t p = matrix->start[j] + 1; p < matrix->start[j + 1]; p++) {
            if (matrix->index[p - 1] > matrix->index[p])
                return UNSORTED;
            if (matrix->index[p - 1] == matrix->index[p])
                found = SORTED;
        }
    return found;
}

/* Reorienting sorts, so two of them sort in the orientation there was. */
static base_status sort_indices(base_context *context, mm_sparse *matrix, mm_orientation orientation) {
    mm_sparse other = {0}, sorted = {0};
    mm_orientation turned = orientation == MM_BY_ROWS ? MM_BY_COLUMNS : MM_BY_ROWS;
    base_status status;
    BASE_TRY(mm_sparse_reorient(context, matrix, orientation, &other));
    BASE_TRY(mm_sparse_reorient(context, &other, turned, &sorted));
    sorted.negated_digits = matrix->negated_digits;
    matrix->negated_digits = NULL;
    mm_sparse_free(matrix);
    *matrix = sorted;
done:
    mm_sparse_free(&other);
    return status;
}

static base_status refuse_duplicates(base_context *context, const mm_sparse *matrix,
                                     mm_orientation orientation) {
    int64_t majors = orientation == MM_BY_ROWS ? matrix->nrow : matrix->ncol;
    for (int64_t j = 0; j < majors; j++)
        for (int64_t p = matrix->start[j] + 1; p < matrix->start[j + 1]; p++)
            if (matrix->index[p - 1] == matrix->index[p]) {
                int64_t i = matrix->index[p];
                return base_fail(context, BASE_FAILED,
                                 "two entries at row %lld, column %lld; mm-cat --lenient adds them up",
                                 (long long)(orientation == MM_BY_ROWS ? j : i) + 1,
                                 (long long)(orientation == MM_BY_ROWS ? i : j) + 1);
            }
    return BASE_OK;
}

base_status mm_sparse_from_record(base_context *context, const mm_record *record, mm_sparse_options options,
                                  mm_sparse *matrix) {
    bool by_rows = options.orientation == MM_BY_ROWS;
    int64_t majors = by_rows ? record->nrow : record->ncol;
    base_status status;
    *matrix = (mm_sparse){.nrow = record->nrow, .ncol = record->ncol, .field = record->field};
    matrix->nnz = record->nnz * (record->symmetry == MM_GENERAL ? 1 : 2); /* at most */
    BASE_TRY(mm_sparse_alloc(context, matrix, majors, record->digits != NULL));
    BASE_TRY(prepare_negated_digits(context, record, matrix));
    count(record, options, matrix);
    const bool is_told = record->nnz > TOLD_ENTRIES; /* a small record is done before anybody looks */
    if (is_told)
        base_progress_start(context, "sort", (double)record->nnz, "entries");
    status = fill(context, record, options, matrix);
    if (is_told)
        base_progress_finish(context);
    BASE_TRY(status);
    const sorting found = look_at_indices(matrix, majors);
    if (found == UNSORTED)
        BASE_TRY(sort_indices(context, matrix, options.orientation));
    if (found != SORTED_AND_DISTINCT)
        BASE_TRY(refuse_duplicates(context, matrix, options.orientation));
done:
    if (status != BASE_OK)
        mm_sparse_free(matrix);
    return status;
}

static base_status check_finite(base_context *context, const mm_record *record) {
    const int64_t words = mm_sparse_value_words(record->field);
    for (int64_t k = 0; record->real != NULL && k < words * record->nnz; k++)
        if (!isfinite(record->real[k]))
            return refuse_infinite(context, k / words);
    return BASE_OK;
}

/* Drops the zeros of a sorted record in place. */
static void drop_zeros(mm_record *record, int64_t *start) {
    const int words = mm_sparse_value_words(record->field);
    uint64_t *value = record->integer != NULL ? (uint64_t *)record->integer : (uint64_t *)record->real;
    int64_t kept = 0;
    for (int64_t j = 0, p = 0; j < record->ncol; j++) {
        for (; p < start[j + 1]; p++)
            if (!mm_entry_is_zero(record, p)) {
                record->row[kept] = record->row[p];
                for (int w = 0; w < words; w++)
                    value[words * kept + w] = value[words * p + w];
                kept++;
            }
        start[j + 1] = kept;
    }
}

base_status mm_sparse_take_record(base_context *context, mm_record *record, bool keep_zeros,
                                  mm_sparse *matrix) {
    base_status status;
    const mm_sparse_options by_columns = {MM_BY_COLUMNS, keep_zeros};
    if (!mm_sparse_can_take(record))
        return mm_sparse_from_record(context, record, by_columns, matrix);
    *matrix = (mm_sparse){.nrow = record->nrow, .ncol = record->ncol, .field = record->field};
    BASE_TRY(check_finite(context, record));
    matrix->start = base_alloc_zero(context, record->ncol + 1, sizeof *matrix->start);
    if (matrix->start == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(mm_sparse_sort_record(context, record, matrix->start));
    free(record->col);
    record->col = NULL;
    if (!keep_zeros)
        drop_zeros(record, matrix->start);
    matrix->nnz = matrix->start[record->ncol];
    matrix->index = record->row;
    matrix->real = record->real;
    matrix->integer = record->integer;
    record->row = record->integer = NULL;
    record->real = NULL;
    BASE_TRY(refuse_duplicates(context, matrix, MM_BY_COLUMNS));
    if (record->symmetry != MM_GENERAL)
        BASE_TRY(mm_sparse_expand(context, record->symmetry, matrix));
done:
    if (status != BASE_OK)
        mm_sparse_free(matrix);
    return status;
}
