/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the arrays of an H² matrix lie in its payload; private to matrix.c and layout.c. */
#ifndef H2_MATRIX_LAYOUT_H
#define H2_MATRIX_LAYOUT_H

#include "base/core/context.h"
#include "h2/matrix/types.h"

/* Says in matrix->head, ->tree, ->row, ->col, ->coupling and ->dense where in a payload of `bytes` bytes the
 * arrays lie that hold indices and points; their content may not be there yet. Returns the place behind them,
 * or -1 if the header says what cannot be. `payload` may be NULL to learn the place only. */
int64_t h2_layout_lists(h2_matrix *matrix, char *payload, int64_t bytes);

/* The same for the numbers of bases and blocks, when ranks and lists are there and checked; the index (below)
 * must have been made. */
int64_t h2_layout_values(h2_matrix *matrix, char *payload, int64_t bytes, int64_t place);

/* What follows from tree, ranks and block lists. */
base_status h2_index_build(base_context *context, h2_matrix *matrix);
void h2_index_free(h2_matrix *matrix);

/* NULL, or what is wrong with the lists. */
const char *h2_layout_check(const h2_matrix *matrix);

#endif
