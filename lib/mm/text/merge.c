/* SPDX-License-Identifier: BSD-3-Clause */
/* Lenient reading: duplicates and entries above the diagonal, by one sort of the positions. */
#include "base/core/memory.h"
#include "mm/text/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- values, whatever they are ---- */

bool mm_text_mirror_value(mm_record *record, int64_t k) {
    bool negative = record->symmetry == MM_SKEW_SYMMETRIC;
    switch (record->field) {
    case MM_PATTERN: return true;
    case MM_INTEGER:
        if (!negative)
            return true;
        if (record->integer == NULL || record->integer[k] == INT64_MIN)
            return false;
        record->integer[k] = -record->integer[k];
        return true;
    case MM_REAL:
        if (negative)
            record->real[k] = -record->real[k];
        return true;
    case MM_COMPLEX:
        if (negative)
            record->real[2 * k] = -record->real[2 * k];
        if (negative || record->symmetry == MM_HERMITIAN)
            record->real[2 * k + 1] = -record->real[2 * k + 1];
        return true;
    }
    return false;
}

static bool equal_values(const mm_record *record, int64_t a, int64_t b) {
    const char *digits = record->digits;
    switch (record->field) {
    case MM_PATTERN: return true;
    case MM_INTEGER:
        if (digits != NULL)
            return strcmp(digits + record->digits_start[a], digits + record->digits_start[b]) == 0;
        return record->integer[a] == record->integer[b];
    case MM_REAL: return record->real[a] == record->real[b];
    case MM_COMPLEX:
        return record->real[2 * a] == record->real[2 * b] &&
               record->real[2 * a + 1] == record->real[2 * b + 1];
    }
    return false;
}

/* Adds entry b to entry a; false when the sum is out of range. */
static bool add_values(mm_record *record, int64_t a, int64_t b) {
    switch (record->field) {
    case MM_PATTERN: return true;
    case MM_INTEGER:
        return record->integer != NULL &&
               !__builtin_add_overflow(record->integer[a], record->integer[b], &record->integer[a]);
    case MM_REAL: return isfinite(record->real[a] += record->real[b]);
    case MM_COMPLEX:
        record->real[2 * a] += record->real[2 * b];
        record->real[2 * a + 1] += record->real[2 * b + 1];
        return isfinite(record->real[2 * a]) && isfinite(record->real[2 * a + 1]);
    }
    return false;
}

void mm_text_copy_entry(mm_record *to_record, int64_t to, const mm_record *record, int64_t from) {
    to_record->row[to] = record->row[from];
    to_record->col[to] = record->col[from];
    if (record->integer != NULL)
        to_record->integer[to] = record->integer[from];
    if (record->field == MM_REAL)
        to_record->real[to] = record->real[from];
    if (record->field == MM_COMPLEX) {
        to_record->real[2 * to] = record->real[2 * from];
        to_record->real[2 * to + 1] = record->real[2 * from + 1];
    }
}

/* ---- duplicates and triangles ---- */

/* The position an entry has in a format that stores the lower triangle only. */
static void stored_position(const mm_record *record, int64_t k, int64_t *row, int64_t *col) {
    int64_t i = record->row[k], j = record->col[k];
    bool swap = record->symmetry != MM_GENERAL && i < j;
    *row = swap ? j : i;
    *col = swap ? i : j;
}

/* True when positions ascend strictly in the order of columns or rows and no entry is above the diagonal. */
static bool is_in_order(const mm_record *record) {
    bool by_columns = true, by_rows = true;
    for (int64_t k = 0; k < record->nnz && (by_columns || by_rows); k++) {
        int64_t row = record->row[k], col = record->col[k];
        if (record->symmetry != MM_GENERAL && row < col)
            return false;
        if (k > 0) {
            int64_t last_row = record->row[k - 1], last_col = record->col[k - 1];
            by_columns = by_columns && (col > last_col || (col == last_col && row > last_row));
            by_rows = by_rows && (row > last_row || (row == last_row && col > last_col));
        }
    }
    return by_columns || by_rows;
}

/* Orders the entries by column, row and place in the file: a radix sort, from the last digit of the row on.
 */
static base_status sort_positions(base_context *context, const mm_record *record, int64_t *order) {
    base_status status = BASE_OK;
    int bits = record->nnz < 65536 ? 8 : 16;
    int64_t buckets = INT64_C(1) << bits;
    int64_t *start = base_alloc(context, buckets + 1, sizeof *start);
    int64_t *other = base_alloc(context, record->nnz, sizeof *other);
    if (start == NULL || other == NULL)
        BASE_TRY(BASE_MACHINE);
    for (int64_t k = 0; k < record->nnz; k++)
        order[k] = k;
    for (int by_column = 0; by_column < 2; by_column++) {
        int64_t limit = by_column ? record->ncol : record->nrow;
        for (int shift = 0; shift < 63 && (limit - 1) >> shift > 0; shift += bits) {
            memset(start, 0, (size_t)(buckets + 1) * sizeof *start);
            int64_t place[2];
            for (int64_t k = 0; k < record->nnz; k++) {
                stored_position(record, k, &place[0], &place[1]);
                start[(place[by_column] >> shift & (buckets - 1)) + 1]++;
            }
            for (int64_t b = 0; b < buckets; b++)
                start[b + 1] += start[b];
            for (int64_t i = 0; i < record->nnz; i++) {
                stored_position(record, order[i], &place[0], &place[1]);
                other[start[place[by_column] >> shift & (buckets - 1)]++] = order[i];
            }
            memcpy(order, other, (size_t)record->nnz * sizeof *order);
        }
    }
done:
    free(start);
    free(other);
    return status;
}

