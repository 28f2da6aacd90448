/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/arrays/compressed.h"
#include "base/core/memory.h"
#include "base/run/progress.h"
#include "mm/record/places.h"

#include <stdlib.h>
#include <string.h>

base_status mm_compressed_check(base_context *context, const int64_t *start, int64_t majors, int64_t nnz) {
    base_status status = BASE_OK;
    for (int64_t j = 0; j < majors; j++)
        if (start[j + 1] < start[j])
            BASE_TRY(base_fail(context, BASE_DAMAGED, "pointer %lld (from 0) is less than the one before it",
                               (long long)j + 1));
    if (start[0] != 0 || start[majors] != nnz)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "the pointers go from %lld to %lld, not from 0 to %lld",
                           (long long)start[0], (long long)start[majors], (long long)nnz));
done:
    return status;
}

base_status mm_compressed_expand(base_context *context, const int64_t *start, int64_t majors, int64_t nnz,
                                 int64_t **result) {
    base_status status;
    *result = NULL;
    BASE_TRY(mm_compressed_check(context, start, majors, nnz));
    *result = base_alloc(context, nnz, sizeof **result);
    if (*result == NULL)
        BASE_TRY(BASE_MACHINE);
    mm_places_fill(start, majors, 0, nnz, *result);
done:
    return status;
}

enum {
    TOLD_ENTRIES = 65536,   /* so many at a time are told of as done */
    ORDERED_ENTRIES = 2048, /* so many are looked at before the next question: they stay in the first cache */
};

/* Entries first … end - 1, and the one before them. */
static bool is_part_ordered(const int64_t *major, const int64_t *minor, int64_t first, int64_t end) {
    bool good = true;
    for (int64_t k = first > 0 ? first : 1; k < end; k++)
        good &= (major[k - 1] < major[k]) | ((major[k - 1] == major[k]) & (minor[k - 1] < minor[k]));
    return good;
}

static int64_t part_end(int64_t first, int64_t nnz) {
    return nnz - first < ORDERED_ENTRIES ? nnz : first + ORDERED_ENTRIES;
}

bool mm_compressed_is_ordered(const int64_t *major, const int64_t *minor, int64_t nnz) {
    bool good = true;
    for (int64_t first = 0; good && first < nnz; first += ORDERED_ENTRIES)
        good = is_part_ordered(major, minor, first, part_end(first, nnz));
    return good;
}

/* The entries `from` (NULL: 0, 1, …), stably sorted by key; `start` has room for `limit` + 1. */
static void sort_by(base_context *context, const int64_t *key, int64_t limit, const int64_t *from,
                    int64_t nnz, int64_t *start, int64_t *to) {
    memset(start, 0, ((size_t)limit + 1) * sizeof *start);
    for (int64_t k = 0; k < nnz; k++)
        start[key[k] + 1]++;
    for (int64_t j = 0; j < limit; j++)
        start[j + 1] += start[j];
    for (int64_t k = 0; k < nnz; k++) {
        if (k % TOLD_ENTRIES == 0)
            base_progress_add(context, TOLD_ENTRIES);
        const int64_t entry = from != NULL ? from[k] : k;
        to[start[key[entry]]++] = entry;
    }
}

/* For matrices with far more rows or columns than entries. */
typedef struct pair {
    int64_t major, minor, entry;
} pair;

static int compare_pairs(const void *one, const void *other) {
    const pair *a = one, *b = other;
    const int by_major = (a->major > b->major) - (a->major < b->major);
    const int by_minor = (a->minor > b->minor) - (a->minor < b->minor);
    return by_major != 0   ? by_major
           : by_minor != 0 ? by_minor
                           : (a->entry > b->entry) - (a->entry < b->entry);
}

static base_status sort_pairs(base_context *context, const int64_t *major, const int64_t *minor, int64_t nnz,
                              int64_t *order) {
    pair *pairs = base_alloc(context, nnz, sizeof *pairs);
    if (pairs == NULL)
        return BASE_MACHINE;
    for (int64_t k = 0; k < nnz; k++)
        pairs[k] = (pair){major[k], minor[k], k};
    qsort(pairs, (size_t)nnz, sizeof *pairs, compare_pairs);
    for (int64_t k = 0; k < nnz; k++)
        order[k] = pairs[k].entry;
    free(pairs);
    return BASE_OK;
}

