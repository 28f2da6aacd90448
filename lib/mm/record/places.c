/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/record/places.h"
#include "base/core/memory.h"

#include <stdlib.h>

enum { PIECE = 2048 }; /* entries: of loops whose length they know compilers make vectors */

static int64_t count_majors(const mm_record *record) {
    return record->places.by_columns ? record->ncol : record->nrow;
}

/* The major of an entry: the last one that begins at it or before it. */
static int64_t find_major(const int64_t *start, int64_t majors, int64_t entry) {
    int64_t low = 0, high = majors;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (start[middle] <= entry)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void mm_places_fill(const int64_t *start, int64_t majors, int64_t first, int64_t end, int64_t *major) {
    for (int64_t k = first, j = find_major(start, majors, first); k < end; j++)
        for (const int64_t stop = start[j + 1] < end ? start[j + 1] : end; k < stop; k++)
            major[k - first] = j;
}

void mm_places_get(const mm_record *record, int64_t first, int64_t count, int64_t *row, int64_t *col) {
    const mm_places *places = &record->places;
    mm_places_fill(places->start, count_majors(record), first, first + count, places->by_columns ? col : row);
    int64_t *minor = places->by_columns ? row : col;
    for (int64_t k = 0; k < count; k++)
        minor[k] = places->minor[first + k];
}

base_status mm_places_expand(base_context *context, mm_record *record) {
    if (record->places.start == NULL)
        return BASE_OK;
    record->row = base_alloc(context, record->nnz, sizeof *record->row);
    record->col = base_alloc(context, record->nnz, sizeof *record->col);
    if (record->row == NULL || record->col == NULL)
        return BASE_MACHINE;
    mm_places_get(record, 0, record->nnz, record->row, record->col);
    free(record->places.start);
    mm_record_free_array(record, record->places.minor);
    record->places = (mm_places){.start = NULL};
    return BASE_OK;
}

/* The sign bit tells whether an index is not in 0 … limit - 1. */
static inline uint32_t outside(const int32_t *minor, int64_t count, int32_t limit) {
    uint32_t found = 0;
    for (int64_t k = 0; k < count; k++)
        found |= (uint32_t)minor[k] | ((uint32_t)limit - 1 - (uint32_t)minor[k]);
    return found;
}

/* Neighbours that do not ascend, the first of them at `minor` and before it. */
static inline int32_t count_falls(const int32_t *minor, int64_t count) {
    int32_t falls = 0;
    for (int64_t k = 0; k < count; k++)
        falls += minor[k - 1] >= minor[k];
    return falls;
}

/* The same where majors begin, of those from *major on and of entries before `end`. */
static int64_t count_falls_between(const mm_places *places, int64_t majors, int64_t end, int64_t *major) {
    const int64_t *start = places->start;
    int64_t falls = 0, j = *major;
    for (; j < majors && start[j] < end; j++)
        if (start[j] > start[j - 1])
            falls += places->minor[start[j] - 1] >= places->minor[start[j]];
    *major = j;
    return falls;
}

/* Where minors are in order, all neighbours that do not ascend lie where a major begins. Both are counted,
 * which takes no branch an entry, piece by piece, while it is in the cache. */
bool mm_places_check(mm_places *places, int64_t majors, int64_t nnz, int32_t limit) {
    const int32_t *minor = places->minor;
    int64_t falls = 0, between = 0, first = 1, major = 1;
    uint32_t found = outside(minor, nnz > 0, limit);
    for (; nnz - first >= PIECE; first += PIECE) {
        found |= outside(minor + first, PIECE, limit);
        falls += count_falls(minor + first, PIECE);
        between += count_falls_between(places, majors, first + PIECE, &major);
    }
    if (first < nnz) {
        found |= outside(minor + first, nnz - first, limit);
        falls += count_falls(minor + first, nnz - first);
        between += count_falls_between(places, majors, nnz, &major);
    }
    places->is_ordered = falls == between;
    return found >> 31 == 0;
}

/* Whether the minors stay or ascend from each entry to the next one, which most do not for long. */
static bool is_level(const int32_t *minor, int64_t nnz) {
    int64_t k = 1;
    while (k < nnz && minor[k - 1] <= minor[k])
        k++;
    return k >= nnz;
}

bool mm_places_are_standard(const mm_record *record) {
    const mm_places *places = &record->places;
    return places->start != NULL && places->is_ordered &&
           (places->by_columns || !is_level(places->minor, record->nnz));
}

bool mm_places_are_lower(const mm_record *record, bool transposed) {
    const mm_places *places = &record->places;
    const bool below = places->by_columns != transposed; /* minors are not to be less than their major */
    for (int64_t j = 0; j < count_majors(record); j++) {
        int64_t outside = 0; /* its sign */
        for (int64_t k = places->start[j]; k < places->start[j + 1]; k++)
            outside |= below ? places->minor[k] - j : j - places->minor[k];
        if (outside < 0)
            return false;
    }
    return true;
}
