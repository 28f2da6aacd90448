/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract between lib/h2/device/build.c and the device kernels that fill H2 matrices.
 *
 *     h2_gpu_fill_blocks_fp64(how, is_dense, items, geometry, values)
 *     h2_gpu_fill_bases_fp64(how, is_transfer, items, geometry, values)      _fp32 likewise
 *
 * One grid block fills one item: the function between the points of two nodes (dense) or the points of
 * interpolation in their boxes (coupling); the parent's or own Lagrange polynomials at a node's points of
 * interpolation (transfer) or points (leaf basis). */
#ifndef H2_FILL_GPU_H
#define H2_FILL_GPU_H

enum {
    H2_GPU_MOST_ORDER = 24,
    H2_GPU_MOST_DIM = 3,
    H2_GPU_FILL_THREADS = 256,
    H2_GPU_FILL_POINTS = 128,
    H2_GPU_FILL_ROWS = 64
};

/* What all items have in common; functions are numbered as h2_function_kind. */
typedef struct h2_gpu_how {
    double length, nugget;
    double point[H2_GPU_MOST_ORDER], weight[H2_GPU_MOST_ORDER]; /* of interpolation on [-1, 1] */
    int function, dim, order, rank;
} h2_gpu_how;

typedef struct h2_gpu_item {
    long long value; /* place of its numbers, row by row */
    int row, col;    /* nodes; a basis: the node, and the one whose polynomials are taken */
} h2_gpu_item;

/* Boxes: low[dim], high[dim] of each node; points: dim numbers each, in the tree's order. */
typedef struct h2_gpu_geometry {
    const double *box, *point;
    const long long *begin, *end;
} h2_gpu_geometry;

#endif
