/* SPDX-License-Identifier: BSD-3-Clause */
/* Compressed columns or rows in a record, as a file has them (mm_places): who writes them as they are, or
 * only checks them, makes no row and col. Memory for these is twice that of the indices in the file, and
 * memory that the kernel has to clear takes longer than the file that fills it. */
#ifndef MM_RECORD_PLACES_H
#define MM_RECORD_PLACES_H

#include "mm/record/record.h"

/* The majors of entries first … end - 1, by where majors begin. */
void mm_places_fill(const int64_t *start, int64_t majors, int64_t first, int64_t end, int64_t *major);

/* Rows and columns of entries first … first + count - 1. */
void mm_places_get(const mm_record *record, int64_t first, int64_t count, int64_t *row, int64_t *col);

/* Makes row and col of the places; where there are none, does nothing. */
base_status mm_places_expand(base_context *context, mm_record *record);

/* Whether all minors are in 0 … limit - 1. Looks at each once, and sets is_ordered. */
bool mm_places_check(mm_places *places, int64_t majors, int64_t nnz, int32_t limit);

/* Whether the record has places that are as we write them: in order, and columns where the entries are in
 * that order too. */
bool mm_places_are_standard(const mm_record *record);

/* Whether no entry lies above the diagonal; `transposed`: below it. */
bool mm_places_are_lower(const mm_record *record, bool transposed);

#endif