static base_status sort_places(base_context *context, const int64_t *major, int64_t majors,
                               const int64_t *minor, int64_t minors, int64_t nnz, int64_t *order) {
    base_status status = BASE_OK;
    const int64_t limit = majors > minors ? majors : minors;
    int64_t *start = base_alloc(context, limit + 1, sizeof *start);
    int64_t *by_minor = base_alloc(context, nnz, sizeof *by_minor);
    if (start == NULL || by_minor == NULL)
        BASE_TRY(BASE_MACHINE);
    base_progress_start(context, "sort", 2 * (double)nnz, "entries");
    sort_by(context, minor, minors, NULL, nnz, start, by_minor);
    sort_by(context, major, majors, by_minor, nnz, start, order);
    base_progress_finish(context);
done:
    free(start);
    free(by_minor);
    return status;
}

base_status mm_compressed_order(base_context *context, const mm_record *record, bool by_columns,
                                int64_t **result) {
    base_status status = BASE_OK;
    const int64_t *major = by_columns ? record->col : record->row;
    const int64_t *minor = by_columns ? record->row : record->col;
    const int64_t majors = by_columns ? record->ncol : record->nrow, nnz = record->nnz;
    const int64_t minors = by_columns ? record->nrow : record->ncol;
    *result = NULL;
    if (mm_compressed_is_ordered(major, minor, nnz))
        goto done;
    *result = base_alloc(context, nnz, sizeof **result);
    if (*result == NULL)
        BASE_TRY(BASE_MACHINE);
    if (majors / 4 > nnz || minors / 4 > nnz)
        BASE_TRY(sort_pairs(context, major, minor, nnz, *result));
    else
        BASE_TRY(sort_places(context, major, majors, minor, minors, nnz, *result));
done:
    return status;
}

/* Elements of `words` 64-bit words each. */
static base_status permute(base_context *context, const mm_record *record, void *array, const int64_t *order,
                           int64_t count, int words) {
    int64_t *old, *fresh;
    memcpy(&old, array, sizeof old);
    if (old == NULL)
        return BASE_OK;
    fresh = base_alloc(context, count, (int64_t)sizeof *fresh * words);
    if (fresh == NULL)
        return BASE_MACHINE;
    for (int64_t k = 0; k < count; k++)
        for (int w = 0; w < words; w++)
            fresh[k * words + w] = old[order[k] * words + w];
    mm_record_free_array(record, old);
    memcpy(array, &fresh, sizeof fresh);
    return BASE_OK;
}

static base_status permute_digits(base_context *context, mm_record *record, const int64_t *order) {
    base_status status = BASE_OK;
    const int64_t bytes = record->digits_start[record->nnz];
    char *fresh = base_alloc(context, bytes, 1);
    int64_t *start = base_alloc(context, record->nnz + 1, sizeof *start), used = 0;
    if (fresh == NULL || start == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t k = 0; k < record->nnz; k++) {
        const int64_t length = record->digits_start[order[k] + 1] - record->digits_start[order[k]];
        start[k] = used;
        memcpy(fresh + used, record->digits + record->digits_start[order[k]], (size_t)length);
        used += length;
    }
    start[record->nnz] = used;
    mm_record_free_array(record, record->digits);
    free(record->digits_start);
    record->digits = fresh;
    record->digits_start = start;
    fresh = NULL;
    start = NULL;
done:
    free(fresh);
    free(start);
    return status;
}

/* The entries of a coordinate record in another order. */
static base_status apply(base_context *context, mm_record *record, const int64_t *order) {
    base_status status;
    BASE_TRY(permute(context, record, &record->row, order, record->nnz, 1));
    BASE_TRY(permute(context, record, &record->col, order, record->nnz, 1));
    BASE_TRY(
        permute(context, record, &record->real, order, record->nnz, record->field == MM_COMPLEX ? 2 : 1));
    BASE_TRY(permute(context, record, &record->integer, order, record->nnz, 1));
    if (record->digits != NULL)
        BASE_TRY(permute_digits(context, record, order));
done:
    return status;
}

base_status mm_compressed_sort(base_context *context, mm_record *record, bool by_columns) {
    base_status status;
    int64_t *order = NULL;
    BASE_TRY(mm_compressed_order(context, record, by_columns, &order));
    for (int64_t k = 1; order != NULL && k < record->nnz; k++)
        if (record->row[order[k]] == record->row[order[k - 1]] &&
            record->col[order[k]] == record->col[order[k - 1]])
            BASE_TRY(base_fail(context, BASE_FAILED,
                               "two entries at one position: mm-cat --lenient adds them up"));
    if (order != NULL)
        BASE_TRY(apply(context, record, order));
done:
    free(order);
    return status;
}

/* Where the last entry of each major index ends; the majors ascend, so that it is written last. */
static void note_ends(const int64_t *major, int64_t first, int64_t end, int64_t *start) {
    for (int64_t k = first; k < end; k++)
        start[major[k] + 1] = k + 1;
}

