/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/support/dense_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = DENSE_RECORD_LARGEST };

typedef struct position {
    int64_t row, col;
} position;

static int64_t below(base_random *random, int64_t bound) {
    return (int64_t)base_random_below(random, (uint64_t)bound);
}

static void draw_shape(base_random *random, mm_record *record) {
    record->format = (mm_format)below(random, 2);
    record->field = (mm_field)below(random, 4);
    record->symmetry = (mm_symmetry)below(random, 4);
    if (record->format == MM_ARRAY && record->field == MM_PATTERN)
        record->field = MM_REAL;
    if (record->symmetry == MM_HERMITIAN)
        record->field = MM_COMPLEX;
    if (record->symmetry == MM_SKEW_SYMMETRIC && record->field == MM_PATTERN)
        record->field = MM_INTEGER;
    record->nrow = below(random, LARGEST + 1);
    record->ncol = record->symmetry == MM_GENERAL ? below(random, LARGEST + 1) : record->nrow;
}

/* Sets nnz: all positions that an array stores in its order, half of those of a coordinate record in any. */
static void draw_positions(base_random *random, mm_record *record, position *at) {
    for (int64_t j = 0; j < record->ncol; j++)
        for (int64_t i = 0; i < record->nrow; i++) {
            if (record->symmetry != MM_GENERAL && i < j + (record->symmetry == MM_SKEW_SYMMETRIC))
                continue;
            if (record->format == MM_ARRAY || below(random, 2) == 0)
                at[record->nnz++] = (position){i, j};
        }
    for (int64_t k = record->nnz - 1; k > 0 && record->format == MM_COORDINATE; k--) {
        const int64_t other = below(random, k + 1);
        const position moved = at[k];
        at[k] = at[other];
        at[other] = moved;
    }
}

static void take_digits(mm_record *record) {
    free(record->integer);
    record->integer = NULL;
    record->digits = malloc((size_t)record->nnz * 4 + 1);
    record->digits_start = calloc((size_t)record->nnz + 1, sizeof *record->digits_start);
    if (record->digits == NULL || record->digits_start == NULL)
        abort();
}

/* Stores a value as entry k; what a field cannot hold is 0. */
static void store(mm_record *record, int64_t k, int real, int imaginary) {
    if (record->digits != NULL) {
        char *to = record->digits + record->digits_start[k];
        record->digits_start[k + 1] = record->digits_start[k] + 1 + sprintf(to, "%d", real);
    } else if (record->field == MM_INTEGER) {
        record->integer[k] = real;
    } else if (record->field == MM_REAL) {
        record->real[k] = real;
    } else if (record->field == MM_COMPLEX) {
        record->real[2 * k] = real;
        record->real[2 * k + 1] = imaginary;
    }
}

static double complex mirror(const mm_record *record, double complex value) {
    return record->symmetry == MM_SKEW_SYMMETRIC ? -value
           : record->symmetry == MM_HERMITIAN    ? conj(value)
                                                 : value;
}

void dense_record_draw(base_context *context, base_random *random, mm_record *record, dense_record *dense) {
    position at[LARGEST * LARGEST];
    mm_record_init(record);
    memset(dense, 0, sizeof *dense);
    draw_shape(random, record);
    draw_positions(random, record, at);
    if (mm_record_alloc(context, record) != BASE_OK)
        abort();
    if (record->field == MM_INTEGER && below(random, 2) == 0)
        take_digits(record);
    for (int64_t k = 0; k < record->nnz; k++) {
        const int64_t i = at[k].row, j = at[k].col;
        const bool is_real = record->field != MM_COMPLEX || (record->symmetry == MM_HERMITIAN && i == j);
        const int real = record->field == MM_PATTERN ? 1
                         : below(random, 4) == 0     ? 0
                                                     : (int)below(random, 9) - 4;
        const int imaginary = is_real ? 0 : (int)below(random, 5) - 2;
        if (record->format == MM_COORDINATE) {
            record->row[k] = i;
            record->col[k] = j;
        }
        store(record, k, real, imaginary);
        if (record->symmetry != MM_GENERAL)
            dense->entry[j][i] = mirror(record, real + imaginary * I);
        dense->entry[i][j] = real + imaginary * I;
    }
}

bool dense_record_equal(const dense_record *a, const dense_record *b) {
    for (int i = 0; i < LARGEST; i++)
        for (int j = 0; j < LARGEST; j++)
            if (a->entry[i][j] != b->entry[i][j])
                return false;
    return true;
}
