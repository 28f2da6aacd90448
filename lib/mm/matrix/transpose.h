/* SPDX-License-Identifier: BSD-3-Clause */
/* Records transposed, sorted, and without their values. Comments stay, those about rows and columns change
 * places. Records of other kinds than matrices are left alone. */
#ifndef MM_MATRIX_TRANSPOSE_H
#define MM_MATRIX_TRANSPOSE_H

#include "mm/record/record.h"

/* Each says in *changed whether the record was not so already. Memory: a second set of values and 8 bytes per
 * entry while it runs. */

/* The transpose: of a symmetric matrix itself, of a skew-symmetric one the negative, of a hermitian one the
 * conjugate, in the same storage. The entries stay in their order. O(nnz). */
base_status mm_record_transpose(base_context *context, mm_record *record, bool *changed);

/* Entries of a coordinate matrix by columns, and by rows inside of them, as the Matrix Market has them.
 * Entries at one position stay in their order. O(nnz + nrow + ncol), or O(nnz log nnz) where there are far
 * more rows or columns than entries. */
base_status mm_record_sort(base_context *context, mm_record *record, bool *changed);

/* The pattern of the entries of a coordinate matrix, explicit zeros among them. O(1). */
base_status mm_record_to_pattern(base_context *context, mm_record *record, bool *changed);

#endif
