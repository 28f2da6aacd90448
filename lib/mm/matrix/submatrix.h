/* SPDX-License-Identifier: BSD-3-Clause */
/* Permuted parts of a sparse matrix. */
#ifndef MM_MATRIX_SUBMATRIX_H
#define MM_MATRIX_SUBMATRIX_H

#include "mm/matrix/sparse.h"

/* Rows and columns of a matrix in compressed columns, in a new order. */
typedef struct mm_selection {
    int64_t nrow, ncol; /* of the part */
    const int64_t
        *row_place;        /* of each row of the matrix: its place less row_first is its row in the part; */
    int64_t row_first;     /* rows outside 0 … nrow-1 are left out */
    const int64_t *column; /* ncol columns of the matrix, in the order of the part */
} mm_selection;

/* Texts of big integers stay where they are: in the matrix or its record, which must outlive the part.
 * O(nrow + ncol of the part + entries of the selected columns). */
base_status mm_sparse_select(base_context *context, const mm_sparse *matrix, const mm_selection *selection,
                             mm_sparse *part);

/* A(row, column): row k of the result is row row[k] of the matrix, and so for columns. NULL leaves the order
 * as it is. O(nnz + nrow + ncol). */
base_status mm_sparse_permute(base_context *context, const mm_sparse *matrix, const int64_t *row,
                              const int64_t *column, mm_sparse *permuted);

#endif
