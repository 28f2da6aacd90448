/* SPDX-License-Identifier: BSD-3-Clause */
/* How a block of a sparse permanent is computed (kernels/perm/sparse/kernel.h): which tables are multiplied
 * with which, and what that costs. Works on patterns alone. */
#ifndef PERM_SPARSE_TREE_H
#define PERM_SPARSE_TREE_H

#include <stdbool.h>
#include <stdint.h>

enum { PERM_SPARSE_MOST_NODES = 4 * 64, PERM_SPARSE_MOST_SLICED = 3 };

/* Where a square matrix of order n <= 63 has entries: bit j of row[i], bit i of column[j]. */
typedef struct perm_sparse_pattern {
    int n;
    uint64_t row[64], column[64];
} perm_sparse_pattern;

/* An order of the columns and the number of low ones, order[0 … low-1]; they are summed out from order[0] on.
 * The last `sliced` < low of these are in no table: the block is computed once for every choice of their
 * signs, in Gray code order, the first of them changing most often, and what does not depend on a change is
 * kept. That takes fewer entries at a time for the same operations. */
typedef struct perm_sparse_order {
    int low, sliced;
    uint8_t column[64];
} perm_sparse_order;

/* A table: of a row, a product of two, or such a product or a table with a column summed out. */
typedef struct perm_sparse_node {
    uint64_t columns;    /* that its entries depend on: bits of column numbers */
    int16_t left, right; /* nodes; -1: none */
    int16_t row;         /* of a leaf; else -1 */
    int16_t summed;      /* the column; -1: none */
    uint8_t slices;      /* that it depends on: bit b for order[low - sliced + b] */
    bool has_size;       /* some column was summed out below */
    bool right_first;    /* the right input is made before the left one */
} perm_sparse_node;

typedef struct perm_sparse_tree {
    int count, row_count, sliced, root; /* rows first */
    perm_sparse_node node[PERM_SPARSE_MOST_NODES];
    int step_count;
    int16_t step[PERM_SPARSE_MOST_NODES]; /* the nodes that are no rows, in the order of computation */
    double operations;                    /* of a block, real: additions, multiplications and fma */
    int instructions;                     /* tables made in a block */
    double updates;                       /* additions from a block to the next, on average */
    double entries; /* the most tables' entries alive at a time, values and sizes of real type, without x */
} perm_sparse_tree;

/* Eliminates the low columns. For each column, all tables that depend on it are multiplied, two by two: those
 * first whose product is small beside them, tables with sizes last; the last product is summed over the
 * column at once. False if a low column is empty. O(n b^2) for columns of b entries. */
bool perm_sparse_tree_make(const perm_sparse_pattern *pattern, const perm_sparse_order *order,
                           perm_sparse_tree *tree);

/* Whether slice number `slice` makes the node anew. */
bool perm_sparse_node_changes(const perm_sparse_node *node, unsigned slice);

#endif
