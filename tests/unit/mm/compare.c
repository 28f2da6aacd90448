/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversions and comparison of random records of every format, field and symmetry, against dense matrices
 * made beside them. */
#include "mm/matrix/compare.h"
#include "base/core/memory.h"
#include "mm/matrix/convert.h"
#include "mm/metadata/metadata.h"
#include "mm/record/value.h"
#include "tests/support/dense_record.h"
#include "tests/support/tap.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 3000 };

static base_context context;
static base_random stream;

static int64_t below(int64_t bound) {
    return (int64_t)base_random_below(&stream, (uint64_t)bound);
}

/* The dense meaning of a general record; false if something is wrong with it. */
static bool read_general(const mm_record *record, dense_record *dense, bool zeros_allowed) {
    memset(dense, 0, sizeof *dense);
    int64_t row = 0, col = 0;
    if (record->symmetry != MM_GENERAL)
        return false;
    for (int64_t k = 0; k < record->nnz; k++) {
        mm_value value = mm_value_of(record, k);
        if (record->format == MM_COORDINATE) {
            row = record->row[k];
            col = record->col[k];
        } else {
            row = k % record->nrow;
            col = k / record->nrow;
        }
        if (row < 0 || row >= record->nrow || col < 0 || col >= record->ncol || value.kind == MM_VALUE_BIG)
            return false;
        if (!zeros_allowed && mm_value_is_zero(&value))
            return false;
        dense->entry[row][col] = value.real + value.imaginary * I;
    }
    return record->format == MM_COORDINATE || record->nnz == record->nrow * record->ncol;
}

/* A random way to another storage, which ends general. */
static bool convert(mm_record *record, bool *zeros) {
    bool changed;
    base_status status = BASE_OK;
    *zeros = true;
    for (int step = 0; step < 4 && status == BASE_OK; step++)
        switch (below(4)) {
        case 0: status = mm_record_expand(&context, record, &changed); break;
        case 1: status = mm_record_to_array(&context, record, &changed); break;
        case 2: status = mm_record_to_coordinate(&context, record, &changed); break;
        case 3: status = mm_record_drop_zeros(&context, record, &changed); break;
        }
    if (status == BASE_OK)
        status = mm_record_expand(&context, record, &changed);
    if (status == BASE_OK && below(2)) {
        status = mm_record_to_coordinate(&context, record, &changed);
        if (status == BASE_OK)
            status = mm_record_drop_zeros(&context, record, &changed);
        *zeros = false;
    }
    return status == BASE_OK;
}

static void shuffle(mm_record *record) {
    if (record->format != MM_COORDINATE || record->digits != NULL)
        return;
    int width = record->field == MM_COMPLEX ? 2 : 1;
    for (int64_t k = 1; k < record->nnz; k++) {
        int64_t other = below(k + 1), index;
        double value;
#define SWAP(array, i, j, spare) (spare = (array)[i], (array)[i] = (array)[j], (array)[j] = spare)
        SWAP(record->row, k, other, index);
        SWAP(record->col, k, other, index);
        if (record->integer != NULL)
            SWAP(record->integer, k, other, index);
        for (int part = 0; record->real != NULL && part < width; part++)
            SWAP(record->real, width * k + part, width * other + part, value);
    }
}

static void check_conversions(void) {
    int wrong = 0;
    for (int round = 0; round < ROUNDS; round++) {
        mm_record record;
        dense_record want, got;
        bool zeros;
        dense_record_draw(&context, &stream, &record, &want);
        bool good =
            convert(&record, &zeros) && read_general(&record, &got, zeros) && dense_record_equal(&want, &got);
        wrong += !good;
        mm_record_free(&record);
    }
    tap_ok(wrong == 0, "%d random conversions keep the matrix (%d do not)", ROUNDS, wrong);
}

