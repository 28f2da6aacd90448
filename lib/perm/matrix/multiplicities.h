/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices that are not square, and matrices whose rows and columns count several times or not at all.
 *
 * The permanent of an m×n matrix, m <= n, is the sum over all ways to choose an entry from every row, no two
 * in a column; with m > n that of the transpose. Rows and columns with multiplicities r_i and c_j stand for
 * the matrix in which they are repeated so many times; 0 leaves the row or column out. */
#ifndef PERM_MATRIX_MULTIPLICITIES_H
#define PERM_MATRIX_MULTIPLICITIES_H

#include "mm/matrix/sparse.h"
#include "perm/matrix/distinct.h"

/* How often each row and column counts; NULL: all once. */
typedef struct perm_counts perm_counts;
struct perm_counts {
    int64_t *row, *column;
};

/* The lists `row_list` and `column_list`, numbers with commas or blanks between them, or where these are NULL
 * the record's `% perm.row_mult: 1 0 2` and `% perm.col_mult` (mm/metadata/list.h). Fails with BASE_USAGE,
 * BASE_DAMAGED or BASE_FAILED where a list is malformed or not as long as the matrix. */
base_status perm_counts_get(base_context *context, const mm_record *record, const char *row_list,
                            const char *column_list, perm_counts *counts);
void perm_counts_free(perm_counts *counts); /* NULL is allowed */

/* A matrix of any size with multiplicities, without the rows and columns that cannot matter for its
 * permanent: those that count 0 times; empty columns where there are more columns than rows, and empty rows
 * where there are more rows. */
typedef struct perm_rectangular {
    mm_sparse matrix;   /* by columns */
    perm_counts counts; /* both there, at least 1 */
    int64_t nrow, ncol; /* with multiplicities */
    bool is_zero;       /* too few rows or columns are left: the permanent is 0 */
} perm_rectangular;

/* `matrix` by columns; `counts` may be NULL. Texts of big integers stay where they are. */
base_status perm_rectangular_make(base_context *context, const mm_sparse *matrix, const perm_counts *counts,
                                  perm_rectangular *rectangular);
void perm_rectangular_free(perm_rectangular *rectangular); /* NULL is allowed */

/* The distinct rows and columns with their counts. Fails with BASE_FAILED when they do not fit the memory. */
base_status perm_rectangular_distinct(base_context *context, const perm_rectangular *rectangular,
                                      perm_distinct *distinct);

/* A square matrix whose permanent is that of the rectangular one times (|nrow - ncol|)!: rows and columns are
 * written as often as they count, then come rows or columns of ones. */
base_status perm_rectangular_expand(base_context *context, const perm_rectangular *rectangular,
                                    mm_sparse *square);

#endif
