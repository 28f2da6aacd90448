/* SPDX-License-Identifier: BSD-3-Clause */
/* Cluster trees: points sorted into boxes by halving the longest edge. */
#ifndef H2_MATRIX_TREE_H
#define H2_MATRIX_TREE_H

#include "base/core/context.h"

enum { H2_MOST_DIM = 3, H2_MOST_LEVELS = 64 };

typedef enum h2_split {
    H2_MEDIAN, /* halves the points; every leaf has the same number, but for one */
    H2_MEAN    /* at the mean of the coordinates, unless that leaves less than an eighth on one side */
} h2_split;

typedef struct h2_tree {
    int64_t n, dim, levels, nodes;
    int64_t first_leaf;            /* the leaves are nodes first_leaf … nodes-1 */
    int64_t *level;                /* nodes of level l: level[l] … level[l+1]-1; levels + 1 */
    int64_t *begin, *end, *parent; /* of each node; the root's parent is -1 */
    int64_t *permutation;          /* of each point: its row in the input */
    double *point;                 /* n × dim, in the tree's order */
} h2_tree;

/* `point`: n × dim, n ≥ 1, finite. Ties are broken by the input's order. O(n dim log n). */
base_status h2_tree_build(base_context *context, const double *point, int64_t n, int64_t dim,
                          int64_t leaf_size, h2_split split, h2_tree *tree);
void h2_tree_free(h2_tree *tree);

/* Children of node i are child[i] … child[i+1]-1, none of a leaf; nodes + 1 numbers, to be freed; NULL when
 * there is no memory. */
int64_t *h2_tree_children(base_context *context, const h2_tree *tree);

/* The least box around each node's points: low[dim], then high[dim]; nodes × 2 dim numbers, to be freed.
 * O(n dim log n). */
base_status h2_tree_boxes(base_context *context, const h2_tree *tree, double **box);

#endif
