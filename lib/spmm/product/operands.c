/* SPDX-License-Identifier: BSD-3-Clause */
#include "spmm/product/operands.h"
#include "base/core/memory.h"
#include "base/core/random.h"
#include "mm/matrix/reals.h"
#include "mm/matrix/sparse.h"
#include "spmm/problem/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- A ---- */

static base_status check_matrix(base_context *context, const mm_record *record, int64_t columns) {
    if (record->field == MM_COMPLEX)
        return base_fail(context, BASE_FAILED, "complex numbers are not supported here");
    if (record->digits != NULL)
        return base_fail(context, BASE_FAILED, "integers beyond 64 bits are not supported here");
    if (columns > INT32_MAX)
        return base_fail(context, BASE_FAILED, "%lld columns: column numbers have 31 bits here",
                         (long long)columns);
    return BASE_OK;
}

static double entry(const mm_sparse *sparse, int64_t k) {
    if (sparse->real != NULL)
        return sparse->real[k];
    return sparse->integer != NULL ? (double)sparse->integer[k] : 1;
}

/* Rounded values as floats or doubles, and narrow indices. */
static base_status fill_matrix(base_context *context, const mm_sparse *sparse, spmm_precision precision,
                               spmm_matrix *matrix) {
    for (int64_t k = 0; k < sparse->nnz; k++) {
        const double number = entry(sparse, k), value = spmm_round(precision, number);
        if (__builtin_isinf(value))
            return base_fail(context, BASE_FAILED, "%g exceeds the range of %s", number,
                             spmm_precision_name(precision));
        matrix->index[k] = (int32_t)sparse->index[k];
        if (precision == SPMM_FP64)
            ((double *)matrix->value)[k] = value;
        else
            ((float *)matrix->value)[k] = (float)value;
    }
    return BASE_OK;
}

base_status spmm_matrix_from_record(base_context *context, const mm_record *record, bool transposed,
                                    spmm_precision precision, spmm_matrix *matrix) {
    base_status status;
    mm_sparse sparse = {0};
    const mm_sparse_options options = {transposed ? MM_BY_COLUMNS : MM_BY_ROWS, false};
    memset(matrix, 0, sizeof *matrix);
    matrix->csr.nrow = transposed ? record->ncol : record->nrow;
    matrix->csr.ncol = transposed ? record->nrow : record->ncol;
    BASE_TRY(check_matrix(context, record, matrix->csr.ncol));
    BASE_TRY(mm_sparse_from_record(context, record, options, &sparse));
    matrix->csr.nnz = sparse.nnz;
    matrix->start = sparse.start;
    sparse.start = NULL;
    matrix->index = base_alloc_aligned(context, sparse.nnz, sizeof *matrix->index);
    matrix->value = base_alloc_aligned(context, sparse.nnz, precision == SPMM_FP64 ? 8 : 4);
    if (matrix->index == NULL || matrix->value == NULL)
        BASE_TRY(BASE_MACHINE);
    BASE_TRY(fill_matrix(context, &sparse, precision, matrix));
    matrix->csr.start = matrix->start;
    matrix->csr.index = matrix->index;
    matrix->csr.value = matrix->value;
done:
    mm_sparse_free(&sparse);
    if (status != BASE_OK)
        spmm_matrix_free(matrix);
    return status;
}

void spmm_matrix_free(spmm_matrix *matrix) {
    if (matrix == NULL)
        return;
    free(matrix->start);
    free(matrix->index);
    free(matrix->value);
    memset(matrix, 0, sizeof *matrix);
}

/* ---- B and C ---- */

base_status spmm_dense_alloc(base_context *context, int64_t nrow, int64_t ncol, spmm_format format,
                             spmm_dense *dense) {
    *dense = (spmm_dense){.nrow = nrow, .ncol = ncol, .format = format};
    if (ncol > 0 && nrow > INT64_MAX / 16 / ncol)
        return base_fail(context, BASE_MACHINE, "no memory for a dense matrix of %lld x %lld",
                         (long long)nrow, (long long)ncol);
    dense->value = base_alloc_aligned(context, nrow * ncol, spmm_format_bytes(format));
    return dense->value != NULL ? BASE_OK : BASE_MACHINE;
}

