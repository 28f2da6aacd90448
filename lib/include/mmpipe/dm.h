/* SPDX-License-Identifier: BSD-3-Clause */
/* The Dulmage-Mendelsohn decomposition: permutations to block upper triangular form
 *
 *     [ H * * ]   H: horizontal part, more columns than rows
 *     [   S * ]   S: square, its own blocks have a zero-free diagonal
 *     [     V ]   V: vertical part, more rows than columns
 *
 * from a maximum matching. O(nnz sqrt(n)) at worst. */
#ifndef MMPIPE_DM_H
#define MMPIPE_DM_H

#include <mmpipe/record.h>

MMPIPE_BEGIN

typedef struct mmpipe_dm mmpipe_dm;

/* What a decomposition is like. Block b is at rows row_start[b] ... row_start[b+1]-1 and columns
 * col_start[b] ... of the permuted matrix; first H, if it has columns, then the blocks of S, then V. */
typedef struct mmpipe_dm_form {
    int64_t nrow, ncol, structural_rank;
    const int64_t *row, *col; /* row[k] is the row of the matrix at place k */
    int64_t blocks;
    const int64_t *row_start, *col_start; /* blocks + 1 */
    int64_t square_first, square_end;     /* the blocks of S are square_first ... square_end-1 */
    int64_t horizontal_nrow, horizontal_ncol, square_order, vertical_nrow, vertical_ncol;
} mmpipe_dm_form;

/* Of the pattern; explicit zeros count with `keep_zeros`. */
MMPIPE_API mmpipe_status mmpipe_dm_decompose(mmpipe_context *context, const mmpipe_record *record,
                                             bool keep_zeros, mmpipe_dm **dm);
/* The arrays are those of the decomposition, until it is freed. */
MMPIPE_API void mmpipe_dm_get_form(const mmpipe_dm *dm, mmpipe_dm_form *form);
MMPIPE_API void mmpipe_dm_free(mmpipe_dm *dm);

/* The record in block form, and the record without the entries that lie in no perfect matching. Both become
 * general, with sorted columns. */
MMPIPE_API mmpipe_status mmpipe_dm_permute(mmpipe_context *context, mmpipe_record *record, bool keep_zeros);
MMPIPE_API mmpipe_status mmpipe_dm_drop(mmpipe_context *context, mmpipe_record *record, bool keep_zeros);

/* The diagonal blocks as records, whose permanents multiply to that of the matrix. The record must outlive
 * the splitter. */
typedef struct mmpipe_dm_splitter mmpipe_dm_splitter;
MMPIPE_API mmpipe_status mmpipe_dm_split(mmpipe_context *context, const mmpipe_record *record,
                                         bool keep_zeros, mmpipe_dm_splitter **splitter);
/* The next block, to be freed; *block is NULL after the last. All 1 x 1 blocks are one diagonal matrix. */
MMPIPE_API mmpipe_status mmpipe_dm_split_next(mmpipe_context *context, mmpipe_dm_splitter *splitter,
                                              mmpipe_record **block);
MMPIPE_API void mmpipe_dm_split_close(mmpipe_dm_splitter *splitter);

MMPIPE_END

#endif
