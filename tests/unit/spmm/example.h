/* SPDX-License-Identifier: BSD-3-Clause */
/* Random products with operands that show what a kernel must not do, for tests of kernels on processors.
 * Included once in a program. */
#ifndef TESTS_UNIT_SPMM_EXAMPLE_H
#define TESTS_UNIT_SPMM_EXAMPLE_H

#include "base/core/cpu.h"
#include "base/core/random.h"
#include "spmm/problem/format.h"
#include "spmm/problem/inspect.h"
#include "spmm/product/operands.h"
#include "spmm/product/product.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static base_random randoms;

static inline int64_t pick(int64_t most) {
    return (int64_t)base_random_below(&randoms, (uint64_t)most + 1);
}

static inline double draw(void) {
    return base_random_uniform(&randoms) - 0.5;
}

typedef struct example {
    spmm_matrix matrix;
    spmm_problem problem;
    spmm_operands operands;
    char *b, *c, *old;
    int64_t c_count;
} example;

static inline void add_entry(spmm_precision precision, int64_t column, spmm_matrix *matrix, int64_t *nnz) {
    const double value = spmm_round(precision, draw());
    matrix->index[*nnz] = (int32_t)column;
    if (precision == SPMM_FP64)
        ((double *)matrix->value)[(*nnz)++] = value;
    else
        ((float *)matrix->value)[(*nnz)++] = (float)value;
}

/* A row is empty, full, or has entries with a probability of its own. */
static inline void draw_matrix(int64_t nrow, int64_t ncol, spmm_precision precision, double density,
                               spmm_matrix *matrix) {
    const size_t bytes = precision == SPMM_FP64 ? 8 : 4;
    matrix->start = calloc((size_t)nrow + 1, sizeof *matrix->start);
    matrix->index = malloc((size_t)(nrow * ncol + 1) * sizeof *matrix->index);
    matrix->value = malloc((size_t)(nrow * ncol + 1) * bytes);
    int64_t nnz = 0;
    for (int64_t i = 0; i < nrow; i++) {
        const int64_t kind = pick(9);
        /* half of the rows have the columns of the row before them */
        const int64_t supernode = i > 0 && pick(1) == 0 ? matrix->start[i - 1] : nnz;
        const int64_t last = supernode < nnz ? nnz : supernode;
        for (int64_t k = supernode; k < last; k++)
            add_entry(precision, matrix->index[k], matrix, &nnz);
        const double p = supernode < last              ? 0
                         : kind == 0                   ? 0
                         : kind == 1 && density > 0.05 ? 1
                                                       : 2 * density * base_random_uniform(&randoms);
        for (int64_t j = 0; j < ncol; j++) {
            if (base_random_uniform(&randoms) >= p)
                continue;
            add_entry(precision, j, matrix, &nnz);
        }
        matrix->start[i + 1] = nnz;
    }
    matrix->csr = (spmm_csr){nrow, ncol, nnz, matrix->start, matrix->index, matrix->value};
}

static inline double value_of(const example *e, int64_t k) {
    const void *value = e->matrix.csr.value;
    return e->problem.precision == SPMM_FP64 ? ((const double *)value)[k] : (double)((const float *)value)[k];
}

/* Rows of B and C have gaps; begin at no round address; C is NaN where it is not to be read. */
static inline void make_example(spmm_precision precision, int64_t nrow, int64_t ncol, int64_t n,
                                double density, example *e) {
    const spmm_format format = spmm_format_of(precision);
    const int64_t b_bytes = spmm_format_bytes(format), c_bytes = precision == SPMM_FP64 ? 8 : 4;
    memset(e, 0, sizeof *e);
    draw_matrix(nrow, ncol, precision, density, &e->matrix);
    e->problem = (spmm_problem){.precision = precision, .a = e->matrix.csr, .n = n};
    spmm_operands *o = &e->operands;
    o->b_row = n + pick(3);
    o->c_row = n + pick(3);
    o->alpha = pick(2) == 0 ? draw() : 1;
    o->beta = pick(2) == 0 ? draw() : 0;
    e->b = malloc((size_t)((ncol * o->b_row + 2) * b_bytes));
    for (int64_t i = 0; i < ncol * o->b_row; i++) {
        const double x = i % o->b_row < n ? draw() : 0;
        spmm_pack(precision, &x, 1, 1, e->b + (i + 1) * b_bytes);
        if (i % o->b_row >= n)
            memset(e->b + (i + 1) * b_bytes, 0xff, (size_t)b_bytes); /* a NaN */
    }
    o->b = e->b + b_bytes;
    e->c_count = nrow * o->c_row + 2;
    e->c = malloc((size_t)(e->c_count * c_bytes));
    e->old = malloc((size_t)(e->c_count * c_bytes));
    for (int64_t i = 0; i < e->c_count; i++) {
        const double x = o->beta != 0 ? draw() : NAN;
        if (precision == SPMM_FP64)
            ((double *)e->old)[i] = x;
        else
            ((float *)e->old)[i] = (float)x;
    }
    o->c = e->c + c_bytes;
}

static inline void free_example(example *e) {
    spmm_matrix_free(&e->matrix);
    free(e->b);
    free(e->c);
    free(e->old);
}

static inline double number_of_c(const example *e, const char *c, int64_t i) {
    return e->problem.precision == SPMM_FP64 ? ((const double *)c)[i] : (double)((const float *)c)[i];
}

static inline bool run(base_context *context, const spmm_kernel *kernel, int threads, example *e) {
    const spmm_machine machine = {.features = CPU_AVX2 | CPU_AVX512, .threads = threads};
    spmm_product product;
    base_status status;
    memcpy(e->c, e->old, (size_t)(e->c_count * (e->problem.precision == SPMM_FP64 ? 8 : 4)));
    BASE_TRY(spmm_inspect(context, &e->problem));
    BASE_TRY(spmm_product_open(context, &machine, &e->problem, kernel, &product));
    status = spmm_product_run(context, &product, &e->operands);
    spmm_product_close(&product);
done:
    return status == BASE_OK;
}

static inline bool merge_here(const spmm_kernel *kernel, const spmm_problem *problem) {
    const spmm_machine machine = {.features = base_cpu_features(), .threads = 1};
    spmm_price price;
    kernel->price(kernel, &machine, problem, &price);
    return price.seconds > 0;
}

#endif
