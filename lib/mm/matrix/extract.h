/* SPDX-License-Identifier: BSD-3-Clause */
/* Submatrices of a record, one after another: rows and columns by their indices, in any order and as often as
 * they are listed. A row that is listed twice is written twice: the permanent of such a matrix is the
 * amplitude of an output pattern of an interferometer with two photons in that mode, and every reader
 * understands it.
 *
 * A part keeps the format and the field of the record; its storage is general. Its comments are the record's
 * name with the number of the part, `% name: NAME[3]`, and `% origin.rows`, `% origin.cols` (origin.h). */
#ifndef MM_MATRIX_EXTRACT_H
#define MM_MATRIX_EXTRACT_H

#include "mm/record/record.h"

/* Lists as in metadata/list.h, with blanks or commas between the numbers. */
typedef struct mm_extract_options {
    const char *rows, *cols; /* NULL: all of them */
    const char *lists;       /* "ROWS;COLS" instead of both, where an empty list stands for all */
    const char *file;        /* NULL: one submatrix, of `rows` and `cols`. A path: one for each line
                              * `ROWS;COLS` of the file; a line without semicolon lists rows, and `cols` holds.
                              * Empty lines and those that begin with % are passed over. */
} mm_extract_options;

typedef struct mm_extractor mm_extractor;

/* Expands the record's symmetry in place. Record and options must outlive the extractor. Fails with
 * BASE_USAGE when `rows` or `cols` are malformed or the file cannot be opened, with BASE_FAILED when an index
 * exceeds the record or it has counts of rows or columns. O(nnz + nrow + ncol). */
base_status mm_extractor_open(base_context *context, mm_record *record, const mm_extract_options *options,
                              mm_extractor **extractor);

/* The next submatrix; *found false after the last. Fails, at the line of the file, with BASE_DAMAGED when it
 * is malformed, with BASE_FAILED when an index exceeds the record or the file has no submatrix at all.
 * Memory: that of one part and one line. Time: of an array the size of the part, of a coordinate matrix its
 * rows, columns, and the entries in its rows. */
base_status mm_extractor_next(base_context *context, mm_extractor *extractor, mm_record *part, bool *found);

void mm_extractor_close(mm_extractor *extractor); /* NULL is allowed */

#endif