typedef struct repair_counts {
    int64_t duplicates, moved, mirrored;
} repair_counts;

/* Makes one entry, below the diagonal if that is where they belong, out of those at one position. The others
 * get row -1. */
static base_status merge_entries(base_context *context, mm_record *record, const int64_t *group,
                                 int64_t count, repair_counts *counts) {
    int64_t kept[2] = {-1, -1}; /* of the lower and of the upper triangle */
    for (int64_t i = 0; i < count; i++) {
        int64_t k = group[i];
        int upper = record->symmetry != MM_GENERAL && record->row[k] < record->col[k];
        if (upper && !mm_text_mirror_value(record, k))
            return base_fail(context, BASE_DAMAGED, "entry (%lld, %lld) above the diagonal cannot be negated",
                             (long long)record->row[k] + 1, (long long)record->col[k] + 1);
        if (kept[upper] < 0) {
            kept[upper] = k;
            continue;
        }
        if (!add_values(record, kept[upper], k))
            return base_fail(context, BASE_DAMAGED, "the sum of the entries at (%lld, %lld) is beyond %s",
                             (long long)record->row[k] + 1, (long long)record->col[k] + 1,
                             record->field == MM_INTEGER ? "64 bits" : "the range of double");
        record->row[k] = -1;
        counts->duplicates++;
    }
    int64_t lower = kept[0], upper = kept[1];
    if (upper < 0)
        return BASE_OK;
    if (lower < 0) {
        int64_t row = record->row[upper];
        record->row[upper] = record->col[upper];
        record->col[upper] = row;
        counts->moved++;
        return BASE_OK;
    }
    if (!equal_values(record, lower, upper))
        return base_fail(context, BASE_DAMAGED,
                         "entries (%lld, %lld) and (%lld, %lld) of a %s matrix disagree",
                         (long long)record->row[lower] + 1, (long long)record->col[lower] + 1,
                         (long long)record->row[upper] + 1, (long long)record->col[upper] + 1,
                         mm_symmetry_name(record->symmetry));
    record->row[upper] = -1;
    counts->mirrored++;
    return BASE_OK;
}

/* Takes out the entries of row -1. */
static void drop_merged(mm_record *record) {
    int64_t kept = 0;
    for (int64_t k = 0; k < record->nnz; k++) {
        if (record->row[k] < 0)
            continue;
        mm_text_copy_entry(record, kept, record, k);
        if (record->digits_start != NULL) {
            /* The digits move down, so that they still follow each other. */
            int64_t length = (int64_t)strlen(record->digits + record->digits_start[k]) + 1;
            int64_t to = kept > 0 ? record->digits_start[kept] : 0;
            memmove(record->digits + to, record->digits + record->digits_start[k], (size_t)length);
            record->digits_start[kept] = to;
            record->digits_start[kept + 1] = to + length;
        }
        kept++;
    }
    record->nnz = kept;
}

base_status mm_text_repair_positions(mm_text_reader *reader) {
    base_status status = BASE_OK;
    mm_record *record = reader->record;
    base_context *context = reader->context;
    repair_counts counts = {0, 0, 0};
    int64_t *order = NULL;
    if (is_in_order(record))
        return BASE_OK;
    order = base_alloc(context, record->nnz, sizeof *order);
    if (order == NULL)
        return BASE_MACHINE;
    BASE_TRY(sort_positions(context, record, order));
    for (int64_t first = 0, last; first < record->nnz; first = last) {
        int64_t row, col, other_row, other_col;
        stored_position(record, order[first], &row, &col);
        for (last = first + 1; last < record->nnz; last++) {
            stored_position(record, order[last], &other_row, &other_col);
            if (other_row != row || other_col != col)
                break;
        }
        if (last > first + 1 || (record->symmetry != MM_GENERAL && row != record->row[order[first]]))
            BASE_TRY(merge_entries(context, record, order + first, last - first, &counts));
    }
    if (counts.duplicates + counts.mirrored > 0)
        drop_merged(record);
    if (counts.duplicates > 0)
        mm_text_repair(reader, counts.duplicates, "%lld duplicate entries added up",
                       (long long)counts.duplicates);
    if (counts.mirrored > 0)
        mm_text_repair(reader, counts.mirrored, "both triangles of a %s matrix: the upper one dropped",
                       mm_symmetry_name(record->symmetry));
    if (counts.moved > 0)
        mm_text_repair(reader, counts.moved, "%lld entries above the diagonal moved below it",
                       (long long)counts.moved);
done:
    free(order);
    return status;
}
