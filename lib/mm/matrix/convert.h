/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes of how a record is stored that leave the matrix as it is: symmetry, zeros, format. Comments stay.
 */
#ifndef MM_MATRIX_CONVERT_H
#define MM_MATRIX_CONVERT_H

#include "mm/record/record.h"

/* Each says in *changed whether the record was not so already. Memory: a second set of arrays and 8 bytes per
 * entry while it runs. Records of other kinds than matrices are left alone. */

/* General storage: every entry off the diagonal is followed by its mirror image (aᵀ, -aᵀ, conjugate), an
 * array becomes the full one. O(nnz). */
base_status mm_record_expand(base_context *context, mm_record *record, bool *changed);

/* Without explicit zeros, also of schemes; the order of the others stays. Arrays are left alone. O(nnz). */
base_status mm_record_drop_zeros(base_context *context, mm_record *record, bool *changed);

/* Coordinate format: the nonzeros of an array, column by column. O(nnz). */
base_status mm_record_to_coordinate(base_context *context, mm_record *record, bool *changed);

/* Array format, with the same symmetry where array form has it; a pattern becomes integer ones. Fails with
 * BASE_MACHINE when the array would exceed context->memory_bytes, with BASE_FAILED on two entries at one
 * position. O(nnz + array). */
base_status mm_record_to_array(base_context *context, mm_record *record, bool *changed);

#endif
