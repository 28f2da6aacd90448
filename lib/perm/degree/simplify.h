/* SPDX-License-Identifier: BSD-3-Clause */
/* What needs no split in a scaled matrix: elimination, and the decomposition of Dulmage and Mendelsohn;
 * internal to terms.c. */
#ifndef PERM_DEGREE_SIMPLIFY_H
#define PERM_DEGREE_SIMPLIFY_H

#include "dm/dm.h"
#include "perm/degree/scaled.h"
#include "perm/matrix/elimination.h"

/* Takes what an elimination of the matrix has found into the factor. */
void perm_scaled_collect(perm_elimination *e, perm_scaled *scaled);

/* The same; and the matrix becomes what the elimination has left. */
base_status perm_scaled_take(perm_elimination *e, perm_scaled *scaled);

/* Entries outside the blocks of `dm` go; returns how many. block: 2n, that of each row, then of each
 * column. `dm` is one of the transpose: its columns are the rows of `matrix`. */
int64_t perm_matrix_drop(perm_matrix *matrix, const dm_decomposition *dm, int64_t *block);

/* Moves the entries of block b, of which perm_matrix_drop gave the blocks, into a matrix of their own. place:
 * n, work space. */
base_status perm_matrix_cut_block(base_context *context, perm_matrix *matrix, const int64_t *row_block,
                                  int64_t b, int64_t *place, perm_matrix *block);

/* Drops the entries that lie in no perfect matching, and sets `blocks`: 0 when there is no such matching. */
base_status perm_scaled_drop(base_context *context, perm_scaled *scaled, int64_t *dropped);

/* Eliminates rows and columns of one or two entries and drops entries that lie in no perfect matching, until
 * there are none or the order is no more than stop_n. Sets `blocks`: 0 when there is no perfect matching. */
base_status perm_scaled_simplify(base_context *context, int64_t stop_n, perm_scaled *scaled);

#endif
