/* SPDX-License-Identifier: BSD-3-Clause */
/* Compressed columns or rows in a record, against the entries that they were made of. */
#include "mm/record/places.h"
#include "base/core/random.h"
#include "tests/support/tap.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 300, MOST = 9000 };

static base_context context;
static base_random stream;

static int64_t below(int64_t limit) {
    return (int64_t)base_random_below(&stream, (uint64_t)limit);
}

static int compare(const void *one, const void *other) {
    const int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return (a > b) - (a < b);
}

/* Entries by their majors. */
typedef struct drawn {
    mm_record record;
    int64_t majors, minors;
    int64_t major[MOST];
    int32_t minor[MOST];
} drawn;

static void give_places(drawn *drawn, bool by_columns) {
    mm_record *record = &drawn->record;
    int64_t *start = calloc((size_t)drawn->majors + 1, sizeof *start);
    for (int64_t k = 0; k < record->nnz; k++)
        start[drawn->major[k] + 1]++;
    for (int64_t j = 0; j < drawn->majors; j++)
        start[j + 1] += start[j];
    int32_t *minor = calloc((size_t)record->nnz + 1, sizeof *minor);
    memcpy(minor, drawn->minor, (size_t)record->nnz * sizeof *minor);
    record->places = (mm_places){start, minor, by_columns, false};
    record->nrow = by_columns ? drawn->minors : drawn->majors;
    record->ncol = by_columns ? drawn->majors : drawn->minors;
}

/* Entries in order, none twice; few majors have long ones, many have empty ones among them. */
static void draw(drawn *drawn, bool by_columns) {
    static int64_t key[MOST];
    int64_t used = 0, drawn_keys = below(MOST);
    mm_record_init(&drawn->record);
    drawn->record.field = MM_PATTERN;
    drawn->majors = 1 + below(below(2) == 0 ? 10 : 20000);
    drawn->minors = 1 + below(below(2) == 0 ? 50 : 20000);
    for (int64_t k = 0; k < drawn_keys; k++)
        key[k] = below(drawn->majors * drawn->minors);
    qsort(key, (size_t)drawn_keys, sizeof *key, compare);
    for (int64_t k = 0; k < drawn_keys; k++)
        if (k == 0 || key[k] != key[k - 1]) {
            drawn->major[used] = key[k] / drawn->minors;
            drawn->minor[used++] = (int32_t)(key[k] % drawn->minors);
        }
    drawn->record.nnz = used;
    give_places(drawn, by_columns);
}

/* The record's places with the minors as they are now. */
static bool check(drawn *drawn) {
    memcpy(drawn->record.places.minor, drawn->minor, (size_t)drawn->record.nnz * sizeof *drawn->minor);
    return mm_places_check(&drawn->record.places, drawn->majors, drawn->record.nnz, (int32_t)drawn->minors);
}

static bool is_ordered(const drawn *drawn) {
    bool good = true;
    for (int64_t k = 1; k < drawn->record.nnz; k++)
        good = good && (drawn->major[k - 1] < drawn->major[k] || drawn->minor[k - 1] < drawn->minor[k]);
    return good;
}

static void test_checks(void) {
    static drawn drawn;
    int wrong = 0, unordered = 0, outside = 0;
    for (int round = 0; round < ROUNDS; round++) {
        draw(&drawn, round % 2 == 0);
        const int64_t nnz = drawn.record.nnz;
        const int64_t k = nnz > 1 ? 1 + below(nnz - 1) : 0;
        bool good = check(&drawn) && drawn.record.places.is_ordered;
        if (k > 0 && drawn.major[k - 1] == drawn.major[k]) { /* twice the same, then in the wrong order */
            const int32_t old = drawn.minor[k];
            drawn.minor[k] = drawn.minor[k - 1];
            good = good && check(&drawn) && !drawn.record.places.is_ordered;
            drawn.minor[k - 1] = old;
            good = good && check(&drawn) && drawn.record.places.is_ordered == is_ordered(&drawn);
            unordered++;
        }
        const int64_t place = nnz > 0 ? below(nnz) : 0;
        const int32_t bad[] = {-1, (int32_t)drawn.minors, INT32_MIN, INT32_MAX};
        for (int i = 0; nnz > 0 && i < 4; i++, outside++) {
            const int32_t old = drawn.minor[place];
            drawn.minor[place] = bad[i];
            good = good && !check(&drawn);
            drawn.minor[place] = old;
        }
        wrong += !good;
        mm_record_free(&drawn.record);
    }
    tap_ok(wrong == 0, "%d matrices in order, out of order and damaged: %d wrong", ROUNDS, wrong);
    tap_ok(unordered > ROUNDS / 4 && outside > 2 * ROUNDS, "%d were out of order, %d indices were outside",
           unordered, outside);
}

