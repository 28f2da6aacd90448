/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices as algorithms want them: compressed columns (or rows) with the symmetry expanded, and dense.
 *
 * sparse_record.c makes them from records, sparse_to_record.c the other way. The rest of the room works on
 * matrices: compare.h says where two differ, convert.h changes how a record is stored and not what it is,
 * submatrix.h takes parts, rearrange.h permutes records and notes whence rows and columns come, statistics.h
 * counts, reals.h gives the numbers of a record as doubles. */
#ifndef MM_MATRIX_SPARSE_H
#define MM_MATRIX_SPARSE_H

#include "base/run/progress.h"
#include "mm/record/record.h"

#include <string.h>

/* A sparse matrix in compressed form. By columns: entries of column j are start[j] … start[j+1]-1, rows in
 * index. By rows the same with the roles exchanged. Indices ascend inside each column and are distinct. */
typedef struct mm_sparse {
    int64_t nrow, ncol, nnz;
    int64_t *start; /* ncol + 1 by columns, nrow + 1 by rows */
    int64_t *index; /* nnz */
    mm_field field;
    /* nnz values, at most one of the three; none for a pattern */
    double *real;         /* MM_REAL; MM_COMPLEX: 2·nnz, interleaved */
    int64_t *integer;     /* MM_INTEGER with values that fit */
    const char **digits;  /* MM_INTEGER beyond 64 bits: texts in the record, which must outlive this … */
    char *negated_digits; /* … or here, for the mirrored entries of a skew-symmetric record */
} mm_sparse;

typedef enum mm_orientation { MM_BY_COLUMNS, MM_BY_ROWS } mm_orientation;

typedef struct mm_sparse_options {
    mm_orientation orientation;
    bool keep_zeros; /* keep explicit zeros, which are dropped otherwise */
} mm_sparse_options;

/* Copies the value of entry `from` to entry `to` of other arrays; `bytes` are those of a value. */
static inline void mm_sparse_copy_value(void *to_values, int64_t to, const void *from_values, int64_t from,
                                        size_t bytes) {
    char *target = (char *)to_values + (size_t)to * bytes;
    const char *source = (const char *)from_values + (size_t)from * bytes;
    if (bytes == 8) /* known sizes need no call */
        memcpy(target, source, 8);
    else if (bytes == 16)
        memcpy(target, source, 16);
}

/* Expands symmetry (aᵀ, -aᵀ, conjugate), sorts, drops explicit zeros. Two entries at one position fail with
 * BASE_FAILED: mm-cat --lenient adds them up; so do infinite values. An array record becomes its nonzeros.
 * O(nnz + nrow + ncol). */
base_status mm_sparse_from_record(base_context *context, const mm_record *record, mm_sparse_options options,
                                  mm_sparse *matrix);
void mm_sparse_free(mm_sparse *matrix); /* NULL is allowed */

/* The same by columns, out of the record's own arrays where mm_sparse_can_take says so: the record then keeps
 * its head, and has no entries any more, also after a failure. Memory beyond the arrays, where symmetric ones
 * grow to hold the mirrored entries too: O(ncol), and 32 bytes an entry of the longest column whose rows are
 * not in order. Other records stay as they are. O(nnz + ncol), and O(nnz log nnz) where columns must be
 * sorted. */
base_status mm_sparse_take_record(base_context *context, mm_record *record, bool keep_zeros,
                                  mm_sparse *matrix);

/* Coordinate matrices without big integers whose arrays lie in no memory that was handed over; symmetric ones
 * only with all entries on or below the diagonal, as they are read. O(nnz) for these. */
bool mm_sparse_can_take(const mm_record *record);

/* Sorts the entries of such a record by columns, then by rows; column j begins at start[j]. `start` has ncol
 * + 1 zeros. */
base_status mm_sparse_sort_record(base_context *context, mm_record *record, int64_t *start);

/* Adds the mirrored entries to a matrix of the entries on and below the diagonal, in place. Fails with
 * BASE_FAILED where a mirrored integer exceeds 64 bits. O(nnz + ncol); O(ncol) memory beyond the arrays. */
base_status mm_sparse_expand(base_context *context, mm_symmetry symmetry, mm_sparse *matrix);

/* Allocates start (zeroed, majors + 1), index and values for the field and nnz; `digits`: texts for integers.
 * What was allocated before a failure is released by mm_sparse_free. */
base_status mm_sparse_alloc(base_context *context, mm_sparse *matrix, int64_t majors, bool digits);

/* Values of all fields move alike, as 64-bit words: none for a pattern, two for complex, one otherwise. */
int mm_sparse_value_words(mm_field field);
void *mm_sparse_values(const mm_sparse *matrix); /* whichever array there is, or NULL */

/* For filling column by column (or row by row) in any order. The first turns the counts of start[0] …
 * start[majors - 1] into the places where columns begin; then each entry of column j goes to start[j]++; the
 * second turns what start is then into what it should be. */
void mm_sparse_begin_fill(int64_t *start, int64_t majors);
void mm_sparse_end_fill(int64_t *start, int64_t majors);

/* The place in index[] of the entry (index, major), which is there: a column's indices ascend. */
int64_t mm_sparse_find(const mm_sparse *matrix, int64_t index, int64_t major);

/* The pattern alone, on the same arrays; not to be freed. */
mm_sparse mm_sparse_pattern(const mm_sparse *matrix);

/* Makes the same matrix in the other orientation; `orientation` is that of `matrix`. Seen in the old
 * orientation it is the transpose. Texts of big integers stay where they are. O(nnz + nrow + ncol). */
base_status mm_sparse_reorient(base_context *context, const mm_sparse *matrix, mm_orientation orientation,
                               mm_sparse *result);

/* A general coordinate record with the entries of a matrix in compressed columns, in that order. Comments are
 * not touched. */
base_status mm_record_from_sparse(base_context *context, const mm_sparse *matrix, mm_record *record);

/* Tells the progress of 1024 columns, or rows, from j on, where j is a multiple of that. */
static inline void mm_sparse_tell(base_context *context, const int64_t *start, int64_t majors, int64_t j) {
    if (j % 1024 == 0)
        base_progress_add(context, start[majors - j > 1024 ? j + 1024 : majors] - start[j]);
}

#endif