void spmm_dense_free(spmm_dense *dense) {
    if (dense == NULL)
        return;
    free(dense->value);
    memset(dense, 0, sizeof *dense);
}

static void *row_of(const spmm_dense *dense, int64_t row) {
    return (char *)dense->value + row * dense->ncol * spmm_format_bytes(dense->format);
}

static base_status refuse_range(base_context *context, spmm_precision precision, int64_t row) {
    return base_fail(context, BASE_FAILED, "row %lld has a number beyond the range of %s", (long long)row + 1,
                     spmm_precision_name(precision));
}

base_status spmm_dense_from_record(base_context *context, mm_record *record, spmm_precision precision,
                                   spmm_dense *dense) {
    base_status status;
    int64_t beyond = INT64_MAX;
    memset(dense, 0, sizeof *dense);
    BASE_TRY(mm_record_to_reals(context, record));
    BASE_TRY(spmm_dense_alloc(context, record->nrow, record->ncol, spmm_format_of(precision), dense));
#pragma omp parallel for schedule(static) num_threads(context->threads) reduction(min : beyond)
    for (int64_t row = 0; row < dense->nrow; row++)
        if (spmm_pack(precision, record->real + row, dense->nrow, dense->ncol, row_of(dense, row)) >= 0 &&
            row < beyond)
            beyond = row;
    if (beyond < INT64_MAX)
        BASE_TRY(refuse_range(context, precision, beyond));
done:
    if (status != BASE_OK)
        spmm_dense_free(dense);
    return status;
}

base_status spmm_dense_random(base_context *context, int64_t nrow, int64_t ncol, spmm_precision precision,
                              spmm_dense *dense) {
    base_status status;
    BASE_TRY(spmm_dense_alloc(context, nrow, ncol, spmm_format_of(precision), dense));
#pragma omp parallel for schedule(static) num_threads(context->threads)
    for (int64_t row = 0; row < nrow; row++) {
        base_random random = {.seed = context->seed, .counter = (uint64_t)(row * ncol)};
        char *to = row_of(dense, row);
        for (int64_t j = 0; j < ncol; j++) {
            const double number = base_random_uniform(&random);
            spmm_pack(precision, &number, 1, 1, to + j * spmm_format_bytes(dense->format));
        }
    }
done:
    return status;
}

void spmm_overflow_find(const mm_record *record, spmm_overflow *overflow) {
    for (int64_t row = 0; row < record->nrow; row++)
        for (int64_t col = 0; col < record->ncol; col++) {
            const double number = record->real[col * record->nrow + row];
            if (isfinite(number))
                continue;
            if (overflow->count++ == 0)
                overflow->row = row, overflow->col = col;
            overflow->undefined += isnan(number);
        }
}

base_status spmm_dense_to_record(base_context *context, const spmm_dense *dense, mm_record *record,
                                 spmm_overflow *overflow) {
    base_status status;
    int64_t beyond = 0;
    *overflow = (spmm_overflow){0};
    record->format = MM_ARRAY;
    record->field = MM_REAL;
    record->symmetry = MM_GENERAL;
    record->nrow = dense->nrow;
    record->ncol = dense->ncol;
    BASE_TRY(mm_record_alloc(context, record));
#pragma omp parallel for schedule(static) num_threads(context->threads) reduction(+ : beyond)
    for (int64_t row = 0; row < dense->nrow; row++)
        for (int64_t j = 0; j < dense->ncol; j++) {
            const double number = spmm_unpack(dense->format, row_of(dense, row), j);
            record->real[j * dense->nrow + row] = number;
            beyond += !isfinite(number);
        }
    if (beyond > 0)
        spmm_overflow_find(record, overflow);
done:
    return status;
}
