/* SPDX-License-Identifier: BSD-3-Clause */
/* Random sparse matrices for tests of SpMM, row by row. */
#ifndef TESTS_SUPPORT_SPMM_MATRIX_H
#define TESTS_SUPPORT_SPMM_MATRIX_H

#include "base/core/random.h"
#include "spmm/common/kernel.h"
#include "spmm/problem/format.h"

/* Number k of a matrix. */
static inline double spmm_matrix_get(const spmm_csr *a, spmm_precision precision, int64_t k) {
    return precision == SPMM_FP64 ? ((const double *)a->value)[k] : (double)((const float *)a->value)[k];
}

/* Adds a row behind the rows before it: an entry in each column of low … high - 1 with probability `share`,
 * a number between -1 and 1, never 0. The arrays of *a are the caller's and have room for it. */
static inline void spmm_matrix_draw_row(base_random *random, spmm_precision precision, int64_t row,
                                        int64_t low, int64_t high, double share, spmm_csr *a) {
    int64_t *start = (int64_t *)a->start;
    int32_t *index = (int32_t *)a->index;
    start[0] = 0;
    for (int64_t column = low; column < high; column++)
        if (base_random_uniform(random) < share) {
            const double drawn = spmm_round(precision, 2 * base_random_uniform(random) - 1),
                         number = drawn != 0 ? drawn : 1;
            index[a->nnz] = (int32_t)column;
            if (precision == SPMM_FP64)
                ((double *)a->value)[a->nnz++] = number;
            else
                ((float *)a->value)[a->nnz++] = (float)number;
        }
    start[row + 1] = a->nnz;
}

#endif
