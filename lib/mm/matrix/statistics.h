/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers that describe a sparse matrix. */
#ifndef MM_MATRIX_STATISTICS_H
#define MM_MATRIX_STATISTICS_H

#include "mm/matrix/sparse.h"

typedef struct mm_degrees {
    int64_t least, most; /* entries in a row (or column); 0 where there are none */
    int64_t empty;       /* rows without entries */
} mm_degrees;

typedef struct mm_statistics {
    int64_t lower_bandwidth, upper_bandwidth; /* largest i - j and j - i of an entry, at least 0 */
    int64_t diagonal;                         /* entries on it */
    mm_degrees rows, columns;
    /* Places in the matrix of the least and greatest value and of those of least and greatest magnitude; -1
     * without entries, in a pattern, and the first two of a complex matrix. Ties: the first. */
    int64_t least, greatest, smallest, largest;
} mm_statistics;

/* Finds the statistics of a matrix by columns. O(nnz + nrow + ncol). */
base_status mm_statistics_find(base_context *context, const mm_sparse *matrix, mm_statistics *statistics);

/* Shares of the entries off the diagonal of a square matrix that have an entry in the mirrored place, and one
 * of the same value (complex: of the conjugate value), as CHOLMOD counts them; 1 where there are none, NaN if
 * it is not square. O(nnz + nrow) time, O(nrow) memory. */
typedef struct mm_symmetry_shares {
    double pattern, numerical;
} mm_symmetry_shares;
base_status mm_symmetry_measure(base_context *context, const mm_sparse *matrix, mm_symmetry_shares *shares);

#endif
