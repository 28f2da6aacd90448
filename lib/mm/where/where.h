/* SPDX-License-Identifier: BSD-3-Clause */
/* Conditions on records, as in `mm-cat --where 'square && n <= 63'`. Compiled once, tested per record.
 *
 *   condition   or        a || b, a or b
 *               and       a && b, a and b
 *               not       !a, not a
 *               compare   == != < <= > >=   numbers;   == !=   texts and conditions;   ~ !~   text and glob
 *   number      + - * /   whole numbers in 128 bits; 63, 10k, 2M, 1G, 1T, 1e6 (powers of ten);
 *                         doubles where one side is 0.5, 1e-3 or a real quantity
 *
 * Names: nrow, ncol; n, the order of a square matrix; nnz, entries with the symmetry expanded, without
 * explicit zeros; explicit_zeros, those (0 for an array); nnz_stored, entries in the file; density, nnz /
 * (nrow ncol); square; field, symmetry, format, kind, name; and the columns that the caller has in its line.
 * What has no value, as `n` of a matrix that is not square, makes a comparison false.
 *
 * A word of the Matrix Market (real, symmetric, coordinate, …) beside == or != is a text; alone it is the
 * condition that the matrix is so: `real and not symmetric` means field == real && symmetry != symmetric.
 * Other texts stand in quotes, except one word compared with `name`.
 *
 * scan.c makes words of the text, parse.c a tree of them with names.c for the names, where.c evaluates the
 * tree. wanted.c is --name. describe.h turns the same properties into columns of a report. */
#ifndef MM_WHERE_WHERE_H
#define MM_WHERE_WHERE_H

#include "mm/record/record.h"
#include "mm/stream/report.h"

typedef struct mm_where mm_where;

/* A column of the caller's lines (mm/stream/report.h), which goes before a name of the list above. */
typedef struct mm_where_column {
    const char *name;
    bool is_text; /* else a number */
} mm_where_column;

/* `columns` ends with a NULL name and stays; NULL: none. BASE_USAGE, with the column of the mistake, when the
 * text is not such a condition, nests deeper than 200 levels, has chains of thousands of operators or
 * compares things of different types. */
base_status mm_where_compile(base_context *context, const char *text, const mm_where_column *columns,
                             mm_where **where);

/* Entries of a record with the symmetry expanded. */
typedef struct mm_where_counts {
    int64_t nonzeros, zeros; /* explicit zeros, none of an array */
} mm_where_counts;

/* Of a record that has its entries still; one pass over them. */
mm_where_counts mm_where_count(const mm_record *record);

/* Whether the condition holds for a record; `line` has the columns, not written yet (NULL: none). `counts`:
 * of the record, which need not have its entries any more; NULL: they are counted when they are asked for.
 * Fails with BASE_FAILED on a division by zero and on numbers beyond 128 bits. Cost: one step per operator
 * that decides. */
base_status mm_where_test(base_context *context, const mm_where *where, const mm_record *record,
                          const mm_where_counts *counts, const mm_report *line, bool *holds);

void mm_where_free(mm_where *where); /* NULL is allowed */

/* Whether a record's name is the one wanted: equal, or matched by a glob; a pattern without slash looks at
 * the name without its group, so that bcspwr02 and bcspwr* find HB/bcspwr02. */
bool mm_name_matches(const char *pattern, const char *name);

/* The names of --name: "HB/bcspwr02,can_*", which remember whether a record had them. */
typedef struct mm_names mm_names;

base_status mm_names_open(base_context *context, const char *list, mm_names **names);
void mm_names_close(mm_names *names); /* NULL is allowed */

/* Whether the record has one of the names. */
base_status mm_names_test(base_context *context, mm_names *names, const mm_record *record, bool *holds);

/* The first name, no glob, that no record had; NULL: there is none. */
const char *mm_names_missing(const mm_names *names);

#endif
