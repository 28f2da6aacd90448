/* SPDX-License-Identifier: BSD-3-Clause */
/* Which row or column of a matrix to split for Forbert and Marx' degree reduction, and how; internal to
 * terms.c. Lines are as in matrix/elimination.h: rows and columns. */
#ifndef PERM_DEGREE_SPLIT_H
#define PERM_DEGREE_SPLIT_H

#include "perm/degree/options.h"
#include "perm/degree/scaled.h"
#include "perm/matrix/elimination.h"

typedef struct perm_split {
    int64_t line;     /* -1: there is no line to split */
    int64_t degree;   /* its entries, or the fewest of any line */
    int64_t entry[2]; /* the two that are merged first */
    bool is_column;   /* the line is a column */
} perm_split;

/* The rule's choice in a matrix all of whose lines have entries; degree 0 says that one has not. With a
 * plain rule also lines of one or two entries; `columns_first` says whether row k or column k comes first. */
perm_split perm_split_choose(perm_elimination *e, perm_rule rule, bool columns_first, int64_t max_degree);

/* The second matrix of a split: what is left in `e`, of which `whole` has the factor, without the two
 * entries; the line goes too if it has one or two others. With a plain rule lines stand where
 * SUperman's program puts them. */
base_status perm_split_second(base_context *context, perm_rule rule, const perm_elimination *e,
                              const perm_split *split, const perm_scaled *whole, perm_scaled *second);

#endif
