/* The order of rows and columns in which the tables of a sparse permanent (sparse.h) work. */
#ifndef PERM_SPARSE_LINES_H
#define PERM_SPARSE_LINES_H

#include "mm/matrix/sparse.h"

/* Permutes a record, of which `matrix` has the nonzeros by columns, and notes in its metadata what for. The
 * order that perm_sparse_plan_make finds for the CPU; lines that are not low follow, those with fewest
 * entries first, and crossing lines stand where the first of their lines stands. Fails with BASE_FAILED for a
 * matrix that is not square, of an order beyond 63, with an empty line, or too small for low lines. At most a
 * second or two. */
base_status perm_sparse_lines_order(base_context *context, const mm_sparse *matrix, mm_record *record);

#endif