/* Two records made apart from the same random state, one converted and shuffled; then one entry changed. */
static void check_comparison(void) {
    int wrong = 0, changed_wrong = 0;
    mm_compare_options options = {.shown = 3};
    for (int round = 0; round < ROUNDS; round++) {
        mm_record a, b;
        dense_record meaning;
        mm_comparison found;
        bool zeros;
        base_random saved = stream;
        dense_record_draw(&context, &stream, &a, &meaning);
        stream = saved;
        dense_record_draw(&context, &stream, &b, &meaning);
        mm_comparison_init(&found);
        convert(&b, &zeros);
        shuffle(&b);
        wrong += mm_compare(&context, &a, &b, &options, &found) != BASE_OK || found.count != 0;
        /* both are general coordinate records now */
        if (b.nnz > 0 && b.real != NULL) {
            int64_t k = below(b.nnz);
            b.real[b.field == MM_COMPLEX ? 2 * k : k] += 0.5;
            bool bad = mm_compare(&context, &a, &b, &options, &found) != BASE_OK || found.count != 1 ||
                       found.first_count != 1 || found.first[0].row != b.row[k] + 1 ||
                       found.first[0].col != b.col[k] + 1 || found.largest_absolute != 0.5;
            changed_wrong += bad;
        }
        mm_comparison_free(&found);
        mm_record_free(&a);
        mm_record_free(&b);
    }
    tap_ok(wrong == 0, "%d records equal themselves in another storage (%d do not)", ROUNDS, wrong);
    tap_ok(changed_wrong == 0, "one changed value is found, and where (%d are not)", changed_wrong);
}

/* ---- values */

static mm_value value_of_text(mm_field field, const char *text) {
    static mm_record records[2];
    static int next;
    static char storage[2][512];
    static int64_t starts[2][2];
    mm_record *record = &records[next];
    mm_record_init(record);
    record->field = field;
    record->nnz = 1;
    if (field == MM_INTEGER) {
        record->digits = strcpy(storage[next], text);
        record->digits_start = starts[next];
    } else {
        record->real = (double *)storage[next];
        record->real[0] = strtod(text, NULL);
    }
    next = !next;
    return mm_value_of(record, 0);
}

