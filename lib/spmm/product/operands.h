/* SPDX-License-Identifier: BSD-3-Clause */
/* Operands of products from records, and records from products. */
#ifndef SPMM_PRODUCT_OPERANDS_H
#define SPMM_PRODUCT_OPERANDS_H

#include "mm/record/record.h"
#include "spmm/problem/spmm.h"

/* A, or its transpose, in compressed rows; explicit zeros are dropped. */
typedef struct spmm_matrix {
    spmm_csr csr; /* points to the arrays below */
    int64_t *start;
    int32_t *index;
    void *value;
} spmm_matrix;

/* Symmetry is expanded, a pattern has ones, an array becomes its nonzeros; values are rounded to the
 * precision. BASE_FAILED: complex numbers, integers beyond 64 bits, two entries at one place, values beyond
 * the range of the precision, 2^31 columns or more. O(nnz + nrow + ncol). */
base_status spmm_matrix_from_record(base_context *context, const mm_record *record, bool transposed,
                                    spmm_precision precision, spmm_matrix *matrix);
void spmm_matrix_free(spmm_matrix *matrix); /* NULL is allowed */

/* A dense matrix, row-major and without gaps. */
typedef struct spmm_dense {
    int64_t nrow, ncol;
    spmm_format format;
    void *value;
} spmm_dense;

/* Numbers undefined. Fails with BASE_MACHINE. */
base_status spmm_dense_alloc(base_context *context, int64_t nrow, int64_t ncol, spmm_format format,
                             spmm_dense *dense);
void spmm_dense_free(spmm_dense *dense); /* NULL is allowed */

/* Of a record in any format, which is changed; BASE_FAILED as above. */
base_status spmm_dense_from_record(base_context *context, mm_record *record, spmm_precision precision,
                                   spmm_dense *dense);

/* Uniform on [0, 1), rounded; the number at (i, j) depends on the seed, ncol and its place only. */
base_status spmm_dense_random(base_context *context, int64_t nrow, int64_t ncol, spmm_precision precision,
                              spmm_dense *dense);

/* Numbers of a product that are not finite though those of A, B and C are: their sums are beyond the range of
 * the format that they are kept in. */
typedef struct spmm_overflow {
    int64_t count;     /* infinite or NaN */
    int64_t undefined; /* NaN among them: infinite partial sums of both signs */
    int64_t row, col;  /* the first of them, by rows; from 0 */
} spmm_overflow;

/* Looks for them in a real array; zeros before. */
void spmm_overflow_find(const mm_record *record, spmm_overflow *overflow);

/* A real array. The record is empty before but for its comments. `overflow` counts what is not finite: one
 * comparison for each number on its way. */
base_status spmm_dense_to_record(base_context *context, const spmm_dense *dense, mm_record *record,
                                 spmm_overflow *overflow);

#endif
