/* SPDX-License-Identifier: BSD-3-Clause */
/* Records with their rows and columns in another order, which the metadata remember (metadata/origin.h). They
 * become general coordinate matrices with sorted columns; explicit zeros stay. */
#ifndef MM_MATRIX_REARRANGE_H
#define MM_MATRIX_REARRANGE_H

#include "mm/record/record.h"

/* Row k becomes what was row row[k], and so for columns; NULL leaves an order as it is. O(nnz + nrow + ncol).
 */
base_status mm_record_permute(base_context *context, mm_record *record, const int64_t *row,
                              const int64_t *col);

/* Undoes all permutations that the metadata tell of, and removes these. Fails with BASE_FAILED when there are
 * none or the record is only a part of the original. */
base_status mm_record_restore(base_context *context, mm_record *record);

#endif