static void check_values(void) {
    static const struct {
        mm_field left_field;
        const char *left;
        mm_field right_field;
        const char *right;
        bool equal;
    } cases[] = {
        {MM_INTEGER, "0", MM_REAL, "-0.0", true},
        {MM_INTEGER, "3", MM_REAL, "3", true},
        {MM_INTEGER, "3", MM_REAL, "3.0000000000000004", false},
        {MM_INTEGER, "9007199254740993", MM_REAL, "9007199254740992", false}, /* 2^53 + 1 */
        {MM_INTEGER, "9223372036854775807", MM_REAL, "9223372036854775808", false},
        {MM_INTEGER, "9223372036854775808", MM_REAL, "9223372036854775808", true},
        {MM_INTEGER, "-9223372036854775808", MM_REAL, "-9223372036854775808", true},
        {MM_INTEGER, "9223372036854775808", MM_INTEGER, "9223372036854775807", false},
        {MM_INTEGER, "+00018446744073709551616", MM_INTEGER, "18446744073709551616", true},
        {MM_INTEGER, "-18446744073709551616", MM_INTEGER, "18446744073709551616", false},
        {MM_INTEGER, "18446744073709551616", MM_REAL, "18446744073709551616", true}, /* 2^64 */
        {MM_INTEGER, "18446744073709551617", MM_REAL, "18446744073709551616", false},
        {MM_INTEGER, "99999999999999999999999", MM_REAL, "1e23", false}, /* 1e23 is 99999999999999991611392 */
        {MM_INTEGER, "99999999999999991611392", MM_REAL, "1e23", true},
        {MM_REAL, "0.1", MM_REAL, "0.1", true},
        {MM_REAL, "0.1", MM_REAL, "0.10000000000000002", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mm_value a = value_of_text(cases[i].left_field, cases[i].left);
        mm_value b = value_of_text(cases[i].right_field, cases[i].right);
        tap_ok(mm_value_equal(&a, &b) == cases[i].equal && mm_value_equal(&b, &a) == cases[i].equal,
               "%s %s %s", cases[i].left, cases[i].equal ? "==" : "!=", cases[i].right);
    }
}

/* The one integer whose negative needs more bits. */
static void check_least_integer(void) {
    mm_record record;
    bool changed = false;
    mm_record_init(&record);
    record.field = MM_INTEGER;
    record.symmetry = MM_SKEW_SYMMETRIC;
    record.nrow = record.ncol = 2;
    record.nnz = 1;
    if (mm_record_alloc(&context, &record) != BASE_OK)
        exit(1);
    record.row[0] = 1;
    record.col[0] = 0;
    record.integer[0] = INT64_MIN;
    bool good = mm_record_expand(&context, &record, &changed) == BASE_OK && changed && record.digits != NULL;
    tap_ok(good && strcmp(record.digits, "-9223372036854775808") == 0 &&
               strcmp(record.digits + record.digits_start[1], "9223372036854775808") == 0,
           "-2^63 is negated into digits");
    mm_record_free(&record);
}

static int64_t count_differences(mm_record *a, mm_record *b, mm_compare_options options) {
    mm_comparison found;
    mm_comparison_init(&found);
    int64_t count = mm_compare(&context, a, b, &options, &found) == BASE_OK ? found.count : -1;
    mm_comparison_free(&found);
    return count;
}

static void make_pair(mm_record *a, mm_record *b) {
    mm_record *both[] = {a, b};
    for (int i = 0; i < 2; i++) {
        mm_record_free(both[i]);
        both[i]->field = MM_REAL;
        both[i]->nrow = both[i]->ncol = 3;
        both[i]->nnz = 3;
        if (mm_record_alloc(&context, both[i]) != BASE_OK)
            exit(1);
        for (int k = 0; k < 3; k++) {
            both[i]->row[k] = both[i]->col[k] = k;
            both[i]->real[k] = 100;
        }
    }
}

static void check_options(void) {
    mm_record a, b;
    mm_record_init(&a);
    mm_record_init(&b);
    make_pair(&a, &b);
    b.real[1] = 101;
    tap_ok(count_differences(&a, &b, (mm_compare_options){.rtol = 0.0099}) == 1, "1 is more than 0.0099*101");
    tap_ok(count_differences(&a, &b, (mm_compare_options){.rtol = 0.00991}) == 0,
           "1 is not more than 0.00991*101");
    tap_ok(count_differences(&a, &b, (mm_compare_options){.atol = 1}) == 0, "1 is not more than atol 1");
    tap_ok(count_differences(&a, &b, (mm_compare_options){.atol = 0.5}) == 1, "1 is more than atol 0.5");
    tap_ok(count_differences(&a, &b, (mm_compare_options){.pattern = true}) == 0, "the patterns are equal");
    b.real[1] = 0;
    tap_ok(count_differences(&a, &b, (mm_compare_options){.pattern = true, .keep_zeros = true}) == 0,
           "and with a zero, if that is an entry");
    tap_ok(count_differences(&a, &b, (mm_compare_options){.pattern = true}) == 1, "but not if it is none");
    make_pair(&a, &b);
    b.row[0] = 1;
    b.col[0] = 2;
    tap_ok(count_differences(&a, &b, (mm_compare_options){0}) == 2, "an entry elsewhere is two differences");
    make_pair(&a, &b);
    b.row[0] = b.col[0] = 1;
    tap_ok(count_differences(&a, &b, (mm_compare_options){0}) == -1,
           "two entries at one position are refused");
    make_pair(&a, &b);
    b.row[0] = b.col[0] = 1;
    b.row[1] = b.col[1] = 0;
    tap_ok(count_differences(&a, &b, (mm_compare_options){.storage = true}) == 2,
           "another order is another storage");
    tap_ok(count_differences(&a, &b, (mm_compare_options){0}) == 0, "but the same matrix");
    make_pair(&a, &b);
    b.ncol = 4;
    tap_ok(count_differences(&a, &b, (mm_compare_options){0}) == 1, "another size");
    make_pair(&a, &b);
    bool set = mm_metadata_set(&context, &a, "title", "one") == BASE_OK &&
               mm_metadata_set(&context, &b, "title", "two") == BASE_OK &&
               mm_metadata_add(&context, &b, "by", "someone") == BASE_OK;
    tap_ok(set && count_differences(&a, &b, (mm_compare_options){0}) == 0, "metadata do not count");
    tap_ok(count_differences(&a, &b, (mm_compare_options){.metadata = true}) == 1,
           "unless asked for, and provenance never");
    mm_record_free(&a);
    mm_record_free(&b);
}

int main(void) {
    base_context_init(&context);
    base_random_init(&stream, 20240611, 0);
    tap_note("seed %llu", (unsigned long long)stream.seed);
    check_conversions();
    check_comparison();
    check_values();
    check_least_integer();
    check_options();
    return tap_done();
}
