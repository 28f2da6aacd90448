/* SPDX-License-Identifier: BSD-3-Clause */
/* Are two records the same matrix, and if not, where do they differ? */
#ifndef MM_MATRIX_COMPARE_H
#define MM_MATRIX_COMPARE_H

#include "mm/record/record.h"

typedef struct mm_compare_options {
    double rtol, atol; /* values a, b are equal when |a - b| ≤ atol + rtol·max(|a|, |b|) (record/value.h) */
    bool pattern;      /* positions only */
    bool keep_zeros;   /* an explicit zero is an entry; otherwise it is as if it were not there */
    bool storage;      /* format, field, symmetry and the order of the entries must agree too */
    bool metadata;     /* the comment lines must agree, those of provenance (% by:) aside */
    int64_t shown;     /* differences to describe */
} mm_compare_options;

/* One difference. `row` and `col` count from 1; 0 when it is not at a position. An entry that is missing on
 * one side, or what does not apply, is "-". */
typedef struct mm_difference {
    const char *what; /* kind, size, format, field, symmetry, entries, order, value, entry, metadata, payload,
                         record */
    int64_t row, col;
    char *left, *right;
} mm_difference;

typedef struct mm_comparison {
    int64_t count;                 /* differences, of all kinds */
    double largest_absolute;       /* |a - b| over all positions, also within the tolerance; rounded */
    double largest_relative;       /* |a - b| / max(|a|, |b|) */
    mm_difference *first;          /* the first of them … */
    int64_t first_count, capacity; /* … at most `shown` */
} mm_comparison;

void mm_comparison_init(mm_comparison *comparison);
void mm_comparison_free(mm_comparison *comparison); /* NULL is allowed */

/* Compares into an initialised comparison. Unless options->storage is set the records are compared as
 * matrices: symmetry expanded, whatever the order, format and field; an entry of a pattern is a 1. Without
 * tolerances integers of any size and doubles are compared exactly, also with each other. Records of kind h2
 * and state are compared byte by byte. The records may come back in another order and storage.
 * Fails with BASE_FAILED when a matrix has two entries at one position. O(nnz) for entries in column order,
 * O(nnz log nnz) otherwise, whatever the sizes; memory: at most both records again. */
base_status mm_compare(base_context *context, mm_record *left, mm_record *right,
                       const mm_compare_options *options, mm_comparison *comparison);

/* A record that only one stream has is one difference of its own. */
base_status mm_compare_missing(base_context *context, bool is_left, const mm_compare_options *options,
                               mm_comparison *comparison);

#endif
