/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbers of a record as doubles. */
#ifndef MM_MATRIX_REALS_H
#define MM_MATRIX_REALS_H

#include "mm/record/record.h"

/* Turns the record into an array of reals, without symmetry: record->real has all nrow·ncol numbers of the
 * matrix, column by column. BASE_FAILED for complex numbers, infinities, integers beyond 64 bits and two
 * entries at one place; larger integers than 2^53 are rounded. O(nnz + nrow·ncol); an array of reals stays
 * where it is. */
base_status mm_record_to_reals(base_context *context, mm_record *record);

#endif
