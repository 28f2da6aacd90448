/* SPDX-License-Identifier: BSD-3-Clause */
/* Permanent ordering and partition (Elbek, Kaya: Fully-automated code generation for efficient computation of
 * sparse matrix permanents on GPUs, algorithms 3 and 4): first the columns that touch few rows, and those
 * rows, so that the sums of the first rows can stay in registers for most steps of a Gray code. */
#ifndef ORDER_PERMANENT_H
#define ORDER_PERMANENT_H

#include "order/permutation.h"

/* At each step the column with fewest entries in rows not placed yet, the first of several; then these rows.
 * Rows without entries come last. O(nnz log nnz). */
base_status order_permanent(base_context *context, const mm_sparse *matrix, order_permutation *order);

typedef struct order_partition {
    int64_t columns; /* c: the first columns, which touch the first k rows only */
    int64_t rows;    /* k: rows whose sums are kept in registers */
} order_partition;

/* The partition of a matrix in that order, for doubles, each of which takes two registers of 32 bits. A
 * global update costs 16 times one in registers. The number of threads that k rows allow is, as on compute
 * capability 8.0 and 9.0, that of warps whose threads share 65536 registers, at most 2048, each with 32
 * registers for other things and at most 255; the paper leaves that function open. O(nnz). */
order_partition order_permanent_partition(const mm_sparse *ordered);

#endif
