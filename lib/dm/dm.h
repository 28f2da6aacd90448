/* SPDX-License-Identifier: BSD-3-Clause */
/* The Dulmage-Mendelsohn decomposition of a sparse matrix: row and column permutations to block upper
 * triangular form, found from a maximum matching between rows and columns.
 *
 *            C0 ∪ C1   C2    C3
 *   R1     [    H      *     *  ]   H: horizontal part, more columns than rows, or empty
 *   R2     [           S     *  ]   S: square, its own blocks have a zero-free diagonal
 *   R3 ∪ R0[                 V  ]   V: vertical part, more rows than columns, or empty
 *
 * The fine blocks of S are the strong components of the matched graph; an entry lies in some maximum matching
 * exactly if it lies in a diagonal block (H, V and the blocks of S).
 *
 * Dulmage, Mendelsohn: Coverings of bipartite graphs (1958); Pothen, Fan: Computing the block triangular form
 * of a sparse matrix (1990); Davis: Direct methods for sparse linear systems (2006), §7.4.
 *
 * matching.h finds a maximum matching with the searches of search.h (greedy, depth_first.c, karp_sipser.c,
 * shortest.c); coarse.h marks H, S and V from it; fine.h splits S into strong components; parts.c takes
 * parts of the form. split.h does all of it to records. */
#ifndef DM_DM_H
#define DM_DM_H

#include "mm/matrix/sparse.h"

typedef struct dm_decomposition {
    int64_t nrow, ncol;
    int64_t structural_rank;
    int64_t *row;          /* nrow: row[k] is the row of the matrix that stands at place k */
    int64_t *col;          /* ncol: the same for columns */
    int64_t *row_position; /* nrow: the inverse, the place of a row */

    /* Diagonal blocks, counted as CXSparse's cs_dmperm does: H if it has columns, then the fine blocks of S,
     * then V if it has rows. Block b is at places row_start[b] … row_start[b+1]-1 and col_start[b] …. */
    int64_t nblock;
    int64_t *row_start, *col_start; /* nblock + 1 */
    int64_t square_first;           /* blocks square_first … square_end-1 are the fine blocks of S: */
    int64_t square_end;             /* square, structurally nonsingular, irreducible */

    int64_t horizontal_nrow, horizontal_ncol;
    int64_t square_order;
    int64_t vertical_nrow, vertical_ncol;
    int64_t largest_block; /* order of the largest fine block of S; 0 without */
} dm_decomposition;

/* Decomposes the pattern of a matrix given by columns; values are not looked at, so explicit zeros count
 * where the matrix has kept them. The result depends on the pattern alone. O(nnz √n) time at worst, mostly a
 * few passes over nnz; up to nnz + 10 (nrow + ncol) words of workspace. Fails with BASE_MACHINE only. */
base_status dm_decompose(base_context *context, const mm_sparse *matrix, dm_decomposition *decomposition);
void dm_free(dm_decomposition *decomposition); /* NULL is allowed */

/* True when the matrix has a matching of all its rows or of all its columns; when not, its permanent is 0. */
bool dm_is_full_rank(const dm_decomposition *decomposition);

/* The matrix of a diagonal block: rows and columns in the order of the permuted matrix, values with it.
 * `matrix` is the one that was decomposed; big integers point where its own do. O(nnz of the block's
 * columns). */
base_status dm_extract_block(base_context *context, const mm_sparse *matrix,
                             const dm_decomposition *decomposition, int64_t block, mm_sparse *submatrix);

/* The whole matrix in block form, A(row, col). O(nnz + nrow + ncol). */
base_status dm_permute(base_context *context, const mm_sparse *matrix, const dm_decomposition *decomposition,
                       mm_sparse *permuted);

/* The matrix without the entries that lie in no perfect matching (one of all rows or of all columns,
 * whichever are fewer): those outside the diagonal blocks, or all where there is no perfect matching. The
 * permanent stays (SUperman, §4.1). O(nnz + nrow + ncol). */
base_status dm_drop(base_context *context, const mm_sparse *matrix, const dm_decomposition *decomposition,
                    mm_sparse *kept);

#endif