/* Majors without an entry end where the one before them does. */
static void fill_ends(int64_t *start, int64_t majors) {
    for (int64_t j = 0; j < majors; j++)
        start[j + 1] = start[j + 1] < start[j] ? start[j] : start[j + 1];
}

base_status mm_compressed_starts(base_context *context, const int64_t *major, int64_t majors, int64_t nnz,
                                 int64_t **result) {
    int64_t *start = *result = base_alloc_zero(context, majors + 1, sizeof *start);
    if (start == NULL)
        return BASE_MACHINE;
    note_ends(major, 0, nnz, start);
    fill_ends(start, majors);
    return BASE_OK;
}

/* The same, and whether the entries are in strict order; *result NULL where they are not. */
static base_status find_starts(base_context *context, const int64_t *major, const int64_t *minor,
                               int64_t majors, int64_t nnz, int64_t **result) {
    int64_t *start = *result = base_alloc_zero(context, majors + 1, sizeof *start);
    if (start == NULL)
        return BASE_MACHINE;
    for (int64_t first = 0; first < nnz; first += ORDERED_ENTRIES) {
        const int64_t end = part_end(first, nnz);
        if (!is_part_ordered(major, minor, first, end)) {
            free(start);
            *result = NULL;
            return BASE_OK;
        }
        note_ends(major, first, end, start);
    }
    fill_ends(start, majors);
    return BASE_OK;
}

base_status mm_compressed_make(base_context *context, mm_record *record, bool *by_columns, int64_t **start) {
    base_status status;
    const int64_t nnz = record->nnz;
    *by_columns = true;
    BASE_TRY(find_starts(context, record->col, record->row, record->ncol, nnz, start));
    if (*start != NULL)
        goto done;
    BASE_TRY(find_starts(context, record->row, record->col, record->nrow, nnz, start));
    *by_columns = *start == NULL;
    if (*start != NULL)
        goto done;
    BASE_TRY(mm_compressed_sort(context, record, true));
    BASE_TRY(mm_compressed_starts(context, record->col, record->ncol, nnz, start));
done:
    return status;
}

/* aᵀ, -aᵀ or the conjugate for every entry. */
static base_status mirror(base_context *context, mm_record *record) {
    int64_t *row = record->row;
    record->row = record->col;
    record->col = row;
    if (record->symmetry == MM_SKEW_SYMMETRIC && record->digits != NULL)
        return base_fail(context, BASE_DAMAGED, "integers beyond 64 bits above the diagonal");
    for (int64_t k = 0; record->symmetry == MM_SKEW_SYMMETRIC && k < record->nnz; k++)
        if (record->integer != NULL && __builtin_sub_overflow(0, record->integer[k], &record->integer[k]))
            return base_fail(context, BASE_DAMAGED, "an entry cannot be negated");
    const int words = record->field == MM_COMPLEX ? 2 : 1;
    if (record->real != NULL && record->symmetry == MM_SKEW_SYMMETRIC)
        for (int64_t k = 0; k < record->nnz * words; k++)
            record->real[k] = -record->real[k];
    if (record->symmetry == MM_HERMITIAN)
        for (int64_t k = 0; k < record->nnz; k++)
            record->real[2 * k + 1] = -record->real[2 * k + 1];
    return BASE_OK;
}

base_status mm_triangle_lower(base_context *context, mm_record *record, bool is_upper) {
    base_status status = BASE_OK;
    if (record->nrow != record->ncol)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "%s, but not square", mm_symmetry_name(record->symmetry)));
    if (record->symmetry == MM_HERMITIAN && record->field != MM_COMPLEX)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "hermitian, but not complex"));
    if (record->symmetry == MM_SKEW_SYMMETRIC && record->field == MM_PATTERN)
        BASE_TRY(base_fail(context, BASE_DAMAGED, "a pattern cannot be skew-symmetric"));
    if (is_upper)
        BASE_TRY(mirror(context, record));
    for (int64_t k = 0; k < record->nnz; k++) {
        const int64_t row = record->row[k], col = record->col[k];
        const bool on_diagonal = row == col;
        if (row < col || (on_diagonal && record->symmetry == MM_SKEW_SYMMETRIC) ||
            (on_diagonal && record->symmetry == MM_HERMITIAN && record->real[2 * k + 1] != 0))
            BASE_TRY(base_fail(context, BASE_DAMAGED, "entry (%lld, %lld) (from 1) is not for a %s matrix",
                               (long long)(is_upper ? col : row) + 1, (long long)(is_upper ? row : col) + 1,
                               mm_symmetry_name(record->symmetry)));
    }
done:
    return status;
}
