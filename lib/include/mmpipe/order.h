/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders of rows and columns; mm-order(1). */
#ifndef MMPIPE_ORDER_H
#define MMPIPE_ORDER_H

#include <mmpipe/record.h>

MMPIPE_BEGIN

/* "frontier|degree|perm|amd|colamd|metis|rcm|spmm|partition": the methods there are. */
MMPIPE_API const char *mmpipe_order_methods(void);

/* Permutes the record for a method. Its metadata say what it was ordered for (`% order.for`) and where its
 * rows and columns come from. MMPIPE_USAGE for an unknown method, MMPIPE_FAILED for a matrix that must be
 * square and is not. */
MMPIPE_API mmpipe_status mmpipe_order(mmpipe_context *context, mmpipe_record *record, const char *method);

/* Row k becomes what was row row[k], and so for columns; NULL leaves an order as it is. */
MMPIPE_API mmpipe_status mmpipe_record_permute(mmpipe_context *context, mmpipe_record *record,
                                               const int64_t *row, const int64_t *col);
/* Undoes all permutations that the metadata tell of. */
MMPIPE_API mmpipe_status mmpipe_record_restore(mmpipe_context *context, mmpipe_record *record);
/* Row k of the record was row row[k] of the first matrix: nrow and ncol numbers, to be released by
 * mmpipe_free. */
MMPIPE_API mmpipe_status mmpipe_record_origin(mmpipe_context *context, const mmpipe_record *record,
                                              int64_t **row, int64_t **col);

MMPIPE_END

#endif
