/* SPDX-License-Identifier: BSD-3-Clause */
/* Compressed rows or columns, as files of sparse matrices store them. "Majors" are the rows of compressed
 * rows, the columns of compressed columns; "minors" the others. */
#ifndef MM_ARRAYS_COMPRESSED_H
#define MM_ARRAYS_COMPRESSED_H

#include "mm/record/record.h"

/* Fails with BASE_DAMAGED when the places start[0] … start[majors] where majors begin do not go from 0 to nnz
 * without falling. */
base_status mm_compressed_check(base_context *context, const int64_t *start, int64_t majors, int64_t nnz);

/* The major index of each of `nnz` entries from such places; to be freed. Fails where they are not good.
 * O(nnz + majors). */
base_status mm_compressed_expand(base_context *context, const int64_t *start, int64_t majors, int64_t nnz,
                                 int64_t **major);

/* The other way: majors + 1 places, to be freed, of entries whose major indices ascend. */
base_status mm_compressed_starts(base_context *context, const int64_t *major, int64_t majors, int64_t nnz,
                                 int64_t **start);

/* The entries of a coordinate record by columns, or by rows: entry order[k] is the k-th; those at one
 * position stay in their order. To be freed; NULL: they are in strict order already. Cost as below. */
base_status mm_compressed_order(base_context *context, const mm_record *record, bool by_columns,
                                int64_t **order);

/* Sorts the entries of a coordinate record by columns, or by rows. Fails with BASE_FAILED on two entries at
 * one position. O(nnz + nrow + ncol), or O(nnz log nnz) where there are far more rows or columns than
 * entries. */
base_status mm_compressed_sort(base_context *context, mm_record *record, bool by_columns);

/* Sorts the entries of a coordinate record by columns or by rows, whichever order they are in already, by
 * columns where it is neither, and makes the places where columns or rows begin, to be freed. Fails like
 * mm_compressed_sort. Entries in order are read once. */
base_status mm_compressed_make(base_context *context, mm_record *record, bool *by_columns, int64_t **start);

/* Whether majors ascend, and minors inside of them. Stops soon behind the first that do not. */
bool mm_compressed_is_ordered(const int64_t *major, const int64_t *minor, int64_t nnz);

/* Entries of the upper triangle that a symmetric matrix stores become those of the lower one. */
base_status mm_triangle_lower(base_context *context, mm_record *record, bool is_upper);

#endif
