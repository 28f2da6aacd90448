/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of a record whose entries change places; private to convert.c and
 * extract.c. */
#ifndef MM_MATRIX_VALUES_H
#define MM_MATRIX_VALUES_H

#include "mm/record/record.h"

/* Where the value of a new entry comes from: an old entry k, its mirror image ~k, or nowhere (a zero). */
#define MM_GATHER_ZERO INT64_MIN

/* Before mirror images are asked for: if there is the one integer of 64 bits without a negative, it goes,
 * with all others, into decimal numbers. O(nnz). */
base_status mm_gather_prepare(base_context *context, mm_record *record);

/* Replaces the values by those of `count` new entries, from[0] … from[count - 1], and sets nnz. A mirror
 * image is aᵀ, -aᵀ or the conjugate, as the record's symmetry says. O(count). */
base_status mm_gather(base_context *context, mm_record *record, int64_t count, const int64_t *from);

/* The same with the new values in `to`, a record of the same field without values, or `record` itself. */
base_status mm_gather_into(base_context *context, const mm_record *record, int64_t count, const int64_t *from,
                           mm_record *to);

#endif
