/* SPDX-License-Identifier: BSD-3-Clause */
/* Places of the workspace for the tables of a program: two tables share places where they are not needed at
 * the same time. Internal to compile.c. */
#ifndef PERM_SPARSE_EXTENT_H
#define PERM_SPARSE_EXTENT_H

#include "perm/sparse/tree.h"

enum { PERM_SPARSE_MOST_EXTENTS = 3 * PERM_SPARSE_MOST_NODES << PERM_SPARSE_MOST_SLICED };

/* Places that one table takes, from an instruction to another, both included. */
typedef struct perm_sparse_extent {
    int length, first, last, start;
} perm_sparse_extent;

/* Sets all starts, from `least` on; returns the end of the last place. O(count^2), and more where many tables
 * are needed at a time. */
int perm_sparse_place_extents(perm_sparse_extent *extent, int count, int least);

#endif
