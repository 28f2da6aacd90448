/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays row by row, as most formats have them; records have them column by column. */
#ifndef MM_ARRAYS_ROW_MAJOR_H
#define MM_ARRAYS_ROW_MAJOR_H

#include "mm/record/record.h"

/* Brings an array into the order of rows, with both triangles of a symmetric one; record->nnz becomes nrow
 * ncol. Fails with BASE_FAILED for integers beyond 64 bits. Takes as much memory as the result. */
base_status mm_array_to_rows(base_context *context, mm_record *record);

#endif
