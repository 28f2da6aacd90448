/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the rows and columns of a permuted matrix, or of a part of one, come from: the metadata
 *
 *     % origin.rows: 3 1 4:7 2
 *     % origin.cols: 1:7
 *
 * list (list.h) for each row and column its number in the original matrix. Permutations that follow one
 * another are composed, so the lists always lead back to the first matrix. */
#ifndef MM_METADATA_ORIGIN_H
#define MM_METADATA_ORIGIN_H

#include "mm/record/record.h"

typedef struct mm_origin {
    int64_t nrow, ncol;
    int64_t *row, *col; /* from 0; NULL: every row (column) is its own */
} mm_origin;

/* The lists of a record. Fails with BASE_DAMAGED if one is malformed, with BASE_FAILED if it is not as long
 * as the matrix. O(comments + nrow + ncol). */
base_status mm_origin_get(base_context *context, const mm_record *record, mm_origin *origin);
void mm_origin_free(mm_origin *origin); /* NULL is allowed */

/* Sets the lists of a record whose row k was row row[k] of a matrix with the given origin, and so for
 * columns; nrow and ncol are the record's. Earlier lists are replaced. NULL stands for a first matrix, and
 * for rows (columns) that stayed where they were. */
base_status mm_origin_set(base_context *context, mm_record *record, const mm_origin *before,
                          const int64_t *row, const int64_t *col);

/* Removes the lists. */
void mm_origin_remove(mm_record *record);

/* Turns the lists around: row[k] becomes the place of the original's row k. Fails with BASE_FAILED when one
 * is no permutation, as that of a block. */
base_status mm_origin_invert(base_context *context, mm_origin *origin);

#endif
