/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of rows and columns in which the tables of a sparse permanent (sparse.h) work. */
#ifndef PERM_SPARSE_COLUMN_ORDER_H
#define PERM_SPARSE_COLUMN_ORDER_H

#include "mm/matrix/sparse.h"

/* Permutes a record, of which `matrix` has the nonzeros by columns, and notes in its metadata what for. The
 * low columns come first, in the order that perm_sparse_plan_make finds for the CPU, then the others, those
 * with the fewest entries first; each row stands where the first column stands that it has an entry in. Where
 * that is cheaper, the same is done with rows and columns exchanged. Fails with BASE_FAILED for a matrix that
 * is not square, of an order beyond 63, with an empty row or column, or too small for low columns. At most a
 * second or two. */
base_status perm_sparse_column_order(base_context *context, const mm_sparse *matrix, mm_record *record);

#endif
