/* The numbers of a record as doubles. */
#ifndef MM_MATRIX_REALS_H
#define MM_MATRIX_REALS_H

#include "mm/record/record.h"

/* All nrow·ncol numbers of a matrix, column by column, whatever its format, field and symmetry; the caller
 * frees them. The record is changed. BASE_FAILED for complex numbers, infinities, integers beyond 64 bits and
 * two entries at one place; larger integers than 2^53 are rounded. O(nnz + nrow·ncol). */
base_status mm_record_take_reals(base_context *context, mm_record *record, double **value);

#endif
