/* SPDX-License-Identifier: BSD-3-Clause */
/* Compressed rows and columns of entries in any order, against counts and comparisons made here. */
#include "mm/arrays/compressed.h"
#include "base/core/random.h"
#include "tests/support/tap.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 400 };

static base_context context;
static base_random stream;

static int compare(const void *one, const void *other) {
    const int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return (a > b) - (a < b);
}

/* `nnz` different entries at most, sorted by columns or rows; each value tells its place. */
static void draw(mm_record *record, bool by_columns, int64_t nnz) {
    const int64_t majors = by_columns ? record->ncol : record->nrow;
    const int64_t minors = by_columns ? record->nrow : record->ncol;
    int64_t *key = calloc((size_t)nnz + 1, sizeof *key), used = 0;
    for (int64_t k = 0; k < nnz; k++)
        key[k] = (int64_t)base_random_below(&stream, (uint64_t)(majors * minors));
    qsort(key, (size_t)nnz, sizeof *key, compare);
    for (int64_t k = 0; k < nnz; k++)
        if (k == 0 || key[k] != key[k - 1])
            key[used++] = key[k];
    record->nnz = used;
    mm_record_alloc(&context, record);
    for (int64_t k = 0; k < used; k++) {
        record->row[k] = by_columns ? key[k] % minors : key[k] / minors;
        record->col[k] = by_columns ? key[k] / minors : key[k] % minors;
        record->real[k] = (double)(record->row[k] * record->ncol + record->col[k]);
    }
    free(key);
}

static void swap(mm_record *record, int64_t k, int64_t other) {
    int64_t *index[] = {record->row, record->col};
    for (int i = 0; i < 2; i++) {
        const int64_t old = index[i][k];
        index[i][k] = index[i][other];
        index[i][other] = old;
    }
    const double old = record->real[k];
    record->real[k] = record->real[other];
    record->real[other] = old;
}

/* Whether the entries ascend from each place to the next one, and all places are those of counting. */
static bool is_right(const mm_record *record, bool by_columns, const int64_t *start, double sum) {
    const int64_t *major = by_columns ? record->col : record->row,
                  *minor = by_columns ? record->row : record->col;
    const int64_t majors = by_columns ? record->ncol : record->nrow;
    int64_t k = 0;
    for (int64_t j = 0; j < majors; j++) {
        if (start[j] != k)
            return false;
        for (const int64_t first = k; k < record->nnz && major[k] == j; k++) {
            if (k > first && minor[k] <= minor[k - 1])
                return false;
            if (record->real[k] != (double)(record->row[k] * record->ncol + record->col[k]))
                return false;
            sum -= record->real[k];
        }
    }
    return k == record->nnz && start[majors] == k && sum == 0;
}

static void test_orders(void) {
    int wrong = 0, rows = 0, sorted = 0;
    for (int round = 0; round < ROUNDS; round++) {
        mm_record record;
        mm_record_init(&record);
        record.nrow = 1 + (int64_t)base_random_below(&stream, 300);
        record.ncol = 1 + (int64_t)base_random_below(&stream, 300);
        bool by_columns = round % 2 == 0, found = false;
        draw(&record, by_columns, (int64_t)base_random_below(&stream, 9000));
        double sum = 0;
        for (int64_t k = 0; k < record.nnz; k++)
            sum += record.real[k];
        /* Neighbours that change their places break either order, also where one part meets the next. */
        const int64_t k = round % 4 < 2   ? -1
                          : round % 8 < 6 ? 2047
                                          : (int64_t)base_random_below(&stream, 9000);
        if (k >= 0 && k + 1 < record.nnz)
            swap(&record, k, k + 1);
        const bool is_by_columns = k >= 0 && k + 1 < record.nnz ? false : by_columns;
        const bool is_by_rows = k >= 0 && k + 1 < record.nnz ? false : !by_columns;
        bool good = !is_by_columns || mm_compressed_is_ordered(record.col, record.row, record.nnz);
        good = good && (!is_by_rows || mm_compressed_is_ordered(record.row, record.col, record.nnz));
        if (k >= 0 && k + 1 < record.nnz)
            good = good && !mm_compressed_is_ordered(by_columns ? record.col : record.row,
                                                     by_columns ? record.row : record.col, record.nnz);
        int64_t *start = NULL;
        good = good && mm_compressed_make(&context, &record, &found, &start) == BASE_OK && start != NULL &&
               is_right(&record, found, start, sum) && (!is_by_columns || found);
        rows += !found;
        sorted += k >= 0 && k + 1 < record.nnz;
        wrong += !good;
        free(start);
        mm_record_free(&record);
    }
    tap_ok(wrong == 0, "%d matrices in order and not quite: %d wrong", ROUNDS, wrong);
    tap_ok(rows > ROUNDS / 8 && sorted > ROUNDS / 8, "%d stay in rows, %d are out of order", rows, sorted);
}

static void test_duplicates(void) {
    mm_record record;
    int64_t *start = NULL;
    bool by_columns;
    mm_record_init(&record);
    record.nrow = record.ncol = 100;
    draw(&record, true, 9000);
    record.row[2048] = record.row[2047];
    record.col[2048] = record.col[2047];
    tap_ok(mm_compressed_make(&context, &record, &by_columns, &start) == BASE_FAILED &&
               strstr(context.error.cause, "two entries at one position") != NULL,
           "two entries at one position are refused");
    free(start);
    mm_record_free(&record);
}

int main(void) {
    base_context_init(&context);
    base_random_init(&stream, 31, 0);
    test_orders();
    test_duplicates();
    return tap_done();
}
