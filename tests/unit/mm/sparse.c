/* SPDX-License-Identifier: BSD-3-Clause */
/* Compressed matrices from records of every format, field and symmetry, against a dense expansion made here.
 */
#include "mm/matrix/sparse.h"
#include "base/core/memory.h"
#include "mm/metadata/metadata.h"
#include "tests/support/dense_record.h"
#include "tests/support/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static base_context context;
static base_random stream;

static double complex value_at(const mm_sparse *matrix, int64_t p) {
    switch (matrix->field) {
    case MM_PATTERN: return 1;
    case MM_INTEGER: return matrix->digits != NULL ? atof(matrix->digits[p]) : (double)matrix->integer[p];
    case MM_REAL: return matrix->real[p];
    case MM_COMPLEX: return matrix->real[2 * p] + matrix->real[2 * p + 1] * I;
    }
    return 0;
}

static bool equals_dense(const mm_sparse *matrix, mm_orientation orientation, const dense_record *dense) {
    dense_record seen = {0};
    int64_t majors = orientation == MM_BY_ROWS ? matrix->nrow : matrix->ncol;
    for (int64_t j = 0; j < majors; j++)
        for (int64_t p = matrix->start[j]; p < matrix->start[j + 1]; p++) {
            int64_t i = matrix->index[p];
            if ((p > matrix->start[j] && matrix->index[p - 1] >= i) || value_at(matrix, p) == 0)
                return false;
            seen.entry[orientation == MM_BY_ROWS ? j : i][orientation == MM_BY_ROWS ? i : j] =
                value_at(matrix, p);
        }
    return matrix->start[majors] == matrix->nnz && dense_record_equal(&seen, dense);
}

static void test_random_records(uint64_t seed) {
    int failures = 0;
    base_random_init(&stream, seed, 0);
    for (int round = 0; round < 4000; round++) {
        mm_record record;
        mm_sparse matrix = {0}, other = {0};
        dense_record dense;
        dense_record_draw(&context, &stream, &record, &dense);
        mm_orientation orientation = (mm_orientation)(round % 2);
        mm_orientation turned = (mm_orientation)(1 - round % 2);
        bool good =
            mm_sparse_from_record(&context, &record, (mm_sparse_options){orientation, false}, &matrix) == 0 &&
            equals_dense(&matrix, orientation, &dense) &&
            mm_sparse_reorient(&context, &matrix, orientation, &other) == 0 &&
            equals_dense(&other, turned, &dense);
        mm_sparse *columns = orientation == MM_BY_COLUMNS ? &matrix : &other;
        good = good && mm_record_from_sparse(&context, columns, &record) == BASE_OK;
        mm_sparse again = {0};
        good =
            good &&
            mm_sparse_from_record(&context, &record, (mm_sparse_options){orientation, false}, &again) == 0 &&
            equals_dense(&again, orientation, &dense);
        failures += !good;
        mm_sparse_free(&matrix);
        mm_sparse_free(&other);
        mm_sparse_free(&again);
        mm_record_free(&record);
    }
    tap_ok(failures == 0, "4000 random records, seed %llu: %d wrong", (unsigned long long)seed, failures);
}

/* The record's own arrays, in any order, with explicit zeros. */
static void test_taken_records(uint64_t seed) {
    int failures = 0, taken = 0;
    base_random_init(&stream, seed, 1);
    for (int round = 0; round < 4000; round++) {
        mm_record record;
        mm_sparse matrix = {0};
        dense_record dense;
        dense_record_draw(&context, &stream, &record, &dense);
        const bool can = mm_sparse_can_take(&record);
        const bool good = mm_sparse_take_record(&context, &record, false, &matrix) == BASE_OK &&
                          equals_dense(&matrix, MM_BY_COLUMNS, &dense);
        failures += !good || (can && record.col != NULL);
        taken += can;
        mm_sparse_free(&matrix);
        mm_record_free(&record);
    }
    tap_ok(failures == 0, "4000 random records taken, seed %llu: %d wrong", (unsigned long long)seed,
           failures);
    tap_ok(taken > 400, "%d of them with their own arrays", taken);
}

static void test_refusals(void) {
    mm_record record;
    mm_sparse matrix;
    mm_record_init(&record);
    record.nrow = record.ncol = 3;
    record.nnz = 3;
    mm_record_alloc(&context, &record);
    const int64_t row[] = {2, 0, 2}, col[] = {1, 0, 1};
    memcpy(record.row, row, sizeof row);
    memcpy(record.col, col, sizeof col);
    for (int k = 0; k < 3; k++)
        record.real[k] = 1;
    tap_ok(mm_sparse_from_record(&context, &record, (mm_sparse_options){0}, &matrix) == BASE_FAILED &&
               strstr(context.error.cause, "row 3, column 2") != NULL,
           "two entries at one place are refused with their place");
    record.real[2] = 0;
    tap_ok(mm_sparse_from_record(&context, &record, (mm_sparse_options){0}, &matrix) == BASE_OK &&
               matrix.nnz == 2,
           "an explicit zero is dropped");
    mm_sparse_free(&matrix);
    record.row[2] = 1;
    tap_ok(mm_sparse_from_record(&context, &record, (mm_sparse_options){.keep_zeros = true}, &matrix) ==
                   BASE_OK &&
               matrix.nnz == 3,
           "an explicit zero is kept on request");
    mm_sparse_free(&matrix);
    record.real[2] = INFINITY;
    tap_ok(mm_sparse_from_record(&context, &record, (mm_sparse_options){0}, &matrix) == BASE_FAILED,
           "an infinite value is refused");
    mm_record_free(&record);
}

static void test_metadata(void) {
    mm_record record;
    char text[64];
    mm_record_init(&record);
    const char *comments = "% name: HB/x\n%title:  a  title \n% a remark\n";
    record.comments = base_copy_text(&context, comments, (int64_t)strlen(comments));
    tap_ok(mm_metadata_get(&record, "title", text, sizeof text) && strcmp(text, "a  title") == 0,
           "a value is found");
    tap_ok(!mm_metadata_get(&record, "nam", text, sizeof text), "a part of a key is no key");
    mm_metadata_set(&context, &record, "name", "HB/%s", "longer");
    mm_metadata_add(&context, &record, "by", "one");
    mm_metadata_add(&context, &record, "by", "two");
    tap_ok(strcmp(record.comments,
                  "% name: HB/longer\n%title:  a  title \n% a remark\n% by: one\n% by: two\n") == 0,
           "lines are replaced in place and added at the end");
    mm_metadata_remove(&record, "by");
    tap_ok(strcmp(record.comments, "% name: HB/longer\n%title:  a  title \n% a remark\n") == 0,
           "all lines of a key go");
    mm_record_free(&record);
}

int main(void) {
    base_context_init(&context);
    test_random_records(20);
    test_taken_records(20);
    test_refusals();
    test_metadata();
    return tap_done();
}