static bool is_entry(const drawn *drawn, bool by_columns, int64_t k, int64_t row, int64_t col) {
    return (by_columns ? col : row) == drawn->major[k] && (by_columns ? row : col) == drawn->minor[k];
}

static void test_entries(void) {
    static drawn drawn;
    static int64_t row[MOST], col[MOST];
    int wrong = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const bool by_columns = round % 2 == 0;
        draw(&drawn, by_columns);
        mm_record *record = &drawn.record;
        const int64_t nnz = record->nnz, first = below(nnz + 1), count = below(nnz - first + 1);
        bool good = true;
        mm_places_get(record, first, count, row, col);
        for (int64_t k = 0; k < count; k++)
            good = good && is_entry(&drawn, by_columns, first + k, row[k], col[k]);
        good = good && mm_places_expand(&context, record) == BASE_OK && record->places.start == NULL;
        for (int64_t k = 0; good && k < nnz; k++)
            good = is_entry(&drawn, by_columns, k, record->row[k], record->col[k]);
        good = good && mm_places_expand(&context, record) == BASE_OK && record->row != NULL;
        wrong += !good;
        mm_record_free(record);
    }
    tap_ok(wrong == 0, "%d matrices become rows and columns, whole and in parts: %d wrong", ROUNDS, wrong);
}

/* Below the diagonal, or above it, or on both sides. */
static void test_triangles(void) {
    static drawn drawn;
    int wrong = 0, lower = 0, upper = 0, level = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const bool by_columns = round % 2 == 0;
        draw(&drawn, by_columns);
        free(drawn.record.places.start);
        free(drawn.record.places.minor);
        const int64_t order = drawn.majors = drawn.minors = 20000;
        int64_t below_it = 0, above_it = 0, falls = 0;
        for (int64_t k = 0; k < drawn.record.nnz; k++) {
            const int64_t major = drawn.major[k];
            if (round % 3 == 1)
                drawn.minor[k] = (int32_t)(major + below(order - major));
            else if (round % 3 == 2)
                drawn.minor[k] = (int32_t)below(major + 1);
            if (round % 5 == 0)
                drawn.minor[k] = (int32_t)(major / 2);
            const int64_t row = by_columns ? drawn.minor[k] : major,
                          col = by_columns ? major : drawn.minor[k];
            below_it += row > col;
            above_it += row < col;
            falls += k > 0 && drawn.minor[k] < drawn.minor[k - 1];
        }
        give_places(&drawn, by_columns);
        wrong += !check(&drawn) || mm_places_are_lower(&drawn.record, false) != (above_it == 0) ||
                 mm_places_are_lower(&drawn.record, true) != (below_it == 0) ||
                 mm_places_are_standard(&drawn.record) != (is_ordered(&drawn) && (by_columns || falls > 0));
        lower += above_it == 0;
        upper += below_it == 0;
        level += falls == 0;
        mm_record_free(&drawn.record);
    }
    tap_ok(wrong == 0, "%d triangles and others: %d wrong", ROUNDS, wrong);
    tap_ok(lower > ROUNDS / 8 && upper > ROUNDS / 8 && level > ROUNDS / 8 && lower + upper < ROUNDS,
           "%d are lower, %d are upper triangles, %d have minors that do not fall", lower, upper, level);
}

int main(void) {
    base_context_init(&context);
    base_random_init(&stream, tap_seed(), 0);
    test_checks();
    test_entries();
    test_triangles();
    return tap_done();
}
