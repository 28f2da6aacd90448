/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of H² matrices with vectors.
 *
 * plan.c has the workspace and mv.c the passes up, across and down. tasks.h writes the same product down as
 * lists of small tasks for a device (pairs.c does the blocks with several vectors). norm.h and error.h are
 * made of products. */
#ifndef H2_PRODUCT_MV_H
#define H2_PRODUCT_MV_H

#include "h2/matrix/matrix.h"
#include "h2/matrix/phases.h"

/* Workspace for products with one matrix, which must outlive it. */
typedef struct h2_product_plan h2_product_plan;

/* Plans products with up to `vectors` vectors at a time; more are done in groups of 16. Memory: the
 * coefficients and, with more than one thread and half storage, a group's products with the transposed
 * blocks. */
base_status h2_mv_open(base_context *context, const h2_matrix *matrix, int64_t vectors,
                       h2_product_plan **plan);
void h2_mv_close(h2_product_plan *plan); /* NULL is allowed */

/* y = alpha op(A) x + beta y; x and y are n × vectors, column by column, in the points' original order; y is
 * not read if beta is 0. One upward pass through the bases, one pass over the blocks of all levels, one
 * downward pass; a stored block is read once a group, for itself and its transpose. The same bits for any
 * number of threads. 2·vectors flop a stored number (4 of a block that stands for two). */
void h2_mv(h2_product_plan *plan, bool transposed, double alpha, const double *x, double beta, double *y,
           int64_t vectors);

/* Products with this plan note their phases there from now on, level by level, which takes them a little
 * longer. NULL: no more. */
void h2_mv_note(h2_product_plan *plan, h2_phases *phases);

/* Adds the bytes and flop of a product with so many vectors, to each level or to all as one (-1). */
void h2_mv_count(const h2_matrix *matrix, bool transposed, int64_t vectors, bool by_level, h2_phases *phases);

/* y[i] = row row[i] of A x, of rows in the tree's order; x in the points' original order. One upward pass
 * through the bases, then only the blocks of the clusters that contain these rows: few rows take about the
 * time of reading the bases, which are a small part of a matrix that was not compressed. */
base_status h2_mv_rows(base_context *context, const h2_matrix *matrix, const double *x, int64_t rows,
                       const int64_t *row, double *y);

#endif
